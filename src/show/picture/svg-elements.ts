import { escapeXml } from './escape-xml.ts';

/** An element before it is written. The content is markup already. */
export interface SvgElement {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly content: string;
}

// Positions of a hundredth of a pixel: nobody sees more, and the last digits of a sine differ from machine to machine.
const longNumber = /-?\d+\.\d{3,}(?:e[+-]?\d+)?|-?\d+(?:\.\d+)?e[+-]?\d+/g;

const round = (digits: string): string => String(Math.round(Number(digits) * 100) / 100 + 0);

/** The value of an attribute, its numbers rounded. */
export function toAttribute(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : round(String(value));
  const text = String(value);
  return text.length > 5 ? text.replace(longNumber, round) : text;
}

// They mean something else on a group, or nothing.
const own = new Set(['transform', 'd', 'x', 'y', 'x1', 'y1', 'x2', 'y2', 'cx', 'cy', 'r', 'width', 'height', 'opacity', 'clip-path']);

/** Elements one after the other; what all of them have in common stands once, on a group around them. */
export function writeElements(elements: readonly SvgElement[], group: ReadonlyMap<string, string> = new Map()): string {
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

export function writeElement({ tag, attributes, content }: SvgElement, without: ReadonlyMap<string, string> = nothing): string {
  const start = `<${tag}${writeAttributes(attributes, without)}`;
  return content === '' ? `${start}/>` : `${start}>${content}</${tag}>`;
}

function writeAttributes(attributes: ReadonlyMap<string, string>, without: ReadonlyMap<string, string> = nothing): string {
  let text = '';
  for (const [name, value] of attributes) if (!without.has(name)) text += ` ${name}="${escapeXml(value)}"`;
  return text;
}
