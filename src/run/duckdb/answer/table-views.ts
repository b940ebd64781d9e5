import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BackendError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { tablePath } from '../../../plan/model/identifier.ts';
import { type Compression, findDamage, readBytes } from '../../file/read-bytes.ts';
import { sourceName } from '../../file/source-copy.ts';
import { describeFault, readTranscodingFault } from '../../file/transcoding-fault.ts';
import type { Engine } from '../engine/engine.ts';
import { jsonCompression, quoteName, quotePaths, quoteText, quoteTexts } from '../engine/sql-text.ts';
import { toBackendError } from '../engine/to-backend-error.ts';
import { type Download, findFiles } from '../reading/find-files.ts';
import { rowShapeOf } from '../reading/formats/csv-head.ts';
import { isPlainCsv } from '../reading/source/inspect-csv.ts';
import { judgeCsv } from '../reading/source/judge-record.ts';
import { folderColumns } from '../reading/source/describe-parquet.ts';
import { type ReadableFile, readableFiles } from '../reading/source/readable-files.ts';
import { csvNulls, splitCsv, splitFields } from '../reading/text/split-csv.ts';
import { damagedFile, encodingHint, extendedLog } from '../reading/formats/unfit-file.ts';

/** The files of a model's tables, by table name; `schema.table` is in a schema. */
export type TableFiles = Readonly<Record<string, string | readonly string[]>>;

/** The files of each table. Error: `table-files-not-found`. */
export async function findTables(
  tables: TableFiles,
  workingDirectory: string,
  download?: Download,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const [table, patterns] of Object.entries(tables)) {
    found.set(
      table,
      await findFiles(
        [patterns].flat(),
        workingDirectory,
        {
          code: 'table-files-not-found',
          what: `files of the table ${quote(table)}`,
          hint: 'Correct the setting `tables:`.',
        },
        download,
      ),
    );
  }
  return found;
}

/**
 * Creates a view of each table over its files, in any mix of formats; columns are matched by name. Types are inferred
 * from whole files; for CSV see `csvTypes`. Text in another encoding is read from a copy. Returns the
 * tables whose columns are unknown, because their files are empty. Errors: `file-corrupt`, `table-damaged`, and those
 * of
 * `sniffFormat` and DuckDB.
 */
export async function openTables(
  engine: Engine,
  tables: ReadonlyMap<string, readonly string[]>,
  encoding?: string,
): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (const [table, files] of tables) {
    const selects: string[] = [];
    for (const group of byFormat(await readableFiles(engine, files, { encoding })))
      selects.push(await selectOf(engine, group).catch(named(engine, group)));
    const path = tablePath(table) ?? table.split('.');
    if (path.length > 1) await engine.rows(`CREATE SCHEMA IF NOT EXISTS ${path.slice(0, -1).map(quoteName).join('.')}`);
    await engine.rows(`CREATE VIEW ${path.map(quoteName).join('.')} AS ${selects.join(' UNION ALL BY NAME ')}`);
    if (selects.every((select) => select === noColumns)) unknown.push(table);
  }
  return unknown;
}

const noColumns = 'SELECT NULL WHERE false';

function named(engine: Engine, group: readonly ReadableFile[]): (error: unknown) => Promise<never> {
  return async (error) => {
    throw await toBackendError(error, { files: group.map(({ path }) => path), tables: [], hasEvents: false, engine });
  };
}

function byFormat(files: readonly ReadableFile[]): readonly (readonly ReadableFile[])[] {
  const kind = (file: ReadableFile) => JSON.stringify({ ...file, path: '' });
  return [...Map.groupBy(files, kind).values()];
}

async function selectOf(engine: Engine, group: readonly ReadableFile[]): Promise<string> {
  const paths = quotePaths(group.map((file) => file.path));
  const file = group[0]!;
  switch (file.format) {
    case 'parquet':
      return selectParquet(engine, group, paths);
    case 'csv':
      if (file.style === 'w3c') throw extendedLog(file.path);
      for (const { path } of group) await demandWholeRows(engine, { ...file, path });
      if (file.encoding !== undefined || isUnusual(file)) return selectCopies(engine, group);
      return typedCsv(engine, paths, file);
    case 'empty':
      return noColumns;
    default:
      if (file.encoding !== undefined) return selectCopies(engine, group);
      return typed(
        engine,
        group,
        file.compression,
        `read_json(${paths}, format = '${file.format === 'ndjson' ? 'newline_delimited' : 'array'}',
          compression = '${jsonCompression(file.compression)}', hive_partitioning = false,
          union_by_name = true, dateformat = '%Y-%m-%d'`,
      );
  }
}

