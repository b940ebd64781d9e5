import { cutText, isHeavy } from '../fonts/text-width.ts';
import { heavyWeight } from '../fonts/fonts.ts';
import { escapeXml, toShownXml } from '../labels/escape-xml.ts';
import { isMeasured, toFontSize, type VegaDrawing } from './load-vega.ts';
import { type SceneItem, type SceneMark, drawStraightLine } from './scene.ts';

/** An SVG element before it is written. The content is markup. */
interface SvgElement {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly content: string;
}

// Round positions to a hundredth of a pixel: the last digits of a sine differ between machines.
const longNumber = /-?\d+\.\d{3,}(?:e[+-]?\d+)?|-?\d+(?:\.\d+)?e[+-]?\d+/g;

const round = (digits: string): string => String(Math.round(Number(digits) * 100) / 100 + 0);

/** The value of an attribute, with rounded numbers. */
function toAttribute(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : round(String(value));
  const text = String(value);
  return text.length > 5 ? text.replace(longNumber, round) : text;
}

// Attributes that have another meaning on a group, or none.
const own = new Set([
  'transform',
  'd',
  'x',
  'y',
  'x1',
  'y1',
  'x2',
  'y2',
  'cx',
  'cy',
  'r',
  'width',
  'height',
  'opacity',
  'clip-path',
]);

/** Writes elements in order. A group around them holds the attributes they share. */
function writeElements(elements: readonly SvgElement[], group: ReadonlyMap<string, string> = new Map()): string {
  const shared = elements.length > 1 ? commonOf(elements) : new Map<string, string>();
  const inside = elements.map((element) => writeElement(element, shared)).join('');
  if (inside === '' || (shared.size === 0 && group.size === 0)) return inside;
  return `<g${writeAttributes(group)}${writeAttributes(shared)}>${inside}</g>`;
}

function commonOf([first, ...others]: readonly SvgElement[]): ReadonlyMap<string, string> {
  const common = new Map([...(first?.attributes ?? [])].filter(([name]) => !own.has(name)));
  for (const { attributes } of others) {
    for (const [name, value] of common) if (attributes.get(name) !== value) common.delete(name);
    if (common.size === 0) break;
  }
  return common;
}

const nothing: ReadonlyMap<string, string> = new Map();

function writeElement(
  { tag, attributes, content }: SvgElement,
  without: ReadonlyMap<string, string> = nothing,
): string {
  const start = `<${tag}${writeAttributes(attributes, without)}`;
  return content === '' ? `${start}/>` : `${start}>${content}</${tag}>`;
}

function writeAttributes(
  attributes: ReadonlyMap<string, string>,
  without: ReadonlyMap<string, string> = nothing,
): string {
  let text = '';
  for (const [name, value] of attributes) if (!without.has(name)) text += ` ${name}="${escapeXml(value)}"`;
  return text;
}

interface Gradient {
  readonly gradient: string;
  readonly stops: readonly { readonly offset: number; readonly color: string }[];
  readonly [corner: string]: unknown;
}

/** The shared parts of a picture, referenced by ID. */
interface Definitions {
  /** A reference to a clipping shape: the given one, or the box of the group. */
  clip(shape: unknown, group: { readonly [property: string]: unknown }): string;
  gradient(gradient: Gradient): string;
  /** Writes all definitions. */
  write(): string;
}

/** IDs start with that of the drawing, so that one page can hold several drawings. */
function openDefinitions(drawing: () => string): Definitions {
  const ids = new Map<string, string>();
  const define = (content: string): string => {
    if (!ids.has(content)) ids.set(content, `${drawing()}-${ids.size + 1}`);
    return `url(#${ids.get(content)})`;
  };
  return {
    clip(shape, { width, height }) {
      const path: unknown = typeof shape === 'function' ? shape(null) : undefined;
      const inside =
        path === undefined
          ? `<rect width="${toAttribute(width ?? 0)}" height="${toAttribute(height ?? 0)}"/>`
          : `<path d="${escapeXml(toAttribute(path))}"/>`;
      return define(`clipPath>${inside}</clipPath>`);
    },
    gradient: (gradient) => define(writeGradient(gradient)),
    write: () =>
      ids.size === 0
        ? ''
        : `<defs>${[...ids].map(([content, id]) => `<${content.replace(/^\w+/, (tag) => `${tag} id="${escapeXml(id)}"`)}`).join('')}</defs>`,
  };
}

function writeGradient({ gradient, stops, ...corners }: Gradient): string {
  const tag = gradient === 'radial' ? 'radialGradient' : 'linearGradient';
  const names: Readonly<Record<string, string>> =
    gradient === 'radial'
      ? { x1: 'fx', y1: 'fy', r1: 'fr', x2: 'cx', y2: 'cy', r2: 'r' }
      : { x1: 'x1', y1: 'y1', x2: 'x2', y2: 'y2' };
  const places = Object.entries(names)
    .filter(([corner]) => typeof corners[corner] === 'number')
    .map(([corner, name]) => ` ${name}="${toAttribute(corners[corner])}"`)
    .join('');
  return `${tag}${places}>${stops.map(({ offset, color }) => `<stop offset="${toAttribute(offset)}" stop-color="${escapeXml(color)}"/>`).join('')}</${tag}>`;
}

