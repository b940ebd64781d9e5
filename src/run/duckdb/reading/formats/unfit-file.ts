import { BackendError } from '../../../../ask/sluice-error.ts';
import { quote, shellWord, showText } from '../../../../ask/text.ts';
import type { Compression } from '../../../file/read-bytes.ts';
import { sourceName } from '../../../file/source-copy.ts';
import { databaseKind, databaseNames } from './database-kind.ts';

// Errors for files that sluice cannot read as they are, with hints on converting them.

export function notParquet(path: string): BackendError {
  return new BackendError(`${sourceName(path)} is not a Parquet file.`, {
    code: 'not-parquet',
    hint: 'Export it again. If it is text, rename it to .ndjson, .json or .csv.',
  });
}

/** The reason of rejected lines that are not UTF-8 starts with this. */
export const notUtf8Reason = 'not valid UTF-8';

/** Hint for lines rejected for their encoding; undefined if there are none. */
export function encodingHint(examples: readonly { readonly reason: string }[]): string | undefined {
  if (!examples.some(({ reason }) => reason.startsWith(notUtf8Reason))) return undefined;
  return 'Specify the encoding of the file: `--encoding windows-1252`, or `encoding: windows-1252` in sluice.yaml';
}

/** Hint for a file whose column names are not UTF-8; undefined if they are. */
export function namesHint(names: readonly string[]): string | undefined {
  if (!names.some((name) => name.includes('\ufffd'))) return undefined;
  return `The file is ${notUtf8Reason}. ${encodingHint([{ reason: notUtf8Reason }])!}.`;
}

export function notUtf8(path: string, encoding: string): BackendError {
  return new BackendError(`${sourceName(path)} is encoded in ${encoding}, which sluice cannot read.`, {
    code: 'not-utf-8',
    hint: `Convert it: iconv -f ${encoding} -t UTF-8 OLD > NEW`,
  });
}

/** `place`: for example `after line 12`. */
export function damagedFile(path: string, cause: Error, place?: string): BackendError {
  return new BackendError(
    `${sourceName(path)} cannot be read${place === undefined ? '' : ` ${place}`}: ${cause.message}.`,
    {
      code: 'file-corrupt',
      cause,
      hint: 'Export it again, or leave it out.',
    },
  );
}

export function columnNamedTwice(path: string, one: string, other: string): BackendError {
  const names =
    one === other
      ? `called ${quote(one)}`
      : `called ${quote(one)} and ${quote(other)}, which differ only in letter case`;
  return new BackendError(`${sourceName(path)} has two columns ${names}.`, {
    code: 'column-named-twice',
    hint: 'Rename one of them in the first line.',
  });
}

/** `names`: suggested column names. */
export function withoutHeader(path: string, names: readonly string[], delimiter: string): BackendError {
  const source = sourceName(path);
  const file = source === 'stdin' ? '-' : shellWord(showText(source));
  const tab = delimiter === '\t';
  const line = names.join(tab ? '\\t' : delimiter);
  return new BackendError(`${source} does not begin with column names: its first line is an event.`, {
    code: 'header-missing',
    hint:
      'Write a first line with the names of the columns: ' +
      `\`(printf '${line}\\n'; cat ${file}) > named${tab ? '.tsv' : '.csv'}\`.`,
  });
}

export function withoutLineFeeds(path: string): BackendError {
  const source = sourceName(path);
  const file = source === 'stdin' ? '' : ` < ${shellWord(showText(source))}`;
  return new BackendError(`The lines of ${source} end with carriage returns alone.`, {
    code: 'line-ends',
    hint: `Turn them into line feeds: \`tr '\\r' '\\n'${file} > lines.csv\`.`,
  });
}

export function notARegularFile(path: string): BackendError {
  return new BackendError(`${sourceName(path)} is not a regular file. sluice reads data more than once.`, {
    code: 'not-a-regular-file',
    hint: 'Write it to a file first (… > events.ndjson), and use that file.',
  });
}