/**
 * Folders such as `day=2024-03-08` are columns, as those that write such folders leave these columns out of the files.
 * A column in the files goes first: a folder above them may be called so by chance.
 */
async function selectParquet(engine: Engine, group: readonly ReadableFile[], paths: string): Promise<string> {
  const reader = (partitioned: boolean) =>
    `SELECT * FROM read_parquet(${paths}, hive_partitioning = ${partitioned}${group.length > 1 ? ', union_by_name = true' : ''})`;
  const [names = [], ...others] = group.map(({ path }) => folderColumns(path));
  if (names.length === 0 || others.some((each) => each.join('/') !== names.join('/'))) return reader(false);
  const columns = await engine.rows(`DESCRIBE ${reader(false)}`);
  const has = new Set(columns.map(([name]) => String(name).toLowerCase()));
  return reader(!names.some((name) => has.has(name.toLowerCase())));
}

function isUnusual({ escapes, padded, dump }: CsvFile): boolean {
  return escapes === true || padded === true || dump !== undefined;
}

/** Report errors in a copy for the original file. */
async function selectCopies(engine: Engine, group: readonly ReadableFile[]): Promise<string> {
  const copies = await copyPlain(engine, group);
  return selectOf(engine, copies).catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    const named = copies.reduce((message, { path }, index) => message.replaceAll(path, group[index]!.path), text);
    throw new Error(named, { cause: error });
  });
}

/**
 * Copies of text files in the engine's folder: in UTF-8, with doubled quotation marks, without padding. Throws
 * `table-damaged` for bytes that are invalid in their encoding.
 */
async function copyPlain(engine: Engine, group: readonly ReadableFile[]): Promise<readonly ReadableFile[]> {
  const copies: ReadableFile[] = [];
  for (const file of group) {
    if (!('encoding' in file)) continue;
    const { path, compression, encoding } = file;
    await demandWhole(engine, path, compression);
    const copy = join(engine.folder, `table-${engine.nextNumber()}`);
    const text = async function* () {
      for await (const piece of readBytes(path, compression, { encoding, signal: engine.closed })) {
        const fault = readTranscodingFault(piece);
        if (fault) throw damagedRow(path, fault.line, describeFault(fault));
        yield piece;
      }
    };
    const plain = { path: copy, compression: 'none', encoding: undefined } as const;
    const unusual = file.format === 'csv' && isUnusual(file) ? file : undefined;
    await pipeline(unusual ? writeUsual(text(), unusual) : text(), createWriteStream(copy));
    copies.push(
      unusual
        ? { ...unusual, ...plain, escapes: undefined, padded: undefined, dump: undefined }
        : { ...file, ...plain },
    );
  }
  return copies;
}

/** The same rows with doubled quotation marks instead of backslashes before them, and without spaces around cells. */
async function* writeUsual(pieces: AsyncIterable<Buffer>, file: CsvFile): AsyncGenerator<string> {
  let rows: string[] = [];
  const splitter = splitCsv(rowShapeOf(file))(({ bytes }) => {
    const cells = splitFields(bytes?.toString() ?? '', file);
    rows.push(cells.map((cell) => (cell === '' ? '' : `"${cell.replaceAll('"', '""')}"`)).join(file.delimiter));
  });
  const taken = () => {
    const text = rows.map((row) => `${row}\n`).join('');
    rows = [];
    return text;
  };
  for await (const piece of pieces) {
    splitter.push(piece);
    yield taken();
  }
  splitter.end();
  yield taken();
}

/** Infer the types once over all rows; a view would infer them again for every statement. */
async function typed(
  engine: Engine,
  group: readonly ReadableFile[],
  compression: Compression,
  reader: string,
): Promise<string> {
  const describing = engine.rows(`DESCRIBE SELECT * FROM ${reader}, sample_size = -1)`);
  describing.catch(() => undefined);
  // DuckDB accepts a truncated compressed file, and blames the incomplete last line.
  for (const { path } of group) await demandWhole(engine, path, compression);
  const found = (await describing).map(([name, type]) => ({ name: quoteName(String(name)), type: String(type) }));
  // DuckDB gives a file without objects this column.
  const isBare = found.length === 1 && found[0]!.name === '"json"' && found[0]!.type === 'JSON';
  if (isBare && (await engine.rows(`SELECT 1 FROM ${reader}) LIMIT 1`)).length === 0) return noColumns;
  // DuckDB would drop the offset of a TIMESTAMP.
  const columns = found.map(({ name, type }) => `${name}: ${quoteText(type.replace(/\bTIMESTAMP\b/g, 'TIMESTAMPTZ'))}`);
  const times = found.flatMap(({ name, type }) =>
    type === 'TIMESTAMP' ? `CAST(${name} AS TIMESTAMP) AS ${name}` : [],
  );
  const all = times.length === 0 ? '*' : `* REPLACE (${times.join(', ')})`;
  return `SELECT ${all} FROM ${reader.replace(', union_by_name = true', '')}, columns = {${columns.join(', ')}})`;
}

