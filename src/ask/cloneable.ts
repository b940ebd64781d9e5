/** Adds functions to data as hidden properties, which `structuredClone` ignores: it throws for visible functions. */
export function cloneable<Data extends object, Functions extends object>(
  data: Data,
  functions: Functions,
): Data & Functions {
  for (const [name, value] of Object.entries(functions))
    Object.defineProperty(data, name, { value, enumerable: false, configurable: true });
  return data as Data & Functions;
}

/**
 * A copy of an object with other parts. It keeps the functions of `cloneable`, and computes properties when they are
 * read, as the object does.
 */
export function withParts<Whole extends object>(whole: Whole, parts: Partial<Whole>): Whole {
  const kept = Object.getOwnPropertyDescriptors(whole) as PropertyDescriptorMap;
  const changed = Object.entries(parts).map(([name, value]) => {
    const { enumerable = typeof value !== 'function' } = kept[name] ?? {};
    return [name, { value, enumerable, configurable: true }] as const;
  });
  return Object.defineProperties({}, { ...kept, ...Object.fromEntries(changed) }) as Whole;
}
