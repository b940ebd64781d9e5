type Part = Readonly<Record<string, unknown>>;

/**
 * What the two edges of a rectangle stand for in one direction: a place of its own (a category, a bucket, a bin), two
 * values (a bar from 0, a part of a stack), one value (a tick), or nothing, where it goes through from edge to edge.
 */
export type RectExtent = 'place' | 'values' | 'value' | 'through';

export interface RectRole {
  readonly x: RectExtent;
  readonly y: RectExtent;
}

/** Reads the role of a rectangle from the definitions of its edges in Vega. */
export function readRectRole(update: Part): RectRole {
  return { x: readExtent(update, 'x', 'width'), y: readExtent(update, 'y', 'height') };
}

function readExtent(update: Part, way: 'x' | 'y', size: 'width' | 'height'): RectExtent {
  const centre = update[`${way}c`];
  const start = asPart(update[way]);
  const end = asPart(update[`${way}2`]);
  if (centre !== undefined) return isConstant(update[size]) ? 'value' : 'place';
  if (update[size] !== undefined) return start['scale'] === undefined ? 'through' : 'place';
  if (start['scale'] === undefined && end['scale'] === undefined) return 'through';
  const [from, to] = [start['field'], end['field']];
  // Vega-Lite calls the two ends of a bucket `f` and `f_end`, those of a part of a stack `f_start` and `f_end`.
  const isBucket = typeof from === 'string' && typeof to === 'string' && (from === `${to}_end` || to === `${from}_end`);
  return isBucket ? 'place' : 'values';
}

function isConstant(definition: unknown): boolean {
  return typeof asPart(definition)['value'] === 'number';
}

function asPart(value: unknown): Part {
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'object' && last !== null ? (last as Part) : {};
}