async function demandWhole(engine: Engine, path: string, compression: Compression): Promise<void> {
  const damage = await findDamage(path, compression, { signal: engine.closed });
  if (damage)
    throw damagedFile(path, damage, damage.complete ? undefined : `after line ${await countLines(path, compression)}`);
}

/** The complete lines before the damage. */
async function countLines(path: string, compression: Compression): Promise<number> {
  let lines = 0;
  try {
    for await (const piece of readBytes(path, compression)) {
      for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines += 1;
    }
  } catch {
    // The damage found before.
  }
  return lines;
}

type CsvFile = Extract<ReadableFile, { readonly format: 'csv' }>;

/**
 * The types of a CSV table's columns: the first type that fits all values, otherwise text. Only unambiguous values are
 * numbers or times: `1e5`, `007` and `01/02/2024` are text.
 */
const csvTypes: readonly (readonly [type: string, pattern: string])[] = [
  ['BIGINT', '-?(0|[1-9][0-9]{0,17})'],
  ['DOUBLE', '-?(0|[1-9][0-9]{0,14})([.][0-9]{1,15})?'],
  ['BOOLEAN', 'true|false|True|False|TRUE|FALSE'],
  ['DATE', '[0-9]{4}-[0-9]{2}-[0-9]{2}'],
  ['TIME', '[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?'],
  ['TIMESTAMP', '[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?'],
  [
    'TIMESTAMPTZ',
    '[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)',
  ],
];

async function typedCsv(
  engine: Engine,
  paths: string,
  { delimiter, compression, header, before = 0 }: CsvFile,
): Promise<string> {
  const reader = (
    typeOf: (index: number) => string,
  ) => `read_csv(${paths}, auto_detect = false, header = true, skip = ${before}, quote = '"', escape = '"', nullstr = ${quoteTexts(csvNulls)}, delim = ${quoteText(delimiter)},
    columns = {${header.map((name, index) => `${quoteName(name)}: ${quoteText(typeOf(index))}`).join(', ')}}, compression = '${compression}', hive_partitioning = false)`;
  // A column without values is text.
  const fits = header.map((name) => {
    const column = quoteName(name);
    const types = csvTypes.map(
      ([type, pattern]) =>
        `WHEN bool_and(regexp_full_match(${column}, ${quoteText(pattern)})
          AND TRY_CAST(${column} AS ${type}) IS NOT NULL)
          FILTER (WHERE ${column} IS NOT NULL) THEN ${quoteText(type)}`,
    );
    return `CASE ${types.join(' ')} ELSE 'VARCHAR' END`;
  });
  const [found = []] = await engine.rows(`SELECT ${fits.join(', ')} FROM ${reader(() => 'VARCHAR')}`);
  return `SELECT * FROM ${reader((index) => String(found[index]))}`;
}

/** Throws `table-damaged`, naming the first line that is not a row. */
async function demandWholeRows(engine: Engine, file: CsvFile): Promise<void> {
  const { path, header, compression, encoding } = file;
  if (await isPlainCsv(file, path, engine.closed)) return;
  const judge = judgeCsv(header, file);
  let isHeader = true;
  const splitter = splitCsv(rowShapeOf(file))((record) => {
    const judgement = isHeader ? undefined : judge(record);
    isHeader = false;
    if (judgement?.kind === 'broken') throw damagedRow(path, record.line, judgement.reason);
  });
  try {
    for await (const piece of readBytes(path, compression, { encoding })) splitter.push(piece);
  } catch (error) {
    if (!(error instanceof BackendError)) await demandWhole(engine, path, compression);
    throw error;
  }
  splitter.end();
}

function damagedRow(path: string, line: number, reason: string): BackendError {
  return new BackendError(`${sourceName(path)}:${line}: ${reason}.`, {
    code: 'table-damaged',
    hint: encodingHint([{ reason }]) ?? 'Correct the line, or export the table again.',
  });
}
