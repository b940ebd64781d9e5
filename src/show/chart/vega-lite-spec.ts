export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A Vega-Lite specification (version 6) as plain JSON. It holds its data, and refers to nothing outside. */
export type VegaLiteSpec = { readonly [key: string]: Json };

/** A part with parts of its own: no list, and no plain value. */
export function isSpec(value: unknown): value is VegaLiteSpec {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
