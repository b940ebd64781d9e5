import type { SluiceErrorCode } from '../../ask/error-codes.ts';
import { BackendError, SluiceError } from '../../ask/sluice-error.ts';
import { NotNative, UnreadableType } from './native-reader.ts';

interface Circumstances {
  /** For display. */
  readonly address: string;
  readonly statement: string;
  /** Removed from messages. */
  readonly secret: string;
  /** The server's version, if known. */
  readonly version?: string | undefined;
}

interface Refusal {
  readonly code: SluiceErrorCode;
  readonly message: string;
  readonly hint: string;
}

/** Errors for ClickHouse's codes. */
const refusals: Readonly<Record<number, Omit<Refusal, 'message'> & { readonly message: (address: string) => string }>> =
  {
    ...each([516, 192, 193, 194], {
      code: 'token-refused',
      message: (address) => `${address} does not accept the user and password.`,
      hint: 'Check clickhouse.user and where the password comes from: `sluice doctor` shows it.',
    }),
    ...each([497], {
      code: 'forbidden',
      message: (address) => `The user may not do this on ${address}.`,
      hint: 'Asking needs SELECT on the tables; `sluice clickhouse init` and loading need more: docs/scaling.md lists it.',
    }),
    ...each([164], {
      code: 'forbidden',
      message: (address) => `The user of ${address} may only read, and change no setting.`,
      hint: 'Give the user `readonly = 2`, or no limit of that kind but SELECT alone.',
    }),
    ...each([81], {
      code: 'not-found',
      message: (address) => `There is no such database: ${address}.`,
      hint: 'Correct clickhouse.database, or create the table of events: sluice clickhouse init --apply',
    }),
    ...each([60], {
      code: 'table-not-found',
      message: (address) => `A table that is asked for does not exist in ${address}.`,
      hint: 'Correct clickhouse.table or the model, or create the table of events: sluice clickhouse init --apply',
    }),
    ...each([16, 47], {
      code: 'sql-refused',
      message: (address) => `A column that is asked for does not exist in ${address}.`,
      hint: 'Map the column under `columns:`, or correct the SQL of the model.',
    }),
    ...each([288], {
      code: 'forbidden',
      message: (address) => `The user of ${address} may change no setting, and a table of several servers needs one.`,
      hint: "Set `distributed_product_mode = 'global'` in the profile of the user, or give the user `readonly = 2`.",
    }),
    ...each([241], {
      code: 'out-of-memory',
      message: (address) => `The statement takes more memory than ${address} allows.`,
      hint: 'Ask for a shorter range or fewer groups, or raise clickhouse.memory and the limit of the user.',
    }),
    ...each([159, 160], {
      code: 'timed-out',
      message: (address) => `The statement takes longer than ${address} allows.`,
      hint: 'Ask for a shorter range, or raise clickhouse.timeLimit and the limit of the user.',
    }),
    ...each([202, 203], {
      code: 'server-overloaded',
      message: (address) => `${address} has too many statements to run.`,
      hint: 'Try again later.',
    }),
    ...each([394], {
      code: 'server-error',
      message: (address) => `${address} stopped the statement.`,
      hint: 'Somebody stopped it, or the server shuts down. Try again.',
    }),
    ...each([396, 158, 307], {
      code: 'answer-too-large',
      message: (address) => `The statement reads or returns more than ${address} allows.`,
      hint: 'Ask for a shorter range, or raise the limit of the user.',
    }),
  };

function each<T>(codes: readonly number[], refusal: T): Readonly<Record<number, T>> {
  return Object.fromEntries(codes.map((code) => [code, refusal]));
}

