import { isObject } from '../read-chart-wish.ts';
import type { Json, VegaLiteSpec } from './vega-lite-spec.ts';

/**
 * A drawing with a fragment of Vega-Lite merged over it: objects are merged, anything else takes the place of what was
 * there. `mark` is for the marks of the drawing (its `type` chose the kind), `encoding` for what they have in common and
 * what they say themselves.
 */
export function mergeFragment(spec: VegaLiteSpec, { mark, encoding, ...rest }: Readonly<Record<string, unknown>>): VegaLiteSpec {
  const merged = merge(spec, rest as VegaLiteSpec);
  const { type: _, ...properties } = isObject(mark) ? mark : {};
  return mergeIntoViews(merged, properties as VegaLiteSpec, isObject(encoding) ? (encoding as VegaLiteSpec) : {});
}

function mergeIntoViews(view: VegaLiteSpec, mark: VegaLiteSpec, encoding: VegaLiteSpec): VegaLiteSpec {
  const { vconcat, layer } = view;
  if (Array.isArray(vconcat)) return { ...view, vconcat: vconcat.map((part) => mergeIntoViews(part as VegaLiteSpec, mark, encoding)) };
  const inLayers: VegaLiteSpec = Array.isArray(layer) ? { layer: layer.map((part) => mergeIntoMark(part as VegaLiteSpec, mark, encoding)) } : {};
  return { ...mergeIntoMark(view, mark, encoding), ...inLayers };
}

/** Only what is drawn already is changed: a channel that no mark has would draw something else. */
function mergeIntoMark(view: VegaLiteSpec, mark: VegaLiteSpec, encoding: VegaLiteSpec): VegaLiteSpec {
  const own = isObject(view['encoding']) ? (view['encoding'] as VegaLiteSpec) : {};
  const changed = Object.fromEntries(Object.entries(encoding).filter(([channel]) => isObject(own[channel]) && 'field' in own[channel]));
  const isAside = view['data'] !== undefined && view['layer'] === undefined && isObject(view['mark']) && view['autosize'] === undefined;
  return {
    ...view,
    ...(view['encoding'] !== undefined && !isAside && { encoding: merge(own, changed) }),
    ...(isObject(view['mark']) && !isAside && { mark: merge(view['mark'] as VegaLiteSpec, mark) }),
  };
}

function merge(under: VegaLiteSpec, over: VegaLiteSpec): VegaLiteSpec {
  const merged: Record<string, Json> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const there = merged[key];
    merged[key] = isObject(there) && isObject(value) ? merge(there as VegaLiteSpec, value as VegaLiteSpec) : value;
  }
  return merged;
}
