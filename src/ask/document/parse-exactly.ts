/** ECMA-262 2026, JSON.parse source text access; not in the compiler's library yet. */
interface JsonWithSource {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

/** Numbers keep the digits they were written with, as `JSON.stringify` writes them again. */
export function parseExactly(json: string): unknown {
  const source = JSON as unknown as JsonWithSource;
  return source.parse(json, (_key, value, context) =>
    typeof value === 'number' && context.source !== undefined ? source.rawJSON(context.source) : value,
  );
}

/** What a text of JSON holds; undefined if it is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** As `JSON.parse`, but whole numbers that a float does not hold exactly are texts with all their digits. */
export function parseWithLongNumbers(json: string): unknown {
  const source = JSON as unknown as JsonWithSource;
  return source.parse(json, (_key, value, context) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? context.source : value,
  );
}
