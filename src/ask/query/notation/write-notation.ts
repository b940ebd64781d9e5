import { toCanonicalQuery } from '../canonical-query.ts';
import { cubeOf } from '../member-name.ts';
import type { MemberCatalog } from '../member-catalog.ts';
import type { CanonicalQuery, Query } from '../query.ts';
import { usualTimeMember } from '../time-member.ts';
import { writeCanonicalQuery } from '../write-query.ts';
import { writeRange } from './parse-range.ts';
import { type NotationOptions, readNotation } from './read-notation.ts';
import { isDateLike, isReserved } from './words.ts';
import { writeConditions } from './write-condition.ts';
import { defaultCube } from '../default-cube.ts';

/**
 * A query as one line that reads back to the same query; undefined where a line cannot say it
 * (`total`, `ungrouped`, no order at all, a range on a second time dimension …).
 */
export function writeNotation(query: Query, options: NotationOptions = {}): string | undefined {
  const canonical = toCanonicalQuery(query);
  const line = writeClauses(canonical, options);
  const again = readNotation(line, options);
  return again.ok && writeCanonicalQuery(again.value) === writeCanonicalQuery(canonical) ? line : undefined;
}

function writeClauses(query: CanonicalQuery, { defaultCube: home = defaultCube, members }: NotationOptions): string {
  const [first] = query.measures ?? [];
  const cube = first === undefined ? home : cubeOf(first);
  const nameIn = (around: string) => (name: string) => shorten(name, around);
  const name = nameIn(cube);
  const measures = (query.measures ?? []).map((measure, index) => nameIn(index === 0 ? home : cube)(measure));
  const ranged = query.timeDimensions?.[0];
  return [
    measures.join(', '),
    writeGroups(query, name, members),
    ranged?.dateRange !== undefined ? writeRange(ranged.dateRange) : '',
    ranged?.compareDateRange !== undefined ? `compare ${ranged.compareDateRange.map(writeRange).join(' with ')}` : '',
    query.filters ? `where ${writeConditions(query.filters, name)}` : '',
    query.segments ? `segment ${query.segments.map(name).join(', ')}` : '',
    writeOrder(query, name),
    query.offset === undefined ? '' : `offset ${query.offset}`,
    query.timezone === undefined ? '' : `in ${query.timezone}`,
  ].filter((clause) => clause !== '').join(' ');
}

function writeGroups(query: CanonicalQuery, name: (name: string) => string, members: MemberCatalog | undefined): string {
  const home = cubeOf((query.measures ?? query.dimensions)?.[0] ?? '');
  const usual = members?.timeMemberOf(home) ?? usualTimeMember(home);
  const times = (query.timeDimensions ?? []).filter(({ granularity }) => granularity !== undefined);
  const buckets = times.map(({ dimension, granularity = 'day' }) => (dimension === usual ? granularity : name(`${dimension}.${granularity}`)));
  const groups = [...(query.dimensions ?? []).map(name), ...buckets];
  return groups.length === 0 ? '' : `by ${groups.join(', ')}`;
}

function writeOrder({ order, limit, measures }: CanonicalQuery, name: (name: string) => string): string {
  const [only, ...others] = order ?? [];
  if (only && others.length === 0 && limit !== undefined && only[0] === measures?.[0]) return `${only[1] === 'desc' ? 'top' : 'bottom'} ${limit}`;
  const members = (order ?? []).map(([member, direction]) => name(member) + (direction === 'desc' ? ' desc' : ''));
  return [members.length === 0 ? '' : `order by ${members.join(', ')}`, limit === undefined ? '' : `limit ${limit}`].filter(Boolean).join(' ');
}

/** Without its cube, where that is the one that short names belong to and the rest is a word without a meaning of its own. */
export function shorten(full: string, cube: string): string {
  if (cubeOf(full) !== cube) return full;
  const short = full.slice(cube.length + 1);
  const [word = ''] = short.split('.');
  return /^[a-zA-Z_]\w*$/.test(word) && !isReserved(word) && !isDateLike(word) ? short : full;
}
