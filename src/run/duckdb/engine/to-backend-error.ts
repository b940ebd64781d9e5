import { tmpdir } from 'node:os';
import type { SluiceErrorCode } from '../../../ask/error-codes.ts';
import { open, stat } from 'node:fs/promises';
import { BackendError, SluiceError } from '../../../ask/sluice-error.ts';
import { didYouMean } from '../../../ask/suggest.ts';
import { quote } from '../../../ask/text.ts';
import { ownEventsTable } from '../../../plan/events/events-table.ts';
import { sourceName } from '../../file/source-copy.ts';
import type { Engine } from './engine.ts';
import { quotePaths } from './sql-text.ts';

/** Facts about the session in which DuckDB failed. */
export interface Circumstances {
  /** The statement, for the cause. */
  readonly statement?: string | undefined;
  /** The data files of the session. */
  readonly files: readonly string[];
  /** The names of the configured tables, and whether there are events. */
  readonly tables: readonly string[];
  readonly hasEvents: boolean;
  /** The tables whose files are empty, so that their columns are unknown. */
  readonly unknownColumns?: readonly string[] | undefined;
  /** Finds the damaged one of several Parquet files if DuckDB does not name it. */
  readonly engine?: Engine | undefined;
}

/** Translates DuckDB's error: says what is wrong with which file, table or setting. The original is the cause. */
export async function toBackendError(error: unknown, circumstances: Circumstances): Promise<SluiceError> {
  if (error instanceof SluiceError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const cause =
    circumstances.statement === undefined
      ? error
      : new Error(`${text}\n\n${circumstances.statement}`, { cause: error });
  // The rest is the statement, which also names undamaged files.
  const [fault = text] = text.split('\n\nLINE ', 1);
  return (
    (await vanished(circumstances.files, cause)) ??
    refusedPattern(fault, cause) ??
    (await damagedParquet(fault, circumstances, cause)) ??
    damagedText(fault, circumstances.files, cause) ??
    missingTable(text, circumstances, cause) ??
    emptyTable(text, circumstances, cause) ??
    otherError(text, cause)
  );
}

async function vanished(files: readonly string[], cause: unknown): Promise<BackendError | undefined> {
  for (const file of files) {
    const missing = await stat(file).then(
      () => false,
      (problem: NodeJS.ErrnoException) => problem.code === 'ENOENT',
    );
    if (missing) return vanishedFile(file, cause);
  }
  return undefined;
}

/** Whether DuckDB refused a statement for lack of memory. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Memory');
}

export function vanishedFile(file: string, cause: unknown): BackendError {
  return new BackendError(`${sourceName(file)} disappeared while sluice was reading it.`, {
    code: 'file-vanished',
    cause,
    hint: 'Check whether it was moved or renamed, and try again.',
  });
}

/** RE2's words on a regular expression that it cannot compile. */
const ofPatterns = new RegExp(
  String.raw`^Invalid Input Error: ((?:missing [\])]|unexpected \)|trailing \\|bad (?:repetition|named)|` +
    'no argument for|invalid (?:escape|character class|repetition|perl operator|named capture)|' +
    String.raw`pattern too large|expression nested)[^\n]*)`,
);

function refusedPattern(text: string, cause: unknown): BackendError | undefined {
  const reason = ofPatterns.exec(text)?.[1];
  if (reason === undefined) return undefined;
  return new BackendError(`A regular expression is not valid: ${reason}.`, {
    code: 'sql-refused',
    cause,
    hint: 'Check the values of `matches`, and the `sql` of the queried members.',
  });
}

/** Parquet cannot be repaired by line. DuckDB names the file only sometimes. */
async function damagedParquet(
  text: string,
  { files, engine }: Circumstances,
  cause: unknown,
): Promise<BackendError | undefined> {
  if (!/^(Invalid|Invalid Input|IO|INTERNAL|Internal|Serialization|Out of Memory) Error/.test(text)) return undefined;
  const named = files.filter((path) => text.includes(path));
  const candidates = await filterInTurn(named.length > 0 ? named : files, isParquet);
  if (candidates.length === 0) return undefined;
  // A file of several hundred megabytes may need more memory than there is.
  const isPlain = !text.startsWith('Out of Memory') && (named.length > 0 || files.length === 1);
  const [file] =
    isPlain || !engine ? candidates : await filterInTurn(candidates, (path) => refusesParquet(engine, path));
  if (file === undefined || (!isPlain && !engine)) return undefined;
  if (text.includes('Invalid string encoding'))
    return new BackendError(`${sourceName(file)} has text that is not UTF-8.`, {
      code: 'file-corrupt',
      cause,
      hint: 'Write the text as UTF-8, or leave its column out.',
    });
  return new BackendError(`${sourceName(file)} is damaged: it cannot be read as Parquet.`, {
    code: 'file-corrupt',
    cause,
    hint: 'Export it again, or leave it out.',
  });
}

async function filterInTurn(
  paths: readonly string[],
  holds: (path: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) if (await holds(path)) found.push(path);
  return found;
}

async function isParquet(path: string): Promise<boolean> {
  try {
    await using file = await open(path);
    return (await file.read(Buffer.alloc(4), 0, 4, 0)).buffer.toString('latin1') === 'PAR1';
  } catch {
    return false;
  }
}

/** Whether DuckDB fails to read some row or column, unless it was interrupted. */
export function refusesParquet(engine: Engine, path: string): Promise<boolean> {
  return engine
    .rows(
      `SELECT max(hash(whole_row)) FROM read_parquet(${quotePaths([path])}, hive_partitioning = false) AS whole_row`,
    )
    .then(
      () => false,
      (error: unknown) => !/^(INTERRUPT|FATAL)/.test(String((error as Error).message)),
    );
}

/** The place at which DuckDB failed to read a CSV or JSON file. It does not always name the file. */
function damagedText(text: string, files: readonly string[], cause: unknown): BackendError | undefined {
  const file = files.find((path) => text.includes(path)) ?? (files.length === 1 ? files[0] : undefined);
  if (file === undefined || !text.startsWith('Invalid Input Error')) return undefined;
  const isCsv = text.includes('detect the CSV parsing dialect');
  const [, unit, number] = /(?:CSV Error on |\bin )(line|record)(?:\/value)?:? (\d+)/i.exec(text) ?? [];
  if (unit === undefined && !isCsv) return undefined;
  const place =
    unit === undefined
      ? sourceName(file)
      : unit === 'record'
        ? `${sourceName(file)}: record ${number}`
        : `${sourceName(file)}:${number}: this line`;
  const fault = isCsv
    ? 'its lines have different numbers of fields, or a quotation mark is not closed'
    : /^(?:Value with unterminated quote|Expected Number of Columns).*$|unexpected end of data/m.exec(text)?.[0];
  return new BackendError(
    `${place} cannot be read${fault === undefined ? '' : `: ${fault.trim().replace(/\.$/, '')}`}.`,
    {
      code: 'data-unreadable',
      cause,
      hint: 'Check that the file is complete. Correct it, or export it again.',
    },
  );
}

function missingTable(text: string, { tables, hasEvents }: Circumstances, cause: unknown): BackendError | undefined {
  const table = /Table with name (.+?) does not exist/.exec(text)?.[1];
  if (table === undefined) return undefined;
  if (table === 'events' && !hasEvents) {
    return new BackendError('No events are configured.', {
      code: 'events-not-found',
      cause,
      hint:
        "Specify event files with `--events 'events/*.ndjson.gz'`, or `events:` in the configuration. " +
        '`sluice sample` generates sample events.',
    });
  }
  if (table === ownEventsTable)
    return new BackendError('There is no table "events", which the model reads.', {
      code: 'table-not-found',
      cause,
      hint:
        "Load events into a store: `sluice ingest 'events/*.ndjson.gz'`, or specify files: " +
        '`tables: {events: events.parquet}`.',
    });
  const near = didYouMean(table, tables);
  return new BackendError(`There is no table ${quote(table)}.`, {
    code: 'table-not-found',
    cause,
    hint:
      (near === undefined ? '' : `${near} `) +
      `Specify its files in the setting \`tables:\`, such as \`tables: {${table}: ${table}.parquet}\`.`,
  });
}

/** A column that the SQL names, while the statement reads a table without any. */
function emptyTable(
  text: string,
  { statement = '', unknownColumns = [] }: Circumstances,
  cause: unknown,
): BackendError | undefined {
  const table = /^Binder Error: .*(?:does not have a column named|not found)/.test(text)
    ? unknownColumns.find((one) => statement.includes(one))
    : undefined;
  if (table === undefined) return undefined;
  return new BackendError(`The table ${quote(table)} has no rows, and its files do not name its columns.`, {
    code: 'sql-refused',
    cause,
    hint: 'Write it as CSV with a header, or as Parquet: they name the columns of a table without rows.',
  });
}

interface Refusal {
  readonly pattern: RegExp;
  readonly code: SluiceErrorCode;
  /** `$1` is what the pattern's first group matches. */
  readonly message: string;
  readonly hint: string;
  /** Whether the message ends with the engine's words. */
  readonly cites?: true;
}

const refusals: readonly Refusal[] = [
  {
    pattern: /^Out of Memory Error/,
    code: 'out-of-memory',
    message: 'The query exceeds the memory limit of the engine.',
    hint: 'Raise the limit (`memory: 8GB`, --memory), use a shorter range, or group by fewer members.',
  },
  {
    // In the words of the engine, or of the system where sluice writes for it.
    pattern: /No space left on device|File too large|Disk quota|ENOSPC|EDQUOT|EFBIG/i,
    code: 'disk-full',
    message: 'The disk is full, or has no free inodes. The engine cannot write temporary files.',
    hint: `Free space in the folder for temporary files (${tmpdir()}), or set \`TMPDIR\` to another folder.`,
  },
  {
    pattern: /Permission denied/,
    code: 'file-unreadable',
    message: 'A data file is not readable.',
    hint: 'Check its permissions.',
  },
  {
    pattern: /^Binder Error: No function matches .*'((?:sum|avg)\(VARCHAR\))'/,
    code: 'sql-refused',
    message: 'A measure adds up a column of text: $1.',
    hint: 'Convert it in the `sql` of the measure: `CAST({CUBE}.amount AS DECIMAL(18, 2))`.',
  },
  {
    pattern: /^Binder Error: (?:Values list|Table) ("[^]+?" does not have a column named "[^]+?")/,
    code: 'sql-refused',
    message: 'The SQL of the model does not fit its tables: $1.',
    hint: 'Correct the `sql` of the queried members, or the table.',
  },
  {
    pattern: /^Binder Error: Cannot compare values of type VARCHAR and type (?:\w*INT\w*|DECIMAL|DOUBLE|FLOAT)/,
    code: 'sql-refused',
    message: 'The SQL of the model compares text with numbers.',
    hint:
      'If the member is a number, convert it in its `sql`: `CAST({CUBE}.amount AS DECIMAL(18, 2))`. ' +
      'If it is text, declare `type: string`.',
  },
  {
    pattern: /^Conversion Error: Could not convert string ('[^]*?') to (?:\w*INT\w*|DECIMAL|DOUBLE|FLOAT)/,
    code: 'value-unreadable',
    message: 'The SQL of the model needs numbers, but $1 is text.',
    hint:
      'If a join compares text with numbers, cast the number to text in its `sql`: ' +
      '`{CUBE}.user_id = CAST({users}.id AS VARCHAR)`. To read other text as missing, use TRY_CAST. ' +
      '`--explain` prints the statement.',
  },
  {
    pattern: /^(Binder|Parser|Catalog) Error/,
    code: 'sql-refused',
    message: 'The SQL of the model does not fit its tables.',
    hint: 'Check the `sql` of the queried members; `--explain` prints the statement.',
    cites: true,
  },
  {
    pattern: /cast \((?:\w*INT(?:EGER)?|DOUBLE|FLOAT|DECIMAL[^>]*) -> TIMESTAMP/,
    code: 'value-unreadable',
    message: 'A dimension of type `time` has numbers.',
    hint:
      'Convert them in its `sql`: `to_timestamp({CUBE}.created)` for seconds since 1970, ' +
      '`to_timestamp({CUBE}.created / 1000)` for milliseconds.',
    cites: true,
  },
  {
    pattern:
      /^Conversion Error: (?:invalid timestamp|timestamp|invalid date|date) field (?:format|value out of range): ("[^]*?")(?:,| when|$)/,
    code: 'value-unreadable',
    message: 'A dimension of type `time` has the text $1.',
    hint: "Convert it in its `sql`: `strptime({CUBE}.created, '%d.%m.%Y')`, or with %H:%M for the time.",
  },
  {
    pattern: /^(Conversion|Out of Range) Error|Could not convert/,
    code: 'value-unreadable',
    message: 'A value in the data has the wrong type.',
    hint: 'Check the types of the queried members; `--explain` prints the statement.',
    cites: true,
  },
  {
    pattern: /^Invalid Input Error|^IO Error/,
    code: 'data-unreadable',
    message: 'The data cannot be read.',
    hint: 'Check that the files are complete, and that their format matches their names.',
  },
];

function otherError(text: string, cause: unknown): BackendError {
  const refusal = refusals.find(({ pattern }) => pattern.test(text));
  if (!refusal)
    return new BackendError('The embedded engine failed.', {
      code: 'engine-refused',
      cause,
      hint: 'See the cause for details; `--explain` prints the statement.',
    });
  const { pattern, code, message, hint, cites } = refusal;
  const [, group = ''] = pattern.exec(text) ?? [];
  const said = message.replace('$1', () => group);
  return new BackendError(cites ? `${said} ${firstLine(text)}` : said, { code, cause, hint });
}

/** The message without the kind of error and the statement. */
function firstLine(text: string): string {
  const line = text
    .split('\n', 1)[0]!
    .replace(/^[A-Z][A-Za-z ]*Error: /, '')
    .trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
