/** JSON.parse source text access (ECMA-262 2026), which TypeScript's library does not declare yet. */
interface JsonWithSource {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

/** Parses JSON so that numbers keep their digits: `JSON.stringify` writes them unchanged. */
export function parseExactly(json: string): unknown {
  const source = JSON as unknown as JsonWithSource;
  return source.parse(json, (_key, value, context) =>
    typeof value === 'number' && context.source !== undefined ? source.rawJSON(context.source) : value,
  );
}

/** Parses JSON; undefined if the text is not valid JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Like `JSON.parse`, but integers that a float cannot hold exactly become text with all their digits. */
export function parseWithLongNumbers(json: string): unknown {
  const source = JSON as unknown as JsonWithSource;
  return source.parse(json, (_key, value, context) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? context.source : value,
  );
}
