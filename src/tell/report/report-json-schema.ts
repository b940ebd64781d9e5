import { errorKinds } from '../../ask/error-codes.ts';

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;
/** Numbers have all digits, even beyond a reader's precision. A decimal may be text. */
const value = { type: ['number', 'string', 'boolean', 'null'] } as const;

function object(required: Readonly<Record<string, object>>, optional: Readonly<Record<string, object>> = {}): object {
  return {
    type: 'object',
    required: Object.keys(required),
    properties: { ...required, ...optional },
    additionalProperties: false,
  };
}

const provenance = {
  type: 'object',
  required: [
    'queryHash',
    'query',
    'backend',
    'source',
    'range',
    'zone',
    'asOf',
    'rows',
    'filled',
    'filledCells',
    'partialBuckets',
    'truncated',
    'uncounted',
    'rejected',
    'freshness',
    'notes',
  ],
  properties: {
    queryHash: text,
    query: { type: 'object' },
    backend: text,
    source: text,
    zone: text,
    asOf: text,
    rows: { type: 'integer' },
    filled: { type: 'boolean' },
    filledCells: { type: 'integer' },
    partialBuckets: { type: 'integer' },
    truncated: { type: ['object', 'null'] },
    range: { anyOf: [{ type: 'null' }, object({ start: text, end: text })] },
    freshness: { type: ['string', 'null'] },
    notes: texts,
  },
} as const;

const result = object({
  columns: {
    type: 'array',
    items: { type: 'object', required: ['key', 'member', 'kind', 'type', 'title', 'shortTitle'] },
  },
  rows: { type: 'array', items: { type: 'object', additionalProperties: value } },
  marks: { type: 'object' },
  provenance,
});

const stat = object(
  { label: text, text, value },
  { gauge: { type: 'number' }, note: text, previous: object({ text, label: text, changePercent: text }) },
);
const part = {
  anyOf: [
    object({ kind: { const: 'table' }, result }, { title: text }),
    object(
      { kind: { const: 'chart' }, result, annotations: { type: 'array' } },
      { title: text, preference: { type: ['string', 'object'] } },
    ),
    object({ kind: { const: 'stats' }, result, stats: { type: 'array', items: stat } }, { title: text }),
  ],
} as const;

const check = object(
  { state: { enum: ['passed', 'failed', 'unknown', 'not-judged'] }, expectation: text, finding: text },
  { because: text, severity: { enum: ['stop', 'alert'] } },
);
const alert = object(
  {
    condition: text,
    state: { enum: ['raised', 'clear', 'unknown'] },
    text,
    value,
    finding: text,
  },
  { because: text },
);
const notice = object({
  about: text,
  state: { enum: ['raised', 'clear', 'late', 'failed'] },
  value,
});
const block = {
  anyOf: [
    object({
      kind: { const: 'prose' },
      markdown: text,
      figures: { type: 'array', items: object({ path: text, text, value }, { provenance }) },
    }),
    object(
      {
        kind: { const: 'cell' },
        cell: text,
        parts: { type: 'array', items: part },
        footnotes: texts,
        failures: texts,
      },
      {
        name: text,
        title: text,
        description: text,
        alerts: texts,
        stale: { type: 'boolean' },
        watched: { type: 'array', items: alert },
      },
    ),
    object({ kind: { const: 'checks' }, checks: { type: 'array', items: check } }, { title: text }),
    object(
      { kind: { const: 'failure' }, cell: text, code: text, errorKind: { enum: errorKinds }, message: text },
      {
        name: text,
        title: text,
        hint: text,
        place: object({ line: { type: 'integer' }, column: { type: 'integer' } }),
      },
    ),
  ],
} as const;

/** JSON Schema of the output of `writeReportJson`. A new version may change meanings, not only add keys. */
export const reportJsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A report of sluice, version 1',
  ...object(
    {
      sluice: { const: 'report' },
      version: { const: 1 },
      name: text,
      title: text,
      params: { type: 'array', items: object({ name: text, title: text, text }) },
      asOf: text,
      zone: text,
      status: { enum: ['good', 'failed-check', 'failed-cell'] },
      blocks: { type: 'array', items: block },
    },
    { description: text, subject: text, notice },
  ),
} as const;
