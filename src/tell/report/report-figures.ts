import { z } from 'zod';
import { granularities } from '../../ask/time/granularity.ts';
import { labelOf, type Value } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';
import type { Report } from './report.ts';

/** Large integers, decimals, NaN and infinities are text with all digits. */
const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const column = z.object({
  key: z.string(),
  label: z.string(),
  kind: z.enum(['dimension', 'time', 'measure', 'compare']),
  type: z.enum(['string', 'number', 'boolean', 'time']),
  granularity: z.enum(granularities).optional(),
  format: z.string().optional(),
});

/** The figures of a report, kept to be compared with a later run. */
export const reportFiguresSchema = z.object({
  sluice: z.literal('report-figures'),
  version: z.literal(1),
  asOf: z.iso.datetime({ offset: true }),
  zone: z.string(),
  params: z.array(z.object({ name: z.string(), text: z.string() })),
  cells: z.array(
    z.object({
      /** Its name, else its title, else its number. */
      name: z.string(),
      /** It failed, at least in part. */
      failed: z.boolean(),
      tables: z.array(z.object({ columns: z.array(column), rows: z.array(z.array(value)) })),
    }),
  ),
});

export type ReportFigures = Readonly<z.infer<typeof reportFiguresSchema>>;
export type FigureTable = ReportFigures['cells'][number]['tables'][number];
export type FigureColumn = Readonly<z.infer<typeof column>>;
export type FigureValue = Exclude<Value, bigint>;

export function toFigures({ asOf, zone, params, blocks }: Report): ReportFigures {
  const names = new Map<string, number>();
  const cells = blocks
    .filter((block) => block.kind === 'cell' || block.kind === 'failure')
    .map((block, index) => {
      const wanted = block.name ?? block.title ?? `cell ${index + 1}`;
      const times = (names.get(wanted) ?? 0) + 1;
      names.set(wanted, times);
      return {
        name: times === 1 ? wanted : `${wanted} (${times})`,
        failed: block.kind === 'failure' || block.failures.length > 0,
        tables: block.kind === 'failure' ? [] : toTables(block.parts.map(({ result }) => result)),
      };
    });
  return {
    sluice: 'report-figures',
    version: 1,
    asOf,
    zone,
    params: params.map(({ name, text }) => ({ name, text })),
    cells,
  };
}

/** A chart and a table of the same figures become one table. */
function toTables(results: readonly Result[]): FigureTable[] {
  const tables = [...new Set(results)].map((result) => ({
    columns: result.columns.map((one) => ({
      key: one.key,
      label: labelOf(one),
      kind: one.kind,
      type: one.type,
      granularity: one.granularity,
      format: one.format,
    })),
    rows: result.rows().map((row) => result.columns.map(({ key }) => toKept(row[key] ?? null))),
  }));
  return [...new Map(tables.map((table) => [JSON.stringify(table), table])).values()];
}

function toKept(one: Value): FigureValue {
  return typeof one === 'bigint' || (typeof one === 'number' && !Number.isFinite(one)) ? String(one) : one;
}
