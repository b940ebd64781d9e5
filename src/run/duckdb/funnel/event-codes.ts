import {
  textOf,
  type EventCondition,
  type FunnelProgram,
  distinctConditions,
} from '../../analysis/funnel/funnel-program.ts';
import { allOf, anyOf, boundText, type Expression, joined, sql, trusted } from '../../../plan/sql/expression.ts';
import { type EventKinds, openEventKinds } from '../../analysis/funnel/user-events.ts';

/** How SQL encodes the conditions of an event as whole numbers, and how to decode these. */
export interface EventCodes {
  readonly kinds: EventKinds;
  /** For each step, then for each exclusion, the index of its condition. */
  readonly conditions: readonly number[];
  /** True for events that meet some condition. */
  readonly matters: Expression;
  /** One number an event, or several if all conditions do not fit into one; never null for events that are read. */
  readonly words: readonly Expression[];
  /** If `words` has one number: its maximum. It starts at 0. */
  readonly most: number | undefined;
  /** The kind for the numbers at `index` of each list. */
  toKind(words: readonly Int32Array[], index: number): number;
}

/** Conditions that share a number, so that it fits into an INTEGER. */
const wordBits = 30;

/** Largest code that fits beside the time. */
const mostBeside = 1023;

export function toEventCodes({
  steps,
  exclusions,
  order,
}: Pick<FunnelProgram, 'steps' | 'exclusions' | 'order'>): EventCodes {
  const { all, conditions } = distinctConditions([...steps, ...exclusions]);
  const kinds = openEventKinds(all.length);
  return { kinds, conditions, ...(toPathCodes(all, kinds, order === 'strict') ?? toMasks(all, kinds)) };
}

type Coding = Pick<EventCodes, 'matters' | 'words' | 'most' | 'toKind'>;

/**
 * If the conditions differ only by path and share no path, the code is the path's position in a list. `others`: also
 * include events that meet no condition.
 */
function toPathCodes(all: readonly EventCondition[], kinds: EventKinds, others: boolean): Coding | undefined {
  const [first] = all;
  if (!first || all.some(({ paths, also }) => paths === undefined || textOf(also) !== textOf(first.also)))
    return undefined;
  const places = all.flatMap(({ paths }, condition) =>
    [...new Set(paths)].map((path) => ({ path, kind: kinds.kindOf([condition]) })),
  );
  if (places.length > mostBeside || new Set(places.map(({ path }) => path)).size < places.length) return undefined;
  const paths = pathList(places.map(({ path }) => path));
  const place = sql`list_position(${paths}, doc_path)`;
  const kindOfPlace = Int32Array.from([0, ...places.map(({ kind }) => kind)]);
  return {
    matters: allOf([first.also, sql`list_contains(${paths}, doc_path)`]),
    words: [others ? sql`CASE WHEN ${first.also} THEN coalesce(${place}, 0) ELSE 0 END` : place],
    most: places.length,
    toKind: ([words], index) => kindOfPlace[words![index]!]!,
  };
}

/** One bit for each condition. */
function toMasks(all: readonly EventCondition[], kinds: EventKinds): Coding {
  const tests = all.map(({ paths, also }) =>
    paths ? allOf([also, sql`list_contains(${pathList(paths)}, doc_path)`]) : also,
  );
  const words = Array.from({ length: Math.ceil(tests.length / wordBits) }, (_, word) => {
    const bits = tests
      .slice(word * wordBits, (word + 1) * wordBits)
      .map((test, bit) => sql`CASE WHEN ${test} THEN ${trusted(String(2 ** bit))} ELSE 0 END`);
    return sql`(${joined(bits, ' + ')})`;
  });
  const known = new Map<string | number, number>();
  return {
    matters: sql`(${anyOf(tests)})`,
    words,
    most: words.length === 1 ? 2 ** tests.length - 1 : undefined,
    toKind(lists, index) {
      const key = lists.length === 1 ? lists[0]![index]! : lists.map((list) => list[index]!).join(' ');
      let kind = known.get(key);
      if (kind === undefined) {
        kind = kinds.kindOf(
          tests.flatMap((_, condition) =>
            (lists[Math.floor(condition / wordBits)]![index]! >> (condition % wordBits)) & 1 ? [condition] : [],
          ),
        );
        known.set(key, kind);
      }
      return kind;
    },
  };
}

/** DuckDB tests list functions once for each distinct path of a column's page, but IN once a row. */
function pathList(paths: readonly string[]): Expression {
  return sql`[${joined(
    paths.map((path) => boundText(path)),
    ', ',
  )}]`;
}

/** Whether time and code fit into one number. */
export function fitBeside({ most }: EventCodes): boolean {
  return most !== undefined && most <= mostBeside;
}
