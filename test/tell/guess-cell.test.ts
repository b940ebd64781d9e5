import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guessCell } from '../../src/tell/notebook/guess-cell.ts';
import { cellKinds } from '../../src/tell/notebook/cell-kinds.ts';
import { readCell } from '../../src/tell/notebook/read-cell.ts';

const none = new Map();

/** Keys that are valid, nearly valid, or meaningless. */
const key = fc.constantFrom(
  'query',
  'qeury',
  'from',
  'range',
  'rnge',
  'limit',
  'filters',
  'measures',
  'mesures',
  'member',
  'operator',
  'values',
  'expect',
  'figure',
  'atLeast',
  'funnel',
  'marks',
  'date',
  'title',
  'titel',
  'x',
  '__proto__',
  'constructor',
);
const { data } = fc.letrec<{ data: unknown }>((tie) => ({
  data: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('a', 'A.b', '2024-03-08', '{{ x }}', 5, true, null),
    fc.array(tie('data'), { maxLength: 3 }),
    fc
      .uniqueArray(fc.tuple(key, tie('data')), { maxLength: 4, selector: ([name]) => name })
      .map((entries) => Object.fromEntries(entries)),
  ),
}));

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (part, step) =>
      part !== null && typeof part === 'object' && Object.hasOwn(part, step)
        ? (part as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );
}

function pathsIn(value: unknown, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (value === null || typeof value !== 'object') return [path];
  return [
    path,
    ...Object.entries(value).flatMap(([name, part]) =>
      pathsIn(part, [...path, Array.isArray(value) ? Number(name) : name]),
    ),
  ];
}

describe('guessing a cell with mistakes', () => {
  it('gives a valid cell or none, whatever it contains', () => {
    fc.assert(
      fc.property(fc.constantFrom(...cellKinds), data, (kind, written) => {
        const before = structuredClone(written);
        const guessed = guessCell(kind, written, none);
        expect(written).toEqual(before);
        if (!guessed) return;
        const { cell: _, ...content } = guessed.content;
        expect(readCell(kind, content, none)).toMatchObject({ ok: true });
        if (readCell(kind, written, none).ok)
          expect(guessed).toMatchObject({ content: { cell: kind, ...content }, isCertain: true, issues: [] });
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps the positions of its parts', () => {
    const parts = fc.record(
      {
        qeury: fc.record(
          { mesures: fc.constant(['A.b']), limt: fc.integer({ min: 1, max: 9 }), zzz: fc.constant(1) },
          { requiredKeys: ['mesures'] },
        ),
        rnge: fc.constant('today'),
        titel: fc.string(),
        zzz: fc.constant(1),
      },
      { requiredKeys: ['qeury'] },
    );
    fc.assert(
      fc.property(parts, (written) => {
        const guessed = guessCell('query', written, none);
        expect(guessed?.isCertain).toBe(true);
        const { cell: _, ...content } = guessed!.content;
        for (const path of pathsIn(content).filter((path) => typeof valueAt(content, path) !== 'object'))
          expect(valueAt(written, guessed!.toWritten(path))).toBe(valueAt(content, path));
      }),
    );
  });
});
