import { readRecord } from '../../../../ask/document/json-record.ts';
import type { SampledRecord } from './head-records.ts';
import { gather } from './split-records.ts';

/** Stretches of one list in a file of JSON: one for each of the file's objects that has it. Bytes of the text. */
interface ListPart {
  /** After the opening bracket. */
  readonly start: number;
  /** Of the closing bracket; undefined: the file ends too early. */
  readonly end: number | undefined;
  /** That the opening bracket stands in, from 1. */
  readonly line: number;
  readonly items: number;
  /** The values of its object that stand in no list, for `readBeside`. */
  readonly beside: string;
}

/** A list of objects, or an empty one, that keys lead to from the outermost object. */
export interface FoundList {
  readonly path: readonly string[];
  readonly parts: readonly ListPart[];
  /** Some of its objects, and the number of the part that each stands in. */
  readonly sample: readonly SampledRecord[];
  readonly sampleParts: readonly number[];
  /** Line of the first outermost object after one with the list that has none. */
  readonly lacksAt: number | undefined;
}

/** A value that stands beside the lists. */
export interface FoundValue {
  readonly path: readonly string[];
  readonly value: string | number | boolean | null;
}

/** A value beside a list. */
interface BesideValue {
  /** Keys that lead to it, as JSON. */
  readonly path: string;
  /** As it is written in the file. */
  readonly json: string;
}

/** Reads `beside` of a part. */
export function readBeside(beside: string): readonly BesideValue[] {
  return beside.split('\n').flatMap((line) => {
    const [path, json] = line.split('\t');
    return json === undefined ? [] : [{ path: path!, json }];
  });
}

/** What outermost objects of a file hold. */
export interface ScannedJson {
  /** Those that were begun. */
  readonly objects: number;
  /** The last one has its closing bracket. */
  readonly closed: boolean;
  /** Something else than an object stands outermost. */
  readonly isOther: boolean;
  readonly lists: readonly FoundList[];
  /** Of the last object. */
  readonly values: readonly FoundValue[];
  /** Paths, as JSON, of values that are too long or too many to be kept in `beside`. */
  readonly unkept: ReadonlySet<string>;
}

interface JsonScanner {
  push(piece: Buffer): void;
  /** What was found so far. */
  found(): ScannedJson;
}

const mostSampled = 100;
const mostSampledBytes = 1 << 20;
/** So many values of an object are found. */
export const mostValues = 200;
const longestValue = 2048;
const mostLists = 50;

/** 1: the byte may end a text, or counts. */
const endsText = new Uint8Array(256);
/** 1: outside of texts the byte is neither a bracket, nor the beginning of a text, nor the end of a line. */
const ordinary = new Uint8Array(256).fill(1);
for (const byte of [0x0a, 0x22, 0x5c]) endsText[byte] = 1;
for (const byte of [0x0a, 0x22, 0x5b, 0x5d, 0x7b, 0x7d]) ordinary[byte] = 0;

interface OpenPart {
  start: number;
  end: number | undefined;
  line: number;
  items: number;
  beside: string;
}

interface OpenList {
  readonly path: readonly string[];
  readonly parts: OpenPart[];
  readonly sample: SampledRecord[];
  readonly sampleParts: number[];
  sampledBytes: number;
  lacksAt: number | undefined;
}

/**
 * Reads text of JSON in pieces, object after object, and finds the lists of objects in it, however large they are: of a
 * list only some objects are kept.
 */
