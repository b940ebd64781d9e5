import { readRecord } from '../../../../ask/document/json-record.ts';
import { BackendError } from '../../../../ask/sluice-error.ts';
import { plural, quote, shellWord, showText } from '../../../../ask/text.ts';
import { proposeMapping } from '../../../../plan/mapping/propose-mapping.ts';
import { toShape } from '../../../../plan/mapping/to-shape.ts';
import { compressFast, type Compression, readBytes } from '../../../file/read-bytes.ts';
import { sourceName } from '../../../file/source-copy.ts';
import { PackingDamage } from '../../../file/unpack.ts';
import type { Engine } from '../../engine/engine.ts';
import { lookAtFile } from '../../engine/file-identity.ts';
import { isTimeName } from '../../../events/column-names.ts';
import type { SampledRecord } from '../text/head-records.ts';
import type { WrappedEvents } from '../columns/recognition.ts';
import {
  type FoundList,
  type FoundValue,
  mostValues,
  readBeside,
  type ScannedJson,
  scanJson,
} from '../text/scan-json.ts';
import { byteSink, mostHeld } from '../text/byte-sink.ts';
import { addMembers, chooseInherited, type Inheritance } from './inherited-values.ts';
import { damagedFile } from './unfit-file.ts';
import { writeCopy } from './write-copy.ts';

/** A file of JSON whose events lie in a list within an object, or within each of several. */
export interface WrappedFile {
  readonly path: string;
  readonly compression: Compression;
  readonly encoding?: string | undefined;
}

/** A wrapped file with the list alone, as JSON, in a file of the engine's. Lines have the numbers that they had. */
export interface UnwrappedFile extends WrappedEvents {
  readonly path: string;
  readonly compression: Compression;
  /** Some of its objects. */
  readonly sample: readonly SampledRecord[];
  /** Whether its objects have their time beside the list. */
  readonly isMeasured: boolean;
}

/** Names of lists in the answers of APIs and in exports: whatever stands beside such a list, its objects are meant. */
const envelopes = new Set(
  (
    'events results result data records items rows entries hits logs logevents value values batch activities ' +
    'documents docs messages response'
  ).split(' '),
);

/**
 * Whether the head of a file of JSON shows an object that holds its events in a list, and is none itself. Objects of
 * which each stands on a line of its own are events, unless no time stands in the first one, or they have a list of
 * events.
 */
export function looksWrapped(head: Buffer): boolean {
  const scanner = scanJson();
  scanner.push(head);
  const found = scanner.found();
  return !found.isOther && isWrapper(found);
}

/** So many members with the same keys are events, rather than parts of one. */
const fewestKeyed = 3;

/**
 * Refuses a file that is one object whose members are events, each under a key of its own, or the columns of a table:
 * it would count as one event. Error: `file-without-events`.
 */
export function refuseKeyed(path: string, head: Buffer): void {
  const scanner = scanJson();
  scanner.push(head);
  const { objects, isOther, values, closed } = scanner.found();
  if (objects !== 1 || isOther || values.some(({ path: keys }) => keys.length < 2)) return;
  const members = [...Map.groupBy(values, ({ path: [key] }) => key!)];
  const name = sourceName(path);
  const isColumn = (own: readonly FoundValue[]) =>
    own.length > 1 && own.every(({ path: keys }, row) => keys.length === 2 && keys[1] === String(row));
  if ((members.length > 1 || values.length >= mostValues) && members.every(([, own]) => isColumn(own)))
    throw new BackendError(`${name} is a table by columns: its values stand under the numbers of their rows.`, {
      code: 'file-without-events',
      hint:
        'Write each row as an object on a line of its own: ' +
        "`to_json('events.ndjson', orient='records', lines=True)` in pandas.",
    });
  // The last one may be cut.
  const whole = members
    .slice(0, closed && values.length < mostValues ? undefined : -1)
    .map(([, own]) => Object.fromEntries(own.map(({ path: keys, value }) => [keys.slice(1).join('.'), value])));
  if (members.length < fewestKeyed) return;
  const shared = Object.keys(whole[0]!).filter((key) => whole.every((member) => Object.hasOwn(member, key)));
  const common = whole.map((member) => Object.fromEntries(shared.map((key) => [key, member[key]])));
  if (!hasTime(common)) return;
  throw new BackendError(
    `${name} is one object with an event under each of its keys, such as ${quote(members[0]![0])}.`,
    {
      code: 'file-without-events',
      hint: `Write each on a line of its own: ${jqLine(name, [])}`,
    },
  );
}

