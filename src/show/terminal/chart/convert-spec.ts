import { isSpec, type Json, type VegaLiteSpec } from '../../chart/chart.ts';
import { refuse } from './undrawable.ts';

const turned: Readonly<Record<string, string>> = {
  x: 'y',
  y: 'x',
  x2: 'y2',
  y2: 'x2',
  xOffset: 'yOffset',
  yOffset: 'xOffset',
  xError: 'yError',
  yError: 'xError',
  xError2: 'yError2',
  yError2: 'xError2',
};

const turnedSides: Readonly<Record<string, string>> = { bottom: 'left', left: 'bottom', top: 'right', right: 'top' };

/**
 * Turns a chart on its side if its columns do not fit beside each other. Columns become bars below each other, and the
 * left axis moves to the top.
 */
export function convertSpec(spec: VegaLiteSpec): VegaLiteSpec {
  const { encoding, layer, mark } = spec;
  return {
    ...spec,
    ...(isSpec(encoding) && { encoding: convertEncoding(encoding) }),
    ...(isSpec(mark) && { mark: convertMark(mark) }),
    ...(Array.isArray(layer) && { layer: layer.map((part: Json) => (isSpec(part) ? convertSpec(part) : part)) }),
  };
}

function convertEncoding(encoding: VegaLiteSpec): VegaLiteSpec {
  return Object.fromEntries(
    Object.entries(encoding).map(([channel, definition]) => {
      const other = turned[channel] ?? channel;
      if (!isSpec(definition)) return [other, definition];
      return [other, other === 'x' || other === 'y' ? convertPosition(definition, other) : definition];
    }),
  );
}

function convertPosition(definition: VegaLiteSpec, channel: 'x' | 'y'): VegaLiteSpec {
  const { axis, scale, sort, type } = definition;
  const side = isSpec(axis) && typeof axis['orient'] === 'string' ? turnedSides[axis['orient']] : undefined;
  const lowered = channel === 'y' && (type === 'temporal' || type === 'quantitative');
  return {
    ...definition,
    ...(isSpec(axis) && side !== undefined && { axis: { ...axis, orient: side } }),
    // Vega counts upwards, but lines run downwards.
    ...(lowered && {
      scale: { ...(isSpec(scale) ? scale : {}), reverse: !(isSpec(scale) && scale['reverse'] === true) },
    }),
    ...(typeof sort === 'string' && { sort: convertSort(sort) }),
  };
}

/** `-y` sorts by the channel y. */
function convertSort(sort: string): string {
  const [, sign, channel] = /^(-?)([xy])$/.exec(sort) ?? [];
  return channel === undefined ? sort : `${sign}${turned[channel]}`;
}

function convertMark(mark: VegaLiteSpec): VegaLiteSpec {
  const { orient } = mark;
  return {
    ...Object.fromEntries(Object.entries(mark).map(([key, value]) => [turned[key] ?? key, value])),
    ...(orient === 'vertical' && { orient: 'horizontal' }),
    ...(orient === 'horizontal' && { orient: 'vertical' }),
  };
}

/** Views side by side or repeated, as Vega-Lite calls them. Views below each other (`vconcat`) are drawn. */
const compositions = ['hconcat', 'concat', 'repeat', 'facet', 'spec'] as const;

const channels: Readonly<Record<string, string>> = {
  row: 'a facet of rows',
  column: 'a facet of columns',
  facet: 'a facet',
  latitude: 'a map',
  longitude: 'a map',
  theta: 'angles',
  radius: 'a radius',
  url: 'pictures',
};

const marks: Readonly<Record<string, string>> = { arc: 'arcs', geoshape: 'maps', image: 'pictures', trail: 'trails' };

/**
 * Throws if a Vega-Lite view declares something that cells cannot show. What appears only in the scene is refused when
 * the scene is read.
 */
export function checkSpec(spec: VegaLiteSpec): void {
  for (const word of compositions) if (spec[word] !== undefined) throw refuse(`several views in one chart (${word})`);
  if (spec['projection'] !== undefined) throw refuse('maps');
  checkData(spec['data']);
  const { mark, encoding, layer } = spec;
  const kind = isSpec(mark) ? mark['type'] : mark;
  const undrawable = typeof kind === 'string' && Object.hasOwn(marks, kind) ? marks[kind] : undefined;
  if (undrawable) throw refuse(undrawable);
  if (isSpec(encoding)) {
    for (const channel of Object.keys(encoding)) {
      if (Object.hasOwn(channels, channel) && encoding[channel] !== null) throw refuse(channels[channel] ?? channel);
    }
  }
  if (Array.isArray(layer)) for (const part of layer) if (isSpec(part)) checkSpec(part);
  const { transform } = spec;
  if (Array.isArray(transform)) {
    for (const step of transform) {
      const from: unknown = isSpec(step) ? step['from'] : undefined;
      if (isSpec(from)) checkData(from['data']);
    }
  }
}

function checkData(data: unknown): void {
  if (isSpec(data) && data['url'] !== undefined)
    throw refuse('data from a URL (data.url)', 'Put the rows into the chart: data.values.');
}
