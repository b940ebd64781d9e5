import type { Json, VegaLiteSpec } from '../../chart/vega-lite/vega-lite-spec.ts';

const turned: Readonly<Record<string, string>> = {
  x: 'y', y: 'x', x2: 'y2', y2: 'x2', xOffset: 'yOffset', yOffset: 'xOffset', xError: 'yError', yError: 'xError', xError2: 'yError2', yError2: 'xError2',
};

const turnedSides: Readonly<Record<string, string>> = { bottom: 'left', left: 'bottom', top: 'right', right: 'top' };

/**
 * The same chart lying on its side, for columns that are too many to stand beside each other: columns become bars, one
 * below the other, and what stood at the left stands at the top.
 */
export function turnSpec(spec: VegaLiteSpec): VegaLiteSpec {
  const { encoding, layer, mark } = spec;
  return {
    ...spec,
    ...(isObject(encoding) && { encoding: turnEncoding(encoding) }),
    ...(isObject(mark) && { mark: turnMark(mark) }),
    ...(Array.isArray(layer) && { layer: layer.map((part: Json) => (isObject(part) ? turnSpec(part) : part)) }),
  };
}

function turnEncoding(encoding: VegaLiteSpec): VegaLiteSpec {
  return Object.fromEntries(Object.entries(encoding).map(([channel, definition]) => {
    const other = turned[channel] ?? channel;
    if (!isObject(definition)) return [other, definition];
    return [other, other === 'x' || other === 'y' ? turnPosition(definition, other) : definition];
  }));
}

function turnPosition(definition: VegaLiteSpec, channel: 'x' | 'y'): VegaLiteSpec {
  const { axis, scale, sort, type } = definition;
  const side = isObject(axis) && typeof axis['orient'] === 'string' ? turnedSides[axis['orient']] : undefined;
  const lowered = channel === 'y' && (type === 'temporal' || type === 'quantitative');
  return {
    ...definition,
    ...(isObject(axis) && side !== undefined && { axis: { ...axis, orient: side } }),
    // Vega counts upwards; lines are read downwards.
    ...(lowered && { scale: { ...(isObject(scale) ? scale : {}), reverse: !(isObject(scale) && scale['reverse'] === true) } }),
    ...(typeof sort === 'string' && { sort: turnSort(sort) }),
  };
}

/** `-y` sorts by the channel y. */
function turnSort(sort: string): string {
  const [, sign, channel] = /^(-?)([xy])$/.exec(sort) ?? [];
  return channel === undefined ? sort : `${sign}${turned[channel]}`;
}

function turnMark(mark: VegaLiteSpec): VegaLiteSpec {
  const { orient } = mark;
  return {
    ...Object.fromEntries(Object.entries(mark).map(([key, value]) => [turned[key] ?? key, value])),
    ...(orient === 'vertical' && { orient: 'horizontal' }), ...(orient === 'horizontal' && { orient: 'vertical' }),
  };
}

function isObject(value: Json | undefined): value is VegaLiteSpec {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
