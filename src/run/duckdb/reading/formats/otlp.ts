import { isRecord } from '../../../../ask/document/json-record.ts';
import { parseExactly } from '../../../../ask/document/parse-exactly.ts';
import { readBytes } from '../../../file/read-bytes.ts';
import type { Engine } from '../../engine/engine.ts';
import { splitArray } from '../text/split-array.ts';
import type { LooseObjects } from './loose-objects.ts';
import { objectsToArray } from './objects-to-array.ts';
import { writeCopy } from './write-copy.ts';

/** Logs and traces of OpenTelemetry in the JSON of its protocol: objects with lists of records or spans in lists. */
export interface OtlpFile extends Omit<LooseObjects, 'format'> {
  readonly format: 'otlp';
}

/**
 * Writes the log records and spans as one array into the engine's folder, each in the line where its object begins: with
 * its attributes as an object, and those of its resource. Error: `file-corrupt`.
 */
export async function otlpToArray(engine: Engine, file: OtlpFile): Promise<string> {
  const objects = await objectsToArray(engine, { ...file, format: 'json-objects' });
  const pieces = async function* () {
    let [line, lead, isOpen] = [1, '[', false];
    let written = '';
    const splitter = splitArray((record) => {
      isOpen ||= record.bytes === undefined;
      for (const json of record.bytes ? recordsIn(record.bytes.toString('utf8')) : []) {
        written += '\n'.repeat(Math.max(0, record.line - line)) + lead + json;
        [line, lead] = [Math.max(line, record.line), ','];
      }
    });
    for await (const piece of readBytes(objects, 'none', { signal: engine.closed })) {
      splitter.push(piece);
      yield Buffer.from(written);
      written = '';
    }
    splitter.end();
    yield Buffer.from(`${written}${lead === '[' ? '[' : ''}${isOpen ? '' : ']'}`);
  };
  return writeCopy(engine, file.path, pieces(), { kind: 'otlp', ending: 'json' });
}

/** JSON of the log records and spans of an object; the text itself, on one line, if it is none, which is then rejected. */
function recordsIn(text: string): readonly string[] {
  const parsed = parse(text);
  if (!isRecord(parsed)) return [text.trim().replaceAll(/[\r\n]+/g, ' ')];
  return kinds.flatMap(({ groups, scopes, items, toTimes }) =>
    listIn(parsed[groups]).flatMap((group) =>
      listIn(group[scopes]).flatMap((scope) =>
        listIn(scope[items]).map((item) => JSON.stringify(toEvent(toTimes(item), scope['scope'], group['resource']))),
      ),
    ),
  );
}

type Item = Readonly<Record<string, unknown>>;

const kinds = [
  { groups: 'resourceLogs', scopes: 'scopeLogs', items: 'logRecords', toTimes: ofRecord },
  { groups: 'resourceSpans', scopes: 'scopeSpans', items: 'spans', toTimes: ofSpan },
] as const;

/** A record without a time of its own has 0. */
function ofRecord({ timeUnixNano, observedTimeUnixNano, body, ...others }: Item): Item {
  const time = Number(timeUnixNano ?? 0) > 0 ? timeUnixNano : observedTimeUnixNano;
  return { timeUnixNano: time, ...others, body: toValue(body) };
}

/** A span is an event at its start. */
function ofSpan({ startTimeUnixNano, endTimeUnixNano, kind, events, ...others }: Item): Item {
  const [start, end] = [startTimeUnixNano, endTimeUnixNano].map((nanos) =>
    /^\d+$/.test(String(nanos)) ? BigInt(String(nanos)) : undefined,
  );
  return {
    timeUnixNano: startTimeUnixNano,
    ...(start !== undefined && end !== undefined && { duration_ms: Number(end - start) / 1e6 }),
    ...others,
    spanKind: kind,
    ...(Array.isArray(events) && {
      events: listIn(events).map((each) => ({ ...each, attributes: toObject(each['attributes']) })),
    }),
  };
}

function parse(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

function toEvent({ attributes, ...others }: Item, scope: unknown, resource: unknown): object {
  return {
    ...others,
    attributes: toObject(attributes),
    ...(isRecord(resource) && { resource: toObject(resource['attributes']) }),
    ...(isRecord(scope) && { scope: scope['name'] }),
  };
}

function toObject(pairs: unknown): object {
  return Object.fromEntries(listIn(pairs).map(({ key, value }) => [String(key), toValue(value)]));
}

function toValue(value: unknown): unknown {
  if (!isRecord(value)) return null;
  const [[kind, inner] = []] = Object.entries(value);
  if (kind === 'arrayValue') return isRecord(inner) ? listIn(inner['values']).map(toValue) : [];
  if (kind === 'kvlistValue') return isRecord(inner) ? toObject(inner['values']) : {};
  // The protocol writes whole numbers of 64 bits as texts.
  return kind === 'intValue' && typeof inner === 'string' && /^-?\d+$/.test(inner) ? parseExactly(inner) : inner;
}

function listIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