/** Pixels. */
interface SceneFrame {
  readonly width: number;
  readonly height: number;
  readonly origin: readonly [x: number, y: number];
  readonly background: string | undefined;
  /** Prefix of the IDs in the picture. */
  readonly id: () => string;
}

const styles = Object.entries({
  fill: 'fill',
  fillOpacity: 'fill-opacity',
  stroke: 'stroke',
  strokeOpacity: 'stroke-opacity',
  strokeWidth: 'stroke-width',
  strokeCap: 'stroke-linecap',
  strokeJoin: 'stroke-linejoin',
  strokeDash: 'stroke-dasharray',
  strokeDashOffset: 'stroke-dashoffset',
  strokeMiterLimit: 'stroke-miterlimit',
  opacity: 'opacity',
});

// Default values, which need not be written.
const implied: Readonly<Record<string, string>> = {
  opacity: '1',
  'fill-opacity': '1',
  'stroke-opacity': '1',
  'stroke-width': '1',
  'stroke-dasharray': '',
  'stroke-dashoffset': '0',
  'text-anchor': 'start',
  transform: 'translate(0,0)',
  'stroke-linecap': 'butt',
  'stroke-linejoin': 'miter',
  'stroke-miterlimit': '4',
  'font-weight': 'normal',
  'font-style': 'normal',
};

/**
 * Writes a scene graph as SVG. Invisible elements are omitted, and so is everything that could lead outside: scripts,
 * links, images and styles. Each text is one harmless line.
 */
export function writeScene(
  root: SceneMark,
  { width, height, origin, background, id }: SceneFrame,
  vega: VegaDrawing,
): string {
  const definitions = openDefinitions(id);
  const ground = isPaint(background)
    ? writeElement({
        tag: 'rect',
        attributes: new Map([
          ['width', String(width)],
          ['height', String(height)],
          ['fill', background],
        ]),
        content: '',
      })
    : '';
  const drawn = writeMark(root, { vega, definitions });
  return `${definitions.write()}${ground}<g fill="none" stroke-miterlimit="4" transform="${toAttribute(`translate(${origin.join(',')})`)}">${drawn}</g>`;
}

interface Pen {
  readonly vega: VegaDrawing;
  readonly definitions: Definitions;
}

function writeMark(mark: SceneMark, pen: Pen): string {
  const clip =
    mark.clip && mark.group ? new Map([['clip-path', pen.definitions.clip(mark.clip, mark.group)]]) : undefined;
  if (mark.marktype === 'group') {
    const groups: string[] = [];
    pen.vega.sceneVisit(mark, (item: SceneItem) => groups.push(writeGroup(item, pen)));
    return clip ? writeElements([{ tag: 'g', attributes: clip, content: groups.join('') }]) : groups.join('');
  }
  const drawing = pen.vega.Marks[mark.marktype];
  // Images were refused earlier. Unknown marks are omitted, not drawn wrong.
  if (!drawing || mark.marktype === 'image') return '';
  mark.items?.forEach(settle);
  const elements: SvgElement[] = [];
  const add = (item: SceneItem) => {
    const element = toElement(item, mark, drawing, pen);
    if (element) elements.push(element);
  };
  if (drawing.nested) mark.items?.slice(0, 1).forEach(add);
  else pen.vega.sceneVisit(mark, add);
  return writeElements(elements, clip);
}

const places = ['x', 'y', 'x2', 'y2', 'width', 'height'] as const;

/**
 * Rounds the position of an item as `toAttribute` does, so that derived values have few digits. Each scene is drawn
 * only once.
 */
function settle(item: SceneItem): void {
  for (const place of places) {
    const value = item[place];
    if (typeof value === 'number' && !Number.isInteger(value))
      (item as Record<typeof place, number>)[place] = Math.round(value * 100) / 100;
  }
}

