import type { Column, Value } from '../../src/plan/column.ts';
import { toMarks } from '../../src/shape/result/marks.ts';
import type { Provenance } from '../../src/shape/result/provenance.ts';
import { type Result, toResult } from '../../src/shape/result/result.ts';

export const emptyProvenance: Provenance = {
  queryHash: 'a1b2c3',
  query: { measures: ['TrackedEvents.count'] },
  backend: 'embedded',
  source: 'events.ndjson',
  range: null,
  zone: 'UTC',
  asOf: '2024-03-10T12:00:00.000Z',
  rows: 0,
  filled: false,
  filledCells: 0,
  partialBuckets: 0,
  truncated: null,
  uncounted: [],
  rejected: { count: 0, examples: [] },
  freshness: null,
  notes: [],
  elapsedMs: 12,
};

export function textColumn(name: string, shortTitle = name): Column {
  return column(name, shortTitle, { kind: 'dimension', type: 'string' });
}

export function numberColumn(name: string, shortTitle = name, more: Partial<Column> = {}): Column {
  return column(name, shortTitle, { kind: 'measure', type: 'number', additive: true, ...more });
}

export function dayColumn(name: string, shortTitle = name): Column {
  return {
    ...column(name, shortTitle, { kind: 'time', type: 'time', granularity: 'day' }),
    key: `TrackedEvents.${name}.day`,
  };
}

function column(name: string, shortTitle: string, more: Partial<Column>): Column {
  const member = `TrackedEvents.${name}`;
  return {
    key: member,
    member,
    kind: 'dimension',
    type: 'string',
    title: `Tracked Events ${shortTitle}`,
    shortTitle,
    additive: false,
    whenAbsent: null,
    ...more,
  };
}

/** Columns with their values. */
export function exampleResult(
  parts: readonly (readonly [Column, readonly Value[] | Float64Array])[],
  more: {
    readonly provenance?: Partial<Provenance>;
    readonly marks?: Readonly<Record<string, readonly number[]>>;
    readonly types?: Result['types'];
  } = {},
): Result {
  const rows = parts[0]?.[1].length ?? 0;
  return toResult({
    columns: parts.map(([one]) => one),
    data: parts.map(([, values]) => values),
    marks: toMarks(new Map(Object.entries(more.marks ?? {}).map(([key, flags]) => [key, Uint8Array.from(flags)]))),
    provenance: { ...emptyProvenance, rows, ...more.provenance },
    types: more.types,
  });
}

/** Hostile page titles. */
export const hostileTexts = [
  '\u001b[31mred\u001b[0m \u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007',
  'a\tb\nc\r\nd\u0000e\u007ff\u0085g\u009b2Jh',
  '\u202eevil\u202c \u2066isolated\u2069 \u200bzero\ufeffwidth\u00ad',
  '=HYPERLINK("https://evil.example","Free")',
  '<script>alert(1)</script> | `code` *bold* [link](https://evil.example) @all #1',
  '\u0301leading mark, lone \ud800 surrogate, Z\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307algo',
];
