/** An object of JSON: no list, and no plain value. */
type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a text holds; undefined for any other text. */
export function readRecord(text: string, parse: (json: string) => unknown = JSON.parse): JsonRecord | undefined {
  try {
    const value = parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
