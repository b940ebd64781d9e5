import { toMarks } from './marks.ts';
import { markNames, type PlainResult } from './plain-result.ts';
import { type Result, toResult } from './result.ts';

/** A result of what `toJSON` made of one. Numbers that JSON cannot hold stay text, as they are there. */
export function fromPlainResult({ columns, rows, marks, provenance }: PlainResult): Result {
  const flags = Object.entries(marks).map(([key, marked]) => {
    const own = new Uint8Array(rows.length);
    for (const [name, flag] of markNames) for (const row of marked[name] ?? []) own[row] = (own[row] ?? 0) | flag;
    return [key, own] as const;
  });
  return toResult({
    columns,
    data: columns.map(({ key }) => rows.map((row) => row[key] ?? null)),
    marks: toMarks(new Map(flags)),
    provenance: { ...provenance, elapsedMs: 0 },
  });
}
