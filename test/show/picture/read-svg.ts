import { textWidth } from '../../../src/show/fonts/text-width.ts';

export interface SvgNode {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (SvgNode | string)[];
}

const token = /<(\/?)([A-Za-z][\w:-]*)((?: [A-Za-z_][\w:.-]*="[^"<]*")*)(\/?)>|([^<]+)/y;
// Source: XML 1.0, 2.2 and 4.1.
const allowed = /^(?:[\t\n\r\x20-\ud7ff\ue000-\ufffd]|[\u{10000}-\u{10ffff}])*$/u;
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#9': '\t',
  '#10': '\n',
  '#13': '\r',
};

/** A strict reader of the XML that sluice writes. Throws if it is not well-formed. */
export function readSvg(xml: string): SvgNode {
  const root = { tag: '', attributes: new Map<string, string>(), children: [] as (SvgNode | string)[] };
  const open = [root];
  token.lastIndex = 0;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const match = token.exec(xml);
    if (!match) throw new Error(`no markup at ${at}: ${JSON.stringify(xml.slice(at, at + 60))}`);
    const [, closing, tag = '', attributes = '', empty, text] = match;
    const parent = open.at(-1)!;
    if (text !== undefined) {
      parent.children.push(unescape(text));
    } else if (closing) {
      if (open.pop()?.tag !== tag) throw new Error(`</${tag}> closes what it did not open`);
    } else {
      const node = { tag, attributes: new Map(readAttributes(attributes)), children: [] as (SvgNode | string)[] };
      parent.children.push(node);
      if (!empty) open.push(node);
    }
  }
  const nodes = root.children.filter((child) => typeof child !== 'string');
  if (open.length !== 1 || nodes.length !== 1) throw new Error('not one element, or one that is not closed');
  return nodes[0] as SvgNode;
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(/ ([^=]+)="([^"]*)"/g)) {
    if (attributes.has(name)) throw new Error(`${name} stands twice`);
    attributes.set(name, unescape(value));
  }
  return attributes;
}

function unescape(text: string): string {
  if (!allowed.test(text)) throw new Error(`a character that XML does not have: ${JSON.stringify(text)}`);
  return text.replace(/&([^;]*);?/g, (all, name: string) => {
    const character = entities[name];
    if (character === undefined || !all.endsWith(';')) throw new Error(`no entity: ${all}`);
    return character;
  });
}

/** All nodes, outermost first. */
export function* walk(node: SvgNode): Generator<SvgNode> {
  yield node;
  for (const child of node.children) if (typeof child !== 'string') yield* walk(child);
}

export interface TextBox {
  readonly text: string;
  /** In order around the box, so consecutive corners are the ends of a side. */
  readonly corners: readonly Point[];
}

type Point = readonly [x: number, y: number];

type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** The box of each line of text in the picture: three quarters of its size above the baseline, a fifth below. */
export function toTextBoxes(svg: SvgNode): readonly TextBox[] {
  const boxes: TextBox[] = [];
  const visit = (node: SvgNode, outer: ReadonlyMap<string, string>, matrix: Matrix): void => {
    const attributes = new Map([...outer, ...node.attributes]);
    const placed = multiply(matrix, readTransform(node.attributes.get('transform') ?? ''));
    if (node.tag === 'title' || node.tag === 'desc') return;
    const [x = 0, top = 0] = ['x', 'y'].map((name) => Number(node.attributes.get(name) ?? 0));
    if (node.tag === 'text')
      boxes.push(
        ...toLines(node).map(({ text, y }) => toBox(text, attributes, multiply(placed, [1, 0, 0, 1, x, top + y]))),
      );
    else for (const child of node.children) if (typeof child !== 'string') visit(child, attributes, placed);
  };
  visit(svg, new Map(), [1, 0, 0, 1, 0, 0]);
  return boxes;
}

function toLines(node: SvgNode): readonly { readonly text: string; readonly y: number }[] {
  let y = 0;
  return node.children.map((child) => {
    if (typeof child === 'string') return { text: child, y };
    y += Number(child.attributes.get('dy') ?? 0);
    return { text: child.children.join(''), y };
  });
}

function toBox(text: string, attributes: ReadonlyMap<string, string>, matrix: Matrix): TextBox {
  const size = Number(attributes.get('font-size'));
  const width = textWidth(text, { size, weight: attributes.get('font-weight') });
  const anchor = attributes.get('text-anchor');
  const start = anchor === 'end' ? -width : anchor === 'middle' ? -width / 2 : 0;
  const [left, right, top, bottom] = [start, start + width, -0.75 * size, 0.2 * size];
  return {
    text,
    corners: (
      [
        [left, top],
        [right, top],
        [right, bottom],
        [left, bottom],
      ] as const
    ).map(([a, b]) => [matrix[0] * a + matrix[2] * b + matrix[4], matrix[1] * a + matrix[3] * b + matrix[5]]),
  };
}

function readTransform(text: string): Matrix {
  let matrix: Matrix = [1, 0, 0, 1, 0, 0];
  for (const [, name, list = ''] of text.matchAll(/(\w+)\(([^)]*)\)/g)) {
    const [x = 0, y = 0] = list.split(/[ ,]+/).map(Number);
    const turn = (x * Math.PI) / 180;
    if (name !== 'translate' && name !== 'rotate') throw new Error(`cannot follow ${name}`);
    matrix = multiply(
      matrix,
      name === 'translate'
        ? [1, 0, 0, 1, x, y]
        : [Math.cos(turn), Math.sin(turn), -Math.sin(turn), Math.cos(turn), 0, 0],
    );
  }
  return matrix;
}

function multiply([a, b, c, d, e, f]: Matrix, [A, B, C, D, E, F]: Matrix): Matrix {
  return [a * A + c * B, b * A + d * B, a * C + c * D, b * C + d * D, a * E + c * F + e, b * E + d * F + f];
}

/** Texts that overlap each other or the edge of the picture, a sentence each. */
export function findClashes(svg: SvgNode, boxes = toTextBoxes(svg)): readonly string[] {
  const width = Number(svg.attributes.get('width'));
  const height = Number(svg.attributes.get('height'));
  const cut = boxes.filter(({ corners }) =>
    corners.some(([x, y]) => x < -1 || y < -1 || x > width + 1 || y > height + 1),
  );
  const clashes = boxes.flatMap((one, index) =>
    boxes
      .slice(index + 1)
      .filter((other) => overlap(one, other))
      .map((other) => `${JSON.stringify(one.text)} stands in ${JSON.stringify(other.text)}`),
  );
  return [
    ...cut.map(
      ({ text, corners }) =>
        `${JSON.stringify(text)} is cut: ${corners.map((corner) => corner.map(Math.round).join()).join(' ')} of ${width} × ${height}`,
    ),
    ...clashes,
  ];
}

const grace = 0.5;

/** Two boxes are apart if a direction along one of their sides separates them. */
function overlap(a: TextBox, b: TextBox): boolean {
  return [a, b]
    .flatMap(({ corners: [first, second, , last] }) => [direction(first!, second!), direction(first!, last!)])
    .every((along) => {
      const [from, to, otherFrom, otherTo] = [...span(a, along), ...span(b, along)];
      return from! < otherTo! - grace && otherFrom! < to! - grace;
    });
}

function direction([x1, y1]: Point, [x2, y2]: Point): Point {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  return [(x2 - x1) / length, (y2 - y1) / length];
}

function span({ corners }: TextBox, [dx, dy]: Point): readonly [number, number] {
  const places = corners.map(([x, y]) => x * dx + y * dy);
  return [Math.min(...places), Math.max(...places)];
}
