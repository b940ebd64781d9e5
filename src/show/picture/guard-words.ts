// Vega's parser of expressions looks words up in a plain object, and so takes these, in quotes too, for names of something.
const words = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Where a Vega specification holds texts that become parts of expressions. */
const textKeys = new Set(['text', 'title', 'subtitle', 'value', 'description']);

// Nobody sees it, it is not measured, and it is left out when the text is drawn.
const unseen = '\u200b';

/** A Vega specification in which a title such as `constructor` is a text like any other. */
export function guardWords(spec: object): object {
  return guard(spec, false) as object;
}

function guard(value: unknown, isText: boolean): unknown {
  if (typeof value === 'string') return isText && words.has(value) ? value + unseen : value;
  if (Array.isArray(value)) return value.map((item: unknown) => guard(item, isText));
  if (typeof value !== 'object' || value === null) return value;
  const part: Record<string, unknown> = { ...value };
  for (const key of Object.keys(part)) {
    const child = part[key];
    if ((typeof child === 'object' || typeof child === 'string') && key !== 'values' && key !== '__proto__') part[key] = guard(child, textKeys.has(key));
  }
  return part;
}
