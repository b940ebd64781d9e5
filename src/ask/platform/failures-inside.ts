import type { Operation } from './operation.ts';

/** What failed within a body that says success: a sentence each. */
export function failuresInside({ failures = [] }: Operation, body: unknown): readonly string[] {
  if (Array.isArray(body)) return body.flatMap((item) => failuresInside({ failures } as Operation, item));
  if (!isRecord(body)) return [];
  return failures
    .filter(({ field, values }) => values.includes(String(body[field])))
    .flatMap(({ field, values, names, parts }) => {
      const found = reasonsOf(body[names], parts);
      // A list of what failed may be empty; a status that only means failure still is one.
      return found.length === 0 && values.length === 1 && body[names] !== undefined
        ? [`${field}: ${String(body[field])}`]
        : found;
    });
}

function reasonsOf(value: unknown, parts: readonly string[] = []): readonly string[] {
  if (value === null || value === undefined || value === '') return [];
  if (Array.isArray(value))
    return value.map((item) =>
      isRecord(item)
        ? parts
            .map((part) => item[part])
            .filter((part) => part !== null && part !== undefined && part !== '')
            .join(' ')
        : String(item),
    );
  if (isRecord(value)) return Object.entries(value).map(([subject, reason]) => `${subject}: ${String(reason)}`);
  return [String(value)];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