function writeGroup(item: SceneItem, pen: Pen): string {
  const drawing = pen.vega.Marks['group'];
  const frame = (only: readonly string[]): string => {
    const attributes = toAttributes((emit) =>
      drawing?.background?.((name, value) => name === 'd' && emit(name, value), item),
    );
    addStyles(attributes, item, pen);
    for (const name of ['fill', 'stroke']) if (!only.includes(name)) attributes.delete(name);
    return item['opacity'] === 0 || !isSeen(attributes) ? '' : writeElement({ tag: 'path', attributes, content: '' });
  };
  const inside: string[] = [];
  pen.vega.sceneVisit(item, (mark: SceneMark) => inside.push(writeMark(mark, pen)));
  const content = item['clip']
    ? writeElements([
        {
          tag: 'g',
          attributes: new Map([['clip-path', pen.definitions.clip(item['clip'], item)]]),
          content: inside.join(''),
        },
      ])
    : inside.join('');
  const body = item['strokeForeground']
    ? frame(['fill']) + content + frame(['stroke'])
    : frame(['fill', 'stroke']) + content;
  if (body === '') return '';
  const attributes = toAttributes((emit) => drawing?.attr(emit, item));
  return attributes.size === 0 ? body : writeElement({ tag: 'g', attributes, content: body });
}

function toElement(
  item: SceneItem,
  { marktype, items = [] }: SceneMark,
  drawing: VegaDrawing['Marks'][string],
  pen: Pen,
): SvgElement | undefined {
  if (item['opacity'] === 0) return undefined;
  const line = marktype === 'line' ? drawStraightLine(items) : undefined;
  const attributes = line === undefined ? toAttributes((emit) => drawing.attr(emit, item)) : new Map([['d', line]]);
  const content = marktype === 'text' ? writeText(item, attributes) : writeTooltip(item);
  if ((marktype === 'text' && content === '') || (drawing.tag === 'path' && !attributes.get('d'))) return undefined;
  addStyles(attributes, item, pen);
  return isSeen(attributes) ? { tag: drawing.tag, attributes, content } : undefined;
}

/** The tooltip of a mark. */
function writeTooltip({ tooltip }: SceneItem): string {
  return typeof tooltip === 'string' && tooltip !== '' ? `<title>${toShownXml(tooltip)}</title>` : '';
}

function isSeen(attributes: ReadonlyMap<string, string>): boolean {
  return attributes.has('fill') || attributes.has('stroke');
}

function toAttributes(draw: (emit: (name: string, value: unknown) => void) => void): Map<string, string> {
  const attributes = new Map<string, string>();
  draw((name, value) => set(attributes, name, value));
  return attributes;
}

function set(attributes: Map<string, string>, name: string, value: unknown): void {
  if (value === null || value === undefined) return;
  const text = toAttribute(value);
  if (implied[name] !== text) attributes.set(name, text);
}

function addStyles(attributes: Map<string, string>, item: SceneItem, { definitions }: Pen): void {
  for (const [property, name] of styles) {
    const value = item[property];
    if (property === 'fill' || property === 'stroke') {
      if (typeof value === 'object' && value !== null) attributes.set(name, definitions.gradient(value as Gradient));
      else if (isPaint(value)) attributes.set(name, value);
    } else {
      set(attributes, name, value);
    }
  }
}

// A paint can also be a URL. Accept only plain colours.
const colour = /^(?:#[\da-f]{3,8}|[a-z]+|(?:rgb|hsl|hwb|lab|lch|oklab|oklch)a?\([\da-z\s.,%/+-]*\))$/i;

function isPaint(value: unknown): value is string {
  return typeof value === 'string' && value !== 'none' && value !== 'transparent' && colour.test(value);
}

const startsFromRight =
  /^\P{L}*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

function writeText(item: SceneItem, attributes: Map<string, string>): string {
  const size = toFontSize(item['fontSize']);
  const weight = item['fontWeight'] as string | number | undefined;
  if (size <= 0) return '';
  if (!isMeasured(item['font']))
    attributes.set('font-family', typeof item['font'] === 'string' ? item['font'] : 'sans-serif');
  set(attributes, 'font-size', size);
  // Draw the measured weight: the bundled font has only one heavy weight.
  set(attributes, 'font-weight', isMeasured(item['font']) && isHeavy(weight) ? heavyWeight : weight);
  set(attributes, 'font-style', item['fontStyle']);
  const limit = Number(item['limit'] ?? 0);
  // Puts signs at the end of the text, such as its ellipsis, to the left.
  const written = toLines(item);
  if (written.some((line) => startsFromRight.test(line))) attributes.set('unicode-bidi', 'plaintext');
  const lines = written.map((line) => {
    const text = line.trim();
    return toShownXml(
      limit > 0 ? cutText(text, limit, { size, weight }, item['ellipsis'] as string | undefined) : text,
    );
  });
  if (lines.length < 2) return lines[0] ?? '';
  const step = toAttribute(item['lineHeight'] ?? size + 2);
  return lines
    .map((line, index) => (index === 0 ? `<tspan>${line}</tspan>` : `<tspan x="0" dy="${step}">${line}</tspan>`))
    .join('');
}

function toLines({ text, lineBreak }: SceneItem): readonly string[] {
  if (Array.isArray(text)) return text.map((line) => String(line ?? ''));
  if (text === null || text === undefined) return [];
  return typeof lineBreak === 'string' && lineBreak !== '' ? String(text).split(lineBreak) : [String(text)];
}