/** Converts a failure or refusal of the server to an error with a hint. The server's message is the detail. */
export function toClickHouseError(error: unknown, { address, statement, secret, version }: Circumstances): SluiceError {
  if (error instanceof SluiceError) return error;
  const text = wordsOf(error);
  const words = secret === '' ? text : text.replaceAll(secret, '***');
  const cause = new Error(`${words}\n\n${statement}`);
  const code = codeOf(error, text);
  const detail = firstSentence(words);
  if (error instanceof UnreadableType)
    return new BackendError(`${address} returned values of the type ${error.message}, which a result cannot have.`, {
      code: 'sql-refused',
      cause,
      hint: 'Convert them in the SQL of the model, for example with toString() or arrayStringConcat().',
    });
  if (code === undefined) {
    if (error instanceof NotNative)
      return new BackendError(`The answer of ${address} cannot be read: ${detail}.`, {
        code: 'answer-cut-off',
        cause,
        hint: 'The connection was cut, or something between sluice and the server changes answers. Try again.',
      });
    return new BackendError(`ClickHouse at ${address} cannot be reached: ${detail}`, {
      code: 'service-unreachable',
      cause,
      hint: 'Check clickhouse.url (the HTTP interface, usually port 8123 or 8443 with TLS), and that the server runs.',
    });
  }
  const refusal = refusals[code];
  const [, column, joined] = ofJoins.exec(words) ?? [];
  if (refusal)
    return new BackendError(`${refusal.message(address)} ClickHouse says (code ${code}): ${detail}`, {
      code: refusal.code,
      cause,
      hint:
        joined === undefined
          ? refusal.hint
          : `If several tables of a join have this column, ClickHouse calls it \`${joined}.${column}\`. ` +
            `Name it in the \`sql\` of the cube: \`${joined}.${column} AS ${column}\`.`,
    });
  if (lacks.has(code) && version !== undefined && isOlder(version, testedVersion))
    return new BackendError(
      `ClickHouse ${version} at ${address} lacks what the statement needs (code ${code}): ${detail}`,
      { code: 'server-too-old', cause, hint: updateHint },
    );
  return new BackendError(`ClickHouse at ${address} refuses the statement (code ${code}): ${detail}`, {
    code: 'sql-refused',
    cause,
    hint: 'Use --explain to see the statement.',
  });
}

/** The server's words on a column that it cannot find in the rows of a join: of `h.*`, it may only know `h.id`. */
const ofJoins = /Identifier '\w+\.(\w+)' cannot be resolved from subquery [^]*?\b(\w+)\.\*[^]*?\bJOIN\b/;

/** The version that the tests run against. */
const testedVersion = '26.7';

/** Older versions resolve names in a statement differently, which could silently change figures. */
const leastVersion = '24.3';

const updateHint =
  `Update the server: sluice is tested with ClickHouse ${testedVersion}. ` +
  'Or ask the same events with the embedded engine: `--backend embedded`.';

/** Codes of functions, settings, syntax and types that the server does not know. */
const lacks: ReadonlySet<number> = new Set([36, 43, 44, 46, 48, 50, 62, 115, 344]);

/** Error: `server-too-old`. */
export function demandVersion(version: string, address: string): void {
  if (!isOlder(version, leastVersion)) return;
  throw new BackendError(`ClickHouse ${version} at ${address} is too old: sluice needs ${leastVersion} or later.`, {
    code: 'server-too-old',
    hint: updateHint,
  });
}

function isOlder(version: string, than: string): boolean {
  const [[year = 0, month = 0], [leastYear = 0, leastMonth = 0]] = [version, than].map((one) =>
    one.split('.').map(Number),
  ) as [number[], number[]];
  return year < leastYear || (year === leastYear && month < leastMonth);
}

function wordsOf(error: unknown): string {
  if (error instanceof NotNative) return faultIn(error.tail) ?? error.message;
  if (!(error instanceof Error)) return String(error);
  const { code } = error as Error & { readonly code?: unknown };
  const own = error.message === '' && error instanceof AggregateError ? String(error.errors[0]) : error.message;
  return typeof code === 'string' && !/^\d+$/.test(code) && !own.includes(code) ? `${code} ${own}` : own;
}

/** The server's error after the rows that it had sent. */
function faultIn(tail: string): string | undefined {
  return /Code: \d+\. DB::Exception: [^]*/.exec(tail)?.[0];
}

function codeOf(error: unknown, text: string): number | undefined {
  const own = (error as { readonly code?: unknown } | undefined)?.code;
  if (typeof own === 'string' && /^\d+$/.test(own)) return Number(own);
  const written = /Code: (\d+)\. DB::Exception/.exec(text)?.[1];
  return written === undefined ? undefined : Number(written);
}

function firstSentence(words: string): string {
  const [line = ''] = words.replace(/^Code: \d+\. DB::Exception: /, '').split('\n');
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