const stores: Readonly<Record<string, readonly [name: string, download: string]>> = {
  s3: ['Amazon S3', 'aws s3 cp'],
  gs: ['Google Cloud Storage', 'gcloud storage cp'],
  gcs: ['Google Cloud Storage', 'gcloud storage cp'],
  az: ['Azure Blob Storage', 'az storage blob download'],
  azure: ['Azure Blob Storage', 'az storage blob download'],
  abfs: ['Azure Data Lake', 'az storage fs file download'],
  abfss: ['Azure Data Lake', 'az storage fs file download'],
};

/** Throws `remote-source` for an address, because sluice only reads local files. */
export function refuseAddress(source: string): void {
  const scheme = /^([a-z][a-z\d+.-]+):\/\//i.exec(source)?.[1]?.toLowerCase();
  if (scheme === undefined) return;
  const address = showText(source.replace(/\/\/[^/@]*@/, '//').replace(/[?#].*/s, ''));
  const [store, download] = stores[scheme] ?? ['another machine', 'curl -LO'];
  throw new BackendError(`${address} is on ${store}. sluice only reads local files.`, {
    code: 'remote-source',
    hint: `Download it (\`${download}\`), or mount it (rclone mount), and use the local file.`,
  });
}

/** The error for a log whose times have no year. */
export function withoutYears(path: string): BackendError {
  return new BackendError(`${sourceName(path)} is a log of syslog (RFC 3164), whose times have no year.`, {
    code: 'file-without-events',
    hint: 'Use times with a year: `journalctl -o json`, or `RSYSLOG_FileFormat` of rsyslog.',
  });
}

/** The error for a log of CloudFront or IIS that is used as a table. */
export function extendedLog(path: string): BackendError {
  const source = sourceName(path);
  const file = source === 'stdin' ? 'FILE' : shellWord(showText(source));
  return new BackendError(`${source} is a log in the W3C extended format, which is no table.`, {
    code: 'log-extended',
    hint:
      'Ask it as `events:`, or turn it into a table (unpacked): ' +
      `\`awk '/^#Fields: /{if(!n++){sub("#Fields: ","");print};next} !/^#/' ${file} | tr ' ' '\\t' > log.tsv\`.`,
  });
}

/** The error for a file that only its name or its first bytes make a SQLite database. */
export function notADatabase(file: string, cause?: unknown): BackendError {
  return new BackendError(`${sourceName(file)} is not a SQLite database, or it is encrypted.`, {
    code: 'file-corrupt',
    cause,
    hint: 'Export the table of its events as CSV with its own program, and read that.',
  });
}

/** The error for a database that changes in each attempt to read it. */
export function changedDatabase(file: string): BackendError {
  return new BackendError(`${sourceName(file)} changed while it was read.`, {
    code: 'file-changed',
    hint: 'Wait until no program writes to it, and run the same command again.',
  });
}

const otherPackings: readonly (readonly [magic: RegExp, name: string, unpack: string])[] = [
  [/^425a683[1-9]314159265359/, 'bzip2', 'bunzip2 -k'],
  [/^fd377a585a00/, 'xz', 'unxz -k'],
  [/^504b0(?:304|506)/, 'zip', 'unzip'],
  [/^377abcaf271c/, '7-Zip', '7z x'],
  [/^526172211a07/, 'RAR', 'unrar x'],
  [/^04224d18/, 'LZ4', 'lz4 -d'],
];

/** Formats that other programs convert. */
const otherFormats: readonly (readonly [magic: RegExp, what: string, convert: (file: string) => string])[] = [
  [/^4f626a01/, 'an Avro file', (file) => `fastavro ${file} > events.ndjson`],
  [/^4f5243(?:[01]|[89a-f])/, 'an ORC file', (file) => `orc-contents ${file} > events.ndjson`],
  [/^d0cf11e0a1b11ae1/, 'an Excel workbook', (file) => `soffice --headless --convert-to csv ${file}`],
];

/** Workbooks are zip archives, so that only their names tell them apart. */
const workbook = /\.(?:xlsb|numbers)$/i;

/** True for the contents of a Parquet file. */
export const isParquet = (start: Buffer) => start.toString('latin1', 0, 4) === 'PAR1';

/** The first header of a tar archive has a name that ends with a NUL, and a mark at byte 257. */
const isTar = (start: Buffer) => start.toString('latin1', 257, 262) === 'ustar' && start.subarray(0, 257).includes(0);

/** The command that exports the first table of an SQL dump as text; undefined for other files. */
function sqlDump(start: Buffer): string | undefined {
  const text = start.toString('utf8').replace(/^\uFEFF?\s+/, '');
  if (!/^(?:--|\/\*|[A-Z]+ )/i.test(text)) return undefined;
  const statement = /^(?:CREATE TABLE(?: IF NOT EXISTS)?|INSERT INTO|COPY(?= .* FROM stdin;)) ([`"\w.]+)/im.exec(text);
  if (!statement) return undefined;
  const table = /^[`"\w]+(?:\.[`"\w]+)*$/.test(statement[1]!) ? statement[1]!.replaceAll(/[`"]/g, '') : 'TABLE';
  if (/MySQL|MariaDB|`/.test(text)) return `mysql --batch -e 'SELECT * FROM ${table}' DATABASE > events.tsv`;
  if (/^PRAGMA /m.test(text)) return `sqlite3 -header -csv DATABASE 'SELECT * FROM ${table}' > events.csv`;
  return `psql DATABASE -c '\\copy ${table} to events.csv csv header'`;
}

/**
 * The error for a file whose first bytes show a format or a compression that sluice does not read; otherwise undefined.
 * `compression`: how the file was packed if these bytes are its unpacked contents.
 */
export function unsupportedFormat(path: string, start: Buffer, compression: Compression): BackendError | undefined {
  const head = start.toString('hex', 0, 16);
  const source = sourceName(path);
  const isStdin = source === 'stdin';
  const file = isStdin ? 'FILE' : shellWord(showText(source));
  const [, packing, unpack] = otherPackings.find(([magic]) => magic.test(head)) ?? [];
  const [, format, convert] = otherFormats.find(([magic]) => magic.test(head)) ?? [];
  const database = databaseKind(start);
  const what = database ? `a ${databaseNames[database]} database` : format;
  const dump = sqlDump(start);
  if (dump)
    return new BackendError(`${source} is an SQL dump, which sluice does not read.`, {
      code: 'format-unsupported',
      hint: `Export its table as text with column names: \`${dump}\``,
    });
  if (isTar(start))
    return new BackendError(`${source} is a tar archive, which sluice does not read.`, {
      code: 'packed-otherwise',
      hint: `Unpack it (\`tar -xf ${file}\`), and use the files in it.`,
    });
  if (compression !== 'none') {
    const inner =
      packing === undefined ? (what ?? (isParquet(start) ? 'Parquet' : undefined)) : `packed with ${packing}`;
    if (inner === undefined) return undefined;
    return new BackendError(`${source} is ${inner} within ${compression}, which sluice does not read.`, {
      code: 'packed-otherwise',
      hint: `Unpack it (\`${compression === 'gzip' ? 'gunzip' : 'unzstd'} -k ${file}\`), and use what that writes.`,
    });
  }
  if (packing === 'zip' && workbook.test(source))
    return unconverted(source, 'a workbook', `soffice --headless --convert-to csv ${file}`);
  if (packing !== undefined) {
    const command = `\`${unpack} ${file}\``;
    return new BackendError(`${source} is compressed with ${packing}, which sluice cannot read here.`, {
      code: 'packed-otherwise',
      hint: isStdin
        ? `Save it to a file, unpack it (${command}), and use what that writes.`
        : `Unpack it: ${command}${packing === 'zip' ? ', or rename it to .zip' : ''}.`,
    });
  }
  if (database)
    return new BackendError(`${source} is ${what}, which its name does not say.`, {
      code: 'format-unsupported',
      hint: 'Rename it to end with .db, or unpack it if it lies in an archive.',
    });
  if (format === undefined)
    return /\.(?:db|sqlite3?)$/i.test(source) && start.includes(0) ? notADatabase(path) : undefined;
  return unconverted(source, format, convert!(file));
}

function unconverted(source: string, what: string, command: string): BackendError {
  return new BackendError(`${source} is ${what}, which sluice does not read.`, {
    code: 'format-unsupported',
    hint: `Convert it to CSV, NDJSON or Parquet, for example: \`${command}\``,
  });
}
