import { basename, resolve } from 'node:path';
import { BackendError } from '../../../../ask/sluice-error.ts';
import { plural, quote, shellWord, showText } from '../../../../ask/text.ts';
import { sourceName } from '../../../file/source-copy.ts';

/** What a table is read for: events have times. */
export type TablePurpose = 'events' | 'rows';

/** A table or view of a database. */
export interface FoundTable {
  readonly name: string;
  readonly isView: boolean;
  /** Empty if it cannot be read. */
  readonly columns: readonly string[];
  /** Its first rows, as JSON has their values. */
  readonly sample: () => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** A database as it is at one moment. */
export interface OpenedDatabase {
  /** The tables and views that paths can name: tables first, by their names. */
  readonly tables: readonly FoundTable[];
  /** Writes the rows of a table or view to a file with the ending `copyEnding`. */
  readonly copy: (table: string, file: string) => Promise<void>;
  readonly copyEnding: '.ndjson' | '.parquet';
}

/** Whether a path can name a table: `..` and slashes at its ends mean other paths. */
export const isNameable = (name: string) => resolve('/', name) === `/${name}`;

/** Tables first, by their names. */
export function sortTables<T extends Pick<FoundTable, 'name' | 'isView'>>(tables: readonly T[]): readonly T[] {
  return tables.toSorted((one, other) => Number(one.isView) - Number(other.isView) || (one.name < other.name ? -1 : 1));
}

/** The number of rows that show what a table holds. */
export const sampleRows = 100;

/** Tables in which programs record the versions of a database. */
const ofMigrations = /(?:^|_)(?:migrations?|schema_versions?|db_version)$/i;

/**
 * The only table with rows that have times, or else the only view; for another purpose, the only table, or else the
 * only view. `chosen`: a sentence if the database has others. Error: `table-unclear`.
 */
export async function chooseTable(
  file: string,
  tables: readonly FoundTable[],
  purpose: TablePurpose,
): Promise<{ readonly table: string; readonly chosen: string | undefined }> {
  const readable = tables.filter(({ name, columns }) => columns.length > 0 && !ofMigrations.test(name));
  const fit = purpose === 'events' ? withTimes : async (some: readonly FoundTable[]) => ({ best: some, all: some });
  const own = await fit(readable.filter(({ isView }) => !isView));
  const fitting = own.all.length > 0 ? own : await fit(readable.filter(({ isView }) => isView));
  // Reading a single table that does not fit reports what it lacks.
  const [only, ...others] = fitting.all.length > 0 ? fitting.best : readable;
  if (!only || others.length > 0)
    throw unclear(file, fitting.all.length > 0 ? fitting.all : tables, fitting.all.length, purpose);
  const chosen =
    readable.length > 1 && purpose === 'events'
      ? `Of the tables of ${quote(basename(sourceName(file)))}, only ${quote(only.name)} is read, because it has times.`
      : undefined;
  return { table: only.name, chosen };
}

/**
 * All tables with a column of times, the likeliest first; `best`: those in which it has the name of a time, too, if
 * there are some.
 */
async function withTimes(
  tables: readonly FoundTable[],
): Promise<Readonly<Record<'best' | 'all', readonly FoundTable[]>>> {
  const { proposeMapping } = await import('../../../../plan/mapping/propose-mapping.ts');
  const { toShape } = await import('../../../../plan/mapping/to-shape.ts');
  const found: { readonly table: FoundTable; readonly isNamed: boolean }[] = [];
  for (const table of tables) {
    const rows = await table.sample();
    const { columns, missing } = proposeMapping(toShape('json', rows, table.columns));
    if (rows.length === 0 || missing.includes('time')) continue;
    const isNamed = columns.some(({ field, confidence }) => field === 'utcTime' && confidence !== 'guess');
    found.push({ table, isNamed });
  }
  const named = found.filter(({ isNamed }) => isNamed);
  const [likely, others] = [named, found.filter(({ isNamed }) => !isNamed)].map((some) =>
    some.map(({ table }) => table),
  ) as [FoundTable[], FoundTable[]];
  return { best: likely.length > 0 ? likely : others, all: [...likely, ...others] };
}

/** The name of a table as the database writes it. Error: `table-not-found`. */
export function demandTable(file: string, tables: readonly FoundTable[], asked: string): string {
  const found =
    tables.find(({ name }) => name === asked) ?? tables.find(({ name }) => name.toLowerCase() === asked.toLowerCase());
  if (found) return found.name;
  throw new BackendError(`${sourceName(file)} has no table ${quote(asked)}.${listOf(tables)}`, {
    code: 'table-not-found',
    hint: nameOne(file, tables),
  });
}

function unclear(file: string, tables: readonly FoundTable[], fitting: number, purpose: TablePurpose): BackendError {
  const some = fitting > 0 ? 'several tables' : 'no table';
  const ofTimes = purpose === 'events' ? ' whose rows have times' : '';
  const what = tables.length === 0 ? 'has no tables.' : `has ${some}${ofTimes}:${listOf(tables)}`;
  return new BackendError(`${sourceName(file)} ${what}`, { code: 'table-unclear', hint: nameOne(file, tables) });
}

const [mostTables, mostColumns] = [20, 12];

function listOf(tables: readonly FoundTable[]): string {
  const lines = tables.slice(0, mostTables).map(({ name, isView, columns }) => {
    const named = columns.length === 0 ? 'cannot be read' : columns.slice(0, mostColumns).map(showText).join(', ');
    return `\n  ${showText(name)}${isView ? ' (view)' : ''}: ${named}${columns.length > mostColumns ? ', …' : ''}`;
  });
  const more = tables.length - mostTables;
  return `${lines.join('')}${more > 0 ? `\n  and ${more} more ${plural(more, 'table')}` : ''}`;
}

function nameOne(file: string, tables: readonly FoundTable[]): string {
  const first = tables.find(({ columns }) => columns.length > 0);
  if (!first) return 'Name another file.';
  return `Name one, such as ${shellWord(showText(`${sourceName(file)}/${first.name}`))}. A view can join tables.`;
}
