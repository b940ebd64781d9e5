import { namesOneEvent } from '../../../../plan/mapping/field-guesses.ts';
import type { ByteSink } from '../text/byte-sink.ts';
import { type FoundList, mostValues, readBeside, type ScannedJson } from '../text/scan-json.ts';
import { describesPage } from './page-values.ts';

/** The values beside a list that belong to each of its events, such as the user of a session. */
export interface Inheritance {
  /** Keys that lead to each value from an event. */
  readonly paths: readonly (readonly string[])[];
  /** Keys that lead to the other values from the outermost object. */
  readonly unread: readonly (readonly string[])[];
  /** The members of the events of one part of the list: keys, each with its JSON. */
  membersOf(part: FoundList['parts'][number]): ReadonlyMap<string, string>;
}

/** So many objects decide which values are inherited. */
const mostRead = 1000;

/**
 * Chooses the values beside a list that its events inherit: those that neither describe the page of an answer, nor
 * stand for what each event has of its own, such as its time, type or ID. `shared`: the path of a time that the events
 * share.
 */
export function chooseInherited(list: FoundList, { unkept }: ScannedJson, shared?: string): Inheritance {
  // Values that only some objects can pass on would be missing from the events of the others.
  const isOverfull = unkept.size >= mostValues;
  const taken = new Map<string, readonly string[]>();
  const refused = new Map<string, readonly string[]>();
  let last: string | undefined;
  for (const { beside } of list.parts.slice(0, mostRead)) {
    if (beside === last) continue;
    last = beside;
    for (const { path } of readBeside(beside)) {
      if (taken.has(path) || refused.has(path)) continue;
      const keys = JSON.parse(path) as readonly string[];
      const own = fromEvent(keys, list.path);
      if (isOverfull || unkept.has(path) || describesPage(keys) || (path !== shared && namesOneEvent(own)))
        refused.set(path, keys);
      else taken.set(path, own);
    }
  }
  return {
    paths: [...taken.values()],
    unread: [...refused.values(), ...[...unkept].map((path) => JSON.parse(path) as readonly string[])],
    membersOf: ({ beside }) =>
      membersFrom(
        readBeside(beside).flatMap(({ path, json }) => {
          const own = taken.get(path);
          return own ? [{ path: own, json }] : [];
        }),
      ),
  };
}

/** `user.id` beside the list `data.events` is `user.id` of each event, and so is `data.user.id`. */
function fromEvent(path: readonly string[], list: readonly string[]): readonly string[] {
  const shared = path.findIndex((key, index) => index === path.length - 1 || key !== list[index]);
  return path.slice(shared);
}

type Tree = Map<string, string | Tree>;

function membersFrom(values: readonly { readonly path: readonly string[]; readonly json: string }[]) {
  const tree: Tree = new Map();
  for (const { path, json } of values) {
    let at = tree;
    for (const key of path.slice(0, -1)) {
      const inner = at.get(key);
      const next: Tree = inner instanceof Map ? inner : new Map();
      at.set(key, next);
      at = next;
    }
    at.set(path.at(-1)!, json);
  }
  return new Map([...tree].map(([key, inner]) => [key, toJson(inner)]));
}

function toJson(value: string | Tree): string {
  if (typeof value === 'string') return value;
  return `{${[...value].map(([key, inner]) => `${JSON.stringify(key)}:${toJson(inner)}`).join(',')}}`;
}

/** Copies a list that comes in pieces, with members added to its objects. Keys that an object has itself stay. */
export interface MemberWriter {
  /** Begins a part of the list. */
  begin(members: ReadonlyMap<string, string>): void;
  push(piece: Buffer, sink: ByteSink): void;
}

export function addMembers(): MemberWriter {
  let members: readonly { readonly name: string; readonly bytes: Buffer; readonly json: string }[] = [];
  let all = '';
  /** Numbers of the members whose keys the object has itself. */
  const own = new Set<number>();
  let [depth, inText, escaped, isObject, isKey, isFilled] = [0, false, false, false, false, false];
  /** Pieces of the key that is being read. */
  let key: Buffer[] | undefined;

  const endKey = (piece: Buffer, from: number, to: number) => {
    const bytes = key!.length > 0 ? Buffer.concat([...key!, piece.subarray(from, to)]) : piece;
    const [start, end] = key!.length > 0 ? [0, bytes.length] : [from, to];
    key = undefined;
    isFilled = true;
    const text = bytes.subarray(start, end).includes(0x5c) ? unescaped(bytes.toString('utf8', start, end)) : undefined;
    for (let index = 0; index < members.length; index++) {
      const member = members[index]!;
      const isSame =
        text === undefined
          ? member.bytes.length === end - start && member.bytes.compare(bytes, start, end) === 0
          : member.name === text;
      if (isSame) own.add(index);
    }
  };
  const added = () => {
    const json =
      own.size === 0
        ? all
        : members
            .filter((_, index) => !own.has(index))
            .map((member) => member.json)
            .join(',');
    return json === '' || !isFilled ? json : `,${json}`;
  };

  return {
    begin(next) {
      members = [...next].map(([name, value]) => ({
        name,
        bytes: Buffer.from(name),
        json: `${JSON.stringify(name)}:${value}`,
      }));
      all = members.map(({ json }) => json).join(',');
      [depth, inText, escaped, isKey, key] = [0, false, false, false, undefined];
    },
    push(piece, sink) {
      if (members.length === 0) return sink.copy(piece, 0, piece.length);
      let from = 0;
      let keyAt = 0;
      for (let index = 0; index < piece.length; index++) {
        const byte = piece[index]!;
        if (inText) {
          if (escaped) escaped = false;
          else if (byte === 0x5c) escaped = true;
          else if (byte === 0x22) {
            inText = false;
            if (key) endKey(piece, keyAt, index);
          }
          continue;
        }
        switch (byte) {
          case 0x22:
            inText = true;
            if (depth === 1 && isObject && isKey) {
              [key, isKey] = [[], false];
              keyAt = index + 1;
            }
            break;
          case 0x7b:
          case 0x5b:
            if (depth === 0) {
              [isObject, isKey, isFilled] = [byte === 0x7b, true, false];
              own.clear();
            }
            depth += 1;
            break;
          case 0x7d:
          case 0x5d:
            depth -= 1;
            if (depth > 0 || !isObject) break;
            sink.copy(piece, from, index);
            sink.text(added());
            from = index;
            break;
          case 0x2c:
            if (depth === 1) isKey = true;
        }
      }
      if (key) key.push(piece.subarray(keyAt));
      sink.copy(piece, from, piece.length);
    },
  };
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
