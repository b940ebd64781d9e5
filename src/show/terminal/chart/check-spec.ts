import { refuse } from './refuse.ts';

type Part = Readonly<Record<string, unknown>>;

/** Views side by side or repeated, by the words of Vega-Lite. Views below each other are drawn: `vconcat`. */
const compositions = ['hconcat', 'concat', 'repeat', 'facet', 'spec'] as const;

const channels: Readonly<Record<string, string>> = {
  row: 'a facet of rows', column: 'a facet of columns', facet: 'a facet', latitude: 'a map', longitude: 'a map', theta: 'angles', radius: 'a radius', url: 'pictures',
};

const marks: Readonly<Record<string, string>> = { arc: 'arcs', geoshape: 'maps', image: 'pictures', trail: 'trails' };

/** Throws where a view of Vega-Lite says outright what cells cannot show. What only shows in the scene is refused when it is read. */
export function checkSpec(spec: Part): void {
  for (const word of compositions) if (spec[word] !== undefined) throw refuse(`several views in one chart (${word})`);
  if (spec['projection'] !== undefined) throw refuse('maps');
  checkData(spec['data']);
  const { mark, encoding, layer } = spec;
  const kind = isPart(mark) ? mark['type'] : mark;
  const undrawable = typeof kind === 'string' && Object.hasOwn(marks, kind) ? marks[kind] : undefined;
  if (undrawable) throw refuse(undrawable);
  if (isPart(encoding)) {
    for (const channel of Object.keys(encoding)) {
      if (Object.hasOwn(channels, channel) && encoding[channel] !== null) throw refuse(channels[channel] ?? channel);
    }
  }
  if (Array.isArray(layer)) for (const part of layer) if (isPart(part)) checkSpec(part);
  const { transform } = spec;
  if (Array.isArray(transform)) {
    for (const step of transform) {
      const from: unknown = isPart(step) ? step['from'] : undefined;
      if (isPart(from)) checkData(from['data']);
    }
  }
}

function checkData(data: unknown): void {
  if (isPart(data) && data['url'] !== undefined) throw refuse('data from an address (data.url)', 'Put the rows into the chart: data.values.');
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
