/**
 * What containers and collectors write before the line of a program: text, or a JSON object with the line in one of its
 * fields. Each is described once.
 */
import { parseWithLongNumbers, readJson } from '../../../../ask/document/parse-exactly.ts';

/** A line without its prefix. */
export interface BareLine {
  readonly text: string;
  /** When the line was written. */
  readonly time?: string | undefined;
  /** What else the prefix says. */
  readonly fields: ReadonlyMap<string, unknown>;
}

interface LinePrefix {
  /** For messages. */
  readonly title: string;
  /** undefined: the line has no such prefix. `isPart`: it goes on in the next line with the same fields. */
  readonly strip: (line: string) => (BareLine & { readonly isPart?: boolean }) | undefined;
  /** It is too short to tell a log from other text, so that the lines after it must be of a known format. */
  readonly isVague?: true;
  /** Its times have no year. */
  readonly isYearless?: true;
  /** Lines without it belong to the message before them, such as the lines of a stack trace. */
  readonly mayContinue?: true;
}

const instant = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)`;
const yearless = String.raw`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d`;
const program = String.raw`(?<program>[^\s:[\]]+)(?:\[(?<pid>[^\]\s]*)\])?:`;
const priority = String.raw`<(?<priority>\d{1,3})>`;
const data = String.raw`-|(?:\[(?:[^\]\\"]|\\.|"(?:[^"\\]|\\.)*")*\])+`;
const levels = '(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)';

/** A program's own time, mostly without a zone, and the words of its levels. */
const ownTime = String.raw`\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d)(?![\w:]))?`;
const words = ['TRACE', 'DEBUG', 'INFO', 'NOTICE', 'WARN', 'WARNING', 'ERROR', 'FATAL', 'CRITICAL', 'SEVERE'];
const anyCase = words.map((word) => `[${word[0]}${word[0]!.toLowerCase()}]${word.slice(1).toLowerCase()}`).join('|');
/** In small letters, only signs tell a level from a word of a message. */
const ownLevel = String.raw`\[?(?<level>(?:${words.join('|')})\b|(?<=\[)(?:${anyCase})(?=\])|(?:${anyCase})(?=[ ]?[:|\t]))\]?`;
const gap = String.raw`[ \t]*[-|:]*[ \t]*`;

const ownLine = new RegExp(`^\\[?(?<time>${ownTime})(?:\\]|(?=[ \\t]|: ))${gap}(?<rest>.*)$`, 's');

/** What stands between the time and the message: often a level, and before it the name of a logger or thread. */
const ownHead = new RegExp(`^(?:\\[?(?<logger>[\\w.$/:-]+)\\]?${gap})??${ownLevel}${gap}(?<text>.*)$`, 's');

/** `2024-03-01 10:00:00,123 - shop.cart - INFO - order placed`: what programs write themselves. */
function stripOwn(line: string): BareLine | undefined {
  const { time, rest = '' } = ownLine.exec(line)?.groups ?? {};
  if (time === undefined) return undefined;
  const { level, logger, text = rest } = ownHead.exec(rest)?.groups ?? {};
  // A table without names has tabs, too.
  if (level === undefined && line.includes('\t')) return undefined;
  const fields = new Map(Object.entries({ level, logger }).filter(([, value]) => value !== undefined));
  return { text, time: time.replaceAll('/', '-').replace(',', '.'), fields };
}

const severities = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'];

/** A prefix of text: the groups `time`, `text` and `part` have that meaning, and the others are fields. */
function ofPattern(pattern: string): LinePrefix['strip'] {
  const expression = new RegExp(`^${pattern}(?<text>.*)$`, 's');
  return (line) => {
    const found = expression.exec(line)?.groups;
    if (!found) return undefined;
    const { text = '', time, part, priority: number, ...others } = found;
    const fields = new Map(Object.entries(others).filter(([, value]) => value !== undefined && value !== '-'));
    if (number !== undefined) fields.set('severity', severities[Number(number) % 8]!);
    return { text, time: time === '-' ? undefined : time, fields, isPart: part === 'P' };
  };
}

/** Docker cuts lines after so many bytes. */
const longestPart = 16 * 1024;

/** The key of an object that has the line, that of its time, and a name that such objects have besides. */
interface ObjectKeys {
  readonly text: string;
  readonly time: string;
  readonly besides: string;
}

/** A prefix that is the object around the line. `timeOf`: its time in ISO 8601; undefined: it is no such object. */
function ofObject(
  keys: ObjectKeys,
  timeOf: (value: unknown) => string | undefined,
  isPart: (text: string) => boolean,
): LinePrefix['strip'] {
  return (line) => {
    if (!line.startsWith('{')) return undefined;
    const found = /\d{16}/.test(line) ? readWithLongNumbers(line) : readJson(line);
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, keys.besides)) return undefined;
    const { [keys.text]: written, [keys.time]: at, ...others } = found as Readonly<Record<string, unknown>>;
    const [text, time] = [textIn(written), timeOf(at)];
    if (text === undefined || time === undefined) return undefined;
    // Two underscores are for places in the journal. The machine is not the host of a page.
    const kept = Object.entries(others).filter(([name]) => !name.startsWith('__'));
    const fields = new Map(kept.map(([name, value]) => [name === '_HOSTNAME' ? 'source_host' : name, value]));
    return { text: text.replace(/\r?\n$/, ''), time, fields, isPart: isPart(text) };
  };
}

function readWithLongNumbers(line: string): unknown {
  return readJson(line) === undefined ? undefined : parseWithLongNumbers(line);
}

/** A text, or its bytes, as the journal writes those that have no letters alone. */
function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const isBytes = Array.isArray(value) && value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256);
  return isBytes ? Buffer.from(value as number[]).toString('utf8') : undefined;
}

const isoTime = new RegExp(`^${instant}$`);

const prefixes = {
  /** kubernetes.io/docs/concepts/cluster-administration/logging: time, stream, F for a full line or P for a part. */
  cri: {
    title: 'of a container runtime (CRI)',
    strip: ofPattern(String.raw`(?<time>${instant}) (?<stream>stdout|stderr) (?<part>[FP])(?::\S*)? ?`),
  },
  /** docs.docker.com/engine/logging/drivers/json-file */
  docker: {
    title: "of Docker's json-file",
    strip: ofObject(
      { text: 'log', time: 'time', besides: 'stream' },
      (value) => (typeof value === 'string' && isoTime.test(value) ? value : undefined),
      (text) => !text.endsWith('\n') && text.length >= longestPart / 4 && Buffer.byteLength(text) >= longestPart,
    ),
  },
  /** systemd.io/JOURNAL_EXPORT_FORMATS: microseconds since 1970. */
  journal: {
    title: "of systemd's journal",
    strip: ofObject(
      { text: 'MESSAGE', time: '__REALTIME_TIMESTAMP', besides: '__CURSOR' },
      (value) => (/^\d{15,16}$/.test(String(value)) ? instantOfMicros(BigInt(String(value))) : undefined),
      () => false,
    ),
  },
  compose: {
    title: 'of Docker Compose',
    strip: ofPattern(String.raw`(?<container>[\w.-]+) +\| (?:(?<time>${instant}) )?`),
    isVague: true,
  },
  kubectl: {
    title: 'of kubectl',
    strip: ofPattern(String.raw`\[pod/(?<pod>[^/\]\s]+)/(?<container>[^/\]\s]+)\] (?:(?<time>${instant}) )?`),
    isVague: true,
  },
  /** rfc-editor.org/rfc/rfc5424 */
  syslog: {
    title: 'of syslog (RFC 5424)',
    strip: ofPattern(
      String.raw`${priority}1 (?<time>${instant}|-) (?<source_host>\S+) (?<program>\S+) (?<pid>\S+) (?<message_id>\S+) (?<structured_data>${data})(?: \uFEFF?|$)`,
    ),
  },
  /** rsyslog's and journalctl's lines with whole times. Programs that write a level have none. */
  traditional: {
    title: 'of syslog',
    strip: ofPattern(
      String.raw`(?:${priority})?(?<time>${instant}) (?!${levels}\b)(?<source_host>[\w.:-]+) ${program} ?`,
    ),
  },
  /** rfc-editor.org/rfc/rfc3164 */
  bsd: {
    title: 'of syslog (RFC 3164)',
    strip: ofPattern(String.raw`(?:${priority})?${yearless} (?:(?<source_host>[\w.:-]+) )??(?:${program} ?)`),
    isYearless: true,
  },
  /** docker logs --timestamps, kubectl logs --timestamps */
  time: { title: 'with a time', strip: ofPattern(`(?<time>${instant}) `), isVague: true },
  /** kafka-console-consumer with print.timestamp */
  kafka: {
    title: "of Kafka's console consumer",
    strip: ofPattern(
      String.raw`(?:CreateTime|LogAppendTime):(?<time>\d{13})\t(?:Partition:(?<partition>\d+)\t)?(?:Offset:(?<offset>\d+)\t)?(?:(?:null|(?<key>[^\t{]*))\t)?`,
    ),
  },
  program: { title: 'with a time', strip: stripOwn, mayContinue: true },
} as const satisfies Readonly<Record<string, LinePrefix>>;

export type LinePrefixName = keyof typeof prefixes;

export const linePrefixNames = Object.keys(prefixes) as readonly LinePrefixName[];

export const linePrefix = (name: LinePrefixName): LinePrefix => prefixes[name];

function instantOfMicros(micros: bigint): string {
  const fraction = String(micros % 1_000_000n).padStart(6, '0');
  return new Date(Number(micros / 1_000_000n) * 1000).toISOString().replace('.000Z', `.${fraction}Z`);
}

/** The most letters of a line that came in parts. */
const longestLine = 8 * 1024 * 1024;

/**
 * Takes the prefix off the lines of a file, in order, and joins parts. undefined: the line has no such prefix; `part`:
 * it goes on in a later line.
 */
export function openStripper(name: LinePrefixName): {
  readonly strip: (line: string) => BareLine | 'part' | undefined;
  /** Lines whose last part is missing. */
  readonly end: () => readonly BareLine[];
} {
  const { strip } = linePrefix(name);
  const open = new Map<unknown, BareLine>();
  return {
    strip: (line) => {
      const found = strip(line);
      if (!found) return undefined;
      const stream = found.fields.get('stream');
      const begun = open.get(stream);
      const whole = begun ? { ...found, text: begun.text + found.text } : found;
      if (found.isPart && whole.text.length < longestLine) {
        open.set(stream, whole);
        return 'part';
      }
      open.delete(stream);
      return whole;
    },
    end: () => [...open.values()],
  };
}
