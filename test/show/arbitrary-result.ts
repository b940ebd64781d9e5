import fc from 'fast-check';
import type { Column, Value } from '../../src/plan/column.ts';
import type { Result } from '../../src/shape/result/result.ts';
import { dayColumn, exampleResult, hostileTexts, numberColumn, textColumn } from './example-result.ts';

const awkward = [
  '',
  'null',
  '-',
  '-1',
  '+1.5',
  '=1+1',
  "'",
  '"',
  '""',
  '\\',
  '\t',
  '\n',
  '\r\n',
  ',',
  '|',
  '価格',
  '👩‍👩‍👧‍👦',
  '🇩🇪',
  'क्षि',
  'ൎ',
  '\u0600',
  'مرحبا',
  '\u0301',
];

/** Any text, often one that has broken a writer before. */
export const anyText = fc.oneof(
  fc.constantFrom(...awkward, ...hostileTexts),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.array(fc.constantFrom(...awkward), { maxLength: 5 }).map((parts) => parts.join('')),
);

const decimalText = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(999))
  .map(([whole, part]) => `${whole}.${String(part).padStart(3, '0')}`);
const anyNumber = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt(),
  decimalText,
  fc.constant(null),
);
const anyDay = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  .map((date) => `${date.toISOString().slice(0, 10)}T00:00:00.000`);

const anyColumn = fc.oneof(
  fc.record({ make: fc.constant(textColumn), value: fc.constant(fc.option(anyText) as fc.Arbitrary<Value>) }),
  fc.record({ make: fc.constant(numberColumn), value: fc.constant(anyNumber as fc.Arbitrary<Value>) }),
  fc.record({ make: fc.constant(dayColumn), value: fc.constant(fc.option(anyDay) as fc.Arbitrary<Value>) }),
);

/** Results of up to six columns and eight rows with any values, marks and notes. */
export const anyResult: fc.Arbitrary<Result> = fc
  .record({
    columns: fc.array(fc.tuple(anyColumn, anyText), { minLength: 1, maxLength: 6 }),
    rowCount: fc.nat(8),
    note: fc.option(anyText),
  })
  .chain(({ columns, rowCount, note }) => {
    const heads: readonly Column[] = columns.map(([{ make }, title], index) => make(`c${index}`, title));
    const flags = fc.array(fc.nat(15), { minLength: rowCount, maxLength: rowCount });
    return fc
      .record({
        data: fc.tuple(...columns.map(([{ value }]) => fc.array(value, { minLength: rowCount, maxLength: rowCount }))),
        marks: fc.tuple(...columns.map(() => fc.option(flags))),
        truncated: fc.option(fc.record({ limit: fc.nat(100) })),
      })
      .map(({ data, marks, truncated }) =>
        exampleResult(
          heads.map((head, index) => [head, data[index] ?? []] as const),
          {
            marks: Object.fromEntries(heads.flatMap((head, index) => (marks[index] ? [[head.key, marks[index]]] : []))),
            provenance: {
              truncated,
              notes: note === null ? [] : [note],
              uncounted: note === null ? [] : [{ what: note, rows: 3 }],
              rejected:
                note === null
                  ? { count: 0, examples: [] }
                  : { count: 1, examples: [{ file: note, line: 1, reason: note }] },
            },
          },
        ),
      );
  });