export function scanJson(): JsonScanner {
  const lists = new Map<string, OpenList>();
  let values: FoundValue[] = [];
  /** Lines of `beside`, and the parts of the open object. */
  let beside: string[] = [];
  let lastBeside = '';
  let parts: OpenPart[] = [];
  const unkept = new Set<string>();
  let [at, line, objects, depth] = [0, 1, 0, 0];
  let [inText, escaped, isOther] = [false, false, false];
  /** Keys that lead to the innermost open object, where only objects are open. */
  let path: string[] = [];
  let key: string | undefined;
  let isKey = true;
  /** The list that is open, and how many brackets deep its items lie. */
  let list: OpenList | undefined;
  let listDepth = 0;
  let isFirst = false;
  /** Brackets of a list of something else than objects. */
  let passed = 0;
  let listsOfObject = new Set<string>();
  let objectLine = 1;
  const item = gather();
  const token = gather();
  /** Where the token or the item of this piece begins; -1: there is none. */
  let [tokenAt, itemAt] = [-1, -1];

  const endItem = (piece: Buffer, end: number) => {
    if (itemAt < 0 || !list) return;
    item.add(piece, itemAt, end);
    itemAt = -1;
    const text = item.take().bytes?.toString('utf8') ?? '';
    list.sampledBytes += text.length;
    // Reading the list tells of other items.
    const record = readRecord(text);
    if (!record) return;
    list.sample.push(record);
    list.sampleParts.push(list.parts.length - 1);
  };
  const takeToken = (piece: Buffer, end: number): string | undefined => {
    if (tokenAt < 0) return undefined;
    token.add(piece, tokenAt, end);
    tokenAt = -1;
    return token.take().bytes?.toString('utf8');
  };
  const endValue = (piece: Buffer, end: number) => {
    const text = takeToken(piece, end)?.trim();
    if (text === undefined || text === '' || key === undefined) return;
    const own = [...path, key];
    key = undefined;
    if (values.length >= mostValues || text.length > longestValue) {
      if (unkept.size < mostValues) unkept.add(JSON.stringify(own));
      return;
    }
    try {
      const value: unknown = JSON.parse(text);
      if (value !== null && typeof value === 'object') return;
      values.push({ path: own, value: value as FoundValue['value'] });
      beside.push(`${JSON.stringify(own)}\t${text}`);
    } catch {
      // Reading the file tells of it.
    }
  };
  const beginList = (place: number) => {
    const own = [...path, key ?? ''];
    const name = JSON.stringify(own);
    listsOfObject.add(name);
    const known = lists.get(name) ?? {
      path: own,
      parts: [],
      sample: [],
      sampleParts: [],
      sampledBytes: 0,
      lacksAt: undefined,
    };
    const part = { start: place + 1, end: undefined, line, items: 0, beside: '' };
    known.parts.push(part);
    parts.push(part);
    list = known;
    listDepth = 0;
    isFirst = true;
    key = undefined;
    tokenAt = -1;
    token.take();
  };
  const endList = (place: number, isOfObjects: boolean) => {
    if (!list) return;
    const name = JSON.stringify(list.path);
    if (isOfObjects) {
      list.parts.at(-1)!.end = place;
      if (lists.size < mostLists || lists.has(name)) lists.set(name, list);
    } else {
      list.parts.pop();
      listsOfObject.delete(name);
    }
    list = undefined;
  };

  const endObject = () => {
    if (parts.length === 0) return;
    const text = beside.join('\n');
    // The same text for all pages of an answer.
    if (text !== lastBeside) lastBeside = text;
    for (const part of parts) part.beside = lastBeside;
  };

  const pushByte = (byte: number, piece: Buffer, index: number) => {
    // Within a list of something else than objects.
    if (passed > 0) {
      if (byte === 0x5b || byte === 0x7b) passed += 1;
      else if (byte === 0x5d || byte === 0x7d) passed -= 1;
      return;
    }
    if (list) return inList(byte, piece, index);
    switch (byte) {
      case 0x7b:
        if (depth === 0) {
          objects += 1;
          values = [];
          beside = [];
          parts = [];
          listsOfObject = new Set();
          objectLine = line;
        } else if (key !== undefined) path.push(key);
        takeToken(piece, index);
        depth += 1;
        key = undefined;
        isKey = true;
        return;
      case 0x7d:
        if (!isKey) endValue(piece, index);
        else takeToken(piece, index);
        depth = Math.max(0, depth - 1);
        path.pop();
        isKey = true;
        if (depth === 0) {
          path = [];
          endObject();
          for (const [name, known] of lists) if (!listsOfObject.has(name)) known.lacksAt ??= objectLine;
        }
        return;
      case 0x5b:
        if (depth === 0) isOther = true;
        else beginList(at + index);
        return;
      case 0x3a:
        if (depth > 0 && isKey) {
          const text = takeToken(piece, index);
          try {
            key = String(JSON.parse(text ?? '""'));
          } catch {
            key = text ?? '';
          }
          isKey = false;
        }
        return;
      case 0x2c:
        if (!isKey) endValue(piece, index);
        isKey = true;
        return;
      default:
        if (byte <= 0x20) return;
        if (depth === 0) isOther ||= !(line === 1 && byte >= 0xbb);
        else if (tokenAt < 0) tokenAt = index;
    }
  };
  const inList = (byte: number, piece: Buffer, index: number) => {
    const opens = byte === 0x5b || byte === 0x7b;
    const closes = byte === 0x5d || byte === 0x7d;
    if (byte <= 0x20) return;
    if (isFirst) {
      isFirst = false;
      if (byte === 0x5d) {
        endList(at + index, true);
        isKey = false;
        return;
      }
      if (byte !== 0x7b) {
        endList(at + index, false);
        passed = 1;
        if (opens) passed = 2;
        isKey = false;
        return;
      }
    }
    if (listDepth === 0 && closes) {
      endList(at + index, true);
      isKey = false;
      return;
    }
    if (listDepth === 0 && opens) {
      list!.parts.at(-1)!.items += 1;
      if (list!.sample.length < mostSampled && list!.sampledBytes < mostSampledBytes) itemAt = index;
    }
    if (opens) listDepth += 1;
    if (closes) {
      listDepth -= 1;
      if (listDepth === 0) endItem(piece, index + 1);
    }
  };

  return {
    push(piece) {
      const { length } = piece;
      for (let index = 0; index < length; index++) {
        let byte = piece[index]!;
        // What tells nothing of a text, or of the objects of a list, is most of a file.
        if (inText) while (!escaped && endsText[byte] === 0 && index + 1 < length) byte = piece[(index += 1)]!;
        else if (list && !isFirst) while (ordinary[byte] === 1 && index + 1 < length) byte = piece[(index += 1)]!;
        if (byte === 0x0a) line += 1;
        if (inText) {
          if (escaped) escaped = false;
          else if (byte === 0x5c) escaped = true;
          else if (byte === 0x22) inText = false;
          continue;
        }
        if (byte === 0x22) {
          inText = true;
          if (list) {
            if (isFirst) pushByte(byte, piece, index);
          } else if (passed === 0 && depth > 0 && tokenAt < 0) tokenAt = index;
          continue;
        }
        pushByte(byte, piece, index);
      }
      if (itemAt >= 0) item.add(piece, itemAt, piece.length);
      if (tokenAt >= 0) token.add(piece, tokenAt, piece.length);
      // They go on at the beginning of the next piece.
      if (itemAt >= 0) itemAt = 0;
      if (tokenAt >= 0) tokenAt = 0;
      at += piece.length;
    },
    found() {
      if (depth > 0) endObject();
      const open = list && !isFirst ? [list] : [];
      const all = new Map([...lists, ...open.map((one) => [JSON.stringify(one.path), one] as const)]);
      return { objects, closed: depth === 0, isOther, lists: [...all.values()], values, unkept };
    },
  };
}