function isWrapper({ objects, closed, lists, values }: ScannedJson): boolean {
  if (objects === 0 || lists.length === 0) return false;
  if (lists.some(isMeasured)) return true;
  const timed = lists.filter(isTimed);
  const top = Object.fromEntries(
    values.filter(({ path }) => path.length === 1).map(({ path, value }) => [path[0]!, value]),
  );
  if (objects > 1) {
    // The last object may be cut before its list.
    const inAll = (list: FoundList) => list.parts.length >= objects - (closed ? 0 : 1) && list.lacksAt === undefined;
    return timed.length > 0 && (!hasTime([top]) || (timed.length === 1 && isOfSession(timed[0]!) && inAll(timed[0]!)));
  }
  if (timed.some(isEnvelope)) return true;
  if (timed.length > 0) return !hasTime([top]);
  // Without a time in its objects it is a part of an event that has one.
  const all = Object.fromEntries(values.map(({ path, value }) => [path.join('.'), value]));
  return untimed(lists).length > 0 && !hasTime([all]);
}

/** Lists that may be meant where none has a time: those of usual names, else those of objects. */
function untimed(lists: readonly FoundList[]): readonly FoundList[] {
  const usual = lists.filter(isEnvelope);
  return usual.length > 0 ? usual : lists.filter(({ sample }) => sample.length > 0);
}

function isEnvelope({ path }: FoundList): boolean {
  return envelopes.has(path.at(-1)!.toLowerCase());
}

/** Sessions and batches have a time, too, but their events are to be counted. */
function isOfSession({ path: [key, inner] }: FoundList): boolean {
  return inner === undefined && /^(events|hits|batch)$/i.test(key!);
}

/** In the bodies of GA4's Measurement Protocol, the time of all events stands beside their list. */
const measuredTime = JSON.stringify(['timestamp_micros']);

function isMeasured({ path, sample, parts }: FoundList): boolean {
  return (
    path.join('.') === 'events' &&
    sample.length > 0 &&
    sample.every(({ name }) => typeof name === 'string') &&
    parts.some(({ beside }) => readBeside(beside).some((value) => value.path === measuredTime))
  );
}

function isTimed({ sample }: FoundList): boolean {
  return hasTime(sample);
}

function hasTime(records: readonly SampledRecord[]): boolean {
  if (records.length === 0) return false;
  if (records.some((record) => Object.keys(record).some(isTimeName))) return true;
  return !proposeMapping(toShape('json', records)).missing.includes('time');
}

const unwrapped = new WeakMap<Engine, Map<string, Promise<UnwrappedFile | undefined>>>();

/**
 * Copies the list of events of a file into the engine's folder, once for as long as the file is the same; undefined:
 * the whole of the file shows that it is no wrapper. Errors: `file-without-events` if several lists may be meant, or
 * none; `file-corrupt`.
 */
export async function unwrapJson(engine: Engine, file: WrappedFile): Promise<UnwrappedFile | undefined> {
  const known = unwrapped.get(engine) ?? new Map<string, Promise<UnwrappedFile | undefined>>();
  unwrapped.set(engine, known);
  const { mark } = await lookAtFile(file.path);
  const key = JSON.stringify([file, mark]);
  const unwrapping = known.get(key) ?? unwrap(engine, file);
  known.set(key, unwrapping);
  unwrapping.catch(() => known.delete(key));
  return unwrapping;
}

async function unwrap(engine: Engine, file: WrappedFile): Promise<UnwrappedFile | undefined> {
  const { path, encoding } = file;
  const scanner = scanJson();
  try {
    for await (const piece of readBytes(path, file.compression, { encoding, signal: engine.closed }))
      scanner.push(piece);
  } catch (error) {
    if (error instanceof PackingDamage) throw damagedFile(path, error);
    throw error;
  }
  const found = scanner.found();
  if (found.isOther || !isWrapper(found)) return undefined;
  const list = chooseList(path, found);
  if (!found.closed && list.parts.at(-1)!.end !== undefined)
    throw damagedFile(path, new Error('its object is not closed: the file ends too early'));
  const compression = file.compression === 'none' ? 'none' : 'zstd';
  const inheritance = chooseInherited(list, found, isMeasured(list) ? measuredTime : undefined);
  const copy = await writeCopy(engine, path, listOf(file, list, inheritance, engine.closed), {
    kind: 'unwrapped',
    ending: 'json',
    compress: compression === 'none' ? undefined : await compressFast(),
  });
  const items = list.parts.reduce((sum, part) => sum + part.items, 0);
  return {
    path: copy,
    compression,
    list: nameOf(list),
    items,
    inherited: inheritance.paths,
    unread: inheritance.unread,
    beside: found.values,
    sample: withInherited(list, inheritance),
    isMeasured: isMeasured(list),
  };
}

