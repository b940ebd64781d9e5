import * as z from 'zod';
import { quote } from '../../ask/text.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { readZone } from '../../ask/time/zone.ts';
import { fieldCalled, fieldNames } from './field-name.ts';
import { decimalMarks, timeFormats, type TimeFormat } from './mapping.ts';
import { readJsonPath } from './json-path.ts';

const text = z.string().min(1);

const timezone = text
  .refine((name) => readZone(name).ok, { error: 'The time zone must be an IANA name, such as Europe/Berlin or UTC.' })
  .optional()
  .describe('Time zone of times that specify none, such as Europe/Berlin (default: UTC)');

const format = text
  .refine(isTimeFormat, {
    error: `A time format must be one of ${timeFormats.join(', ')}, or a pattern such as "%d/%m/%Y %H:%M".`,
  })
  .describe(`How times are written: ${timeFormats.join(', ')} or a pattern such as %d/%m/%Y %H:%M`);

function isTimeFormat(value: string): value is TimeFormat {
  return (timeFormats as readonly string[]).includes(value) || /%[a-zA-Z]/.test(value);
}

const reading = {
  values: z.record(z.string(), z.union([z.string(), z.null()])).optional(),
  format: format.optional(),
  timezone,
  localEpochs: z
    .boolean()
    .optional()
    .describe('Whether numbers since 1970 are times on the clocks of the time zone (default: false, UTC)'),
};

const path = text.refine((written) => readJsonPath(written) !== undefined, {
  error: 'A JSON path looks like $.context.page.path, $.items[0].id or $."a.b".c.',
});

const shortSource = text.refine((written) => !written.startsWith('$.') || readJsonPath(written) !== undefined, {
  error: 'A JSON path looks like $.context.page.path, $.items[0].id or $."a.b".c.',
});

const simpleSource = z.union([
  shortSource,
  z.strictObject({ column: text, ...reading }),
  z.strictObject({ path, ...reading }),
  z.strictObject({ sql: text, ...reading }),
  z.strictObject({ value: z.union([z.string(), z.number(), z.boolean(), z.null()]) }),
]);

/** The value of `columns`: the source of each event field. */
export const columnsSchema = z
  .record(text, z.union([simpleSource, z.array(simpleSource).min(1)]))
  .superRefine((columns, context) => {
    const seen = new Map<string, string>();
    for (const name of Object.keys(columns)) {
      const field = fieldCalled(name);
      if (!field) {
        const guess = didYouMean(name, fieldNames);
        context.addIssue({
          code: 'custom',
          message:
            `Events have no field ${quote(name)}.\n` +
            `${guess ?? `Other columns are kept as properties. The fields are ${fieldNames.join(', ')}.`}`,
          path: [name],
        });
        continue;
      }
      const other = seen.get(field.column);
      if (other !== undefined)
        context.addIssue({
          code: 'custom',
          message:
            `${quote(name)} and ${quote(other)} are the same field.\n` +
            'Keep one of them; a list names several columns.',
          path: [name],
        });
      seen.set(field.column, name);
    }
  })
  .describe('Where each field of an event comes from: a column, a JSON path ($.a.b), {sql: …} or {value: …}');

const mark = z.enum(decimalMarks);

export const decimalSchema = z
  .union([mark, z.record(text, mark)])
  .describe("Decimal mark of numbers in CSV files, ',' or '.', or a mark for each column (default: detected)");

/** The parts of a mapping, as keys of a source. */
export const mappingParts = {
  columns: columnsSchema.optional(),
  timezone,
  timeFormat: z
    .union([format, z.record(text, format)])
    .optional()
    .describe('How times are written, or how each column of times is, such as {due: day-first} (default: detected)'),
  decimal: decimalSchema.optional(),
};
