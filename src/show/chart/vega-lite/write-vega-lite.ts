import { toSafeJson } from '../../text/json-value.ts';
import type { VegaLiteSpec } from '../vega-lite-spec.ts';

/**
 * A specification as JSON, a line for each of its parts. No text in it ends a script of a page that it may stand in.
 */
export function writeVegaLite(spec: VegaLiteSpec): string {
  const parts = Object.entries(spec).map(([key, value]) => `  ${toSafeJson(key)}: ${toSafeJson(value)}`);
  return `{\n${parts.join(',\n')}\n}\n`.replaceAll('<', '\\u003c');
}