function chooseList(path: string, { lists, objects }: ScannedJson): FoundList {
  const timed = lists.filter(isTimed);
  const meant = timed.length > 0 ? timed : untimed(lists);
  const [list, ...others] = meant;
  const name = sourceName(path);
  if (list === undefined || others.length > 0) {
    const which = meant.map(describeList).join(', ');
    throw new BackendError(
      timed.length > 0
        ? `${name} has several lists of events: ${which}.`
        : `${name} has several lists of objects, and none of them has a time: ${which}.`,
      {
        code: 'file-without-events',
        hint: `Write the objects of one of them into a file of their own: ${jqLine(name, meant[0]!.path)}`,
      },
    );
  }
  if (list.parts.length < objects)
    throw new BackendError(
      `${name} has ${objects} objects, and ${objects - list.parts.length}` +
        ` of them ${plural(objects - list.parts.length, 'lacks', 'lack')} the list ${nameOf(list)} of its events` +
        `${list.lacksAt === undefined ? '' : `, the first in line ${list.lacksAt}`}.`,
      {
        code: 'file-without-events',
        hint: 'Remove what is no answer with events, such as the message of an error, or get these pages again.',
      },
    );
  return list;
}

/** The sampled objects of a list, with what they inherit. */
function withInherited(
  { sample, sampleParts, parts }: FoundList,
  { membersOf }: Inheritance,
): readonly SampledRecord[] {
  return sample.map((record, index) => {
    const members = [...membersOf(parts[sampleParts[index]!]!)];
    const inherited = readRecord(`{${members.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`);
    // What an object has itself comes first, also in the order of columns.
    return { ...record, ...inherited, ...record };
  });
}

function describeList(list: FoundList): string {
  const items = list.parts.reduce((sum, part) => sum + part.items, 0);
  return `${nameOf(list)} (${items} ${plural(items, 'object')})`;
}

function jqLine(name: string, path: readonly string[]): string {
  const keys = path.map((key) => (/^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`)).join('');
  const place = keys.startsWith('.') ? keys : `.${keys}`;
  return (
    `\`jq -c ${shellWord(`${showText(place)}[]`)}` +
    `${name === 'stdin' ? '' : ` ${shellWord(showText(name))}`} > events.ndjson\``
  );
}

/** `data.events`; with quotation marks where a key is no word. */
function nameOf({ path }: FoundList): string {
  return path.map((key) => (/^[\p{L}\p{N}_$-]+$/u.test(key) ? key : quote(key))).join('.');
}

/** The list as one array, at the lines where its objects stand in the file; left open where the file leaves it so. */
async function* listOf(
  { path, compression, encoding }: WrappedFile,
  { parts }: FoundList,
  { membersOf }: Inheritance,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let at = 0;
  let line = 1;
  let next = 0;
  let hasItems = false;
  const sink = byteSink();
  const writer = addMembers();
  const full = parts.filter(({ items, end }, index) => items > 0 || (end === undefined && index === parts.length - 1));
  const lead = (to: number) => {
    sink.text(`${'\n'.repeat(Math.max(0, to - line))}${hasItems ? ',' : '['}`);
    line = Math.max(line, to);
    hasItems = true;
  };
  if (full.length === 0) yield Buffer.from('[]');
  reading: for await (const piece of readBytes(path, compression, { encoding, signal })) {
    while (next < full.length) {
      const part = full[next]!;
      const { start, end = Infinity } = part;
      if (start >= at + piece.length) break;
      if (start >= at) {
        lead(part.line);
        writer.begin(membersOf(part));
      }
      const taken = piece.subarray(Math.max(0, start - at), Math.min(piece.length, end - at));
      for (let found = taken.indexOf(0x0a); found >= 0; found = taken.indexOf(0x0a, found + 1)) line += 1;
      writer.push(taken, sink);
      if (end > at + piece.length) break;
      next += 1;
      if (next === full.length) {
        sink.text(']\n');
        break reading;
      }
    }
    at += piece.length;
    if (sink.length >= mostHeld) yield sink.take();
  }
  yield sink.take();
}
