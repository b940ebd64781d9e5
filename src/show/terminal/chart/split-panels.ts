import type { VegaLiteSpec } from '../../chart/vega-lite/vega-lite-spec.ts';
import { sanitize } from '../../sanitize.ts';

/** What views below each other have in common. */
const inherited = ['data', 'datasets', 'config', 'params'] as const;

/** The views of a chart from top to bottom: one, unless it joins some below each other (`vconcat`). */
export function splitPanels(spec: VegaLiteSpec): readonly VegaLiteSpec[] {
  const { vconcat } = spec;
  if (!Array.isArray(vconcat)) return [spec];
  const shared: VegaLiteSpec = Object.fromEntries(inherited.flatMap((key) => (spec[key] === undefined ? [] : [[key, spec[key]]])));
  const panels: readonly VegaLiteSpec[] = vconcat;
  return panels.flatMap((part) => {
    const transform = [...asList(spec['transform']), ...asList(part['transform'])];
    return splitPanels({ ...shared, ...part, ...(transform.length > 0 ? { transform } : {}) });
  });
}

/** The title over views below each other, and its subtitle, where they are plain texts. Sanitized. */
export function readJoinedTitle({ vconcat, title }: VegaLiteSpec): Readonly<Record<'title' | 'subtitle', readonly string[]>> {
  if (!Array.isArray(vconcat) || title === undefined || title === null) return { title: [], subtitle: [] };
  const { text, subtitle } = typeof title === 'object' && !Array.isArray(title) ? (title as VegaLiteSpec) : { text: title, subtitle: undefined };
  return { title: toLines(text), subtitle: toLines(subtitle) };
}

function toLines(text: VegaLiteSpec[string] | undefined): readonly string[] {
  return (Array.isArray(text) ? text : [text]).filter((line) => typeof line === 'string' && line !== '').map((line) => sanitize(line as string));
}

function asList<T>(value: T | readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value : [];
}
