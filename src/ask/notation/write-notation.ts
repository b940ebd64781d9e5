import { isGranularity } from '../time/granularity.ts';
import { mapNames, partsOf } from './formula.ts';
import { nameOfFormula, writeFormula } from './write-formula.ts';
import { groupKeys, inColumnOrder, toCanonicalQuery, writeCanonicalQuery } from '../query/canonical-query.ts';
import { type MemberCatalog, rowColumns } from '../query/member-catalog.ts';
import { cubeOf, defaultCube, shortNameOf, usualTimeMember, readComputedName } from '../query/member-name.ts';
import { readTimeSpan } from '../query/time-span.ts';
import { readPropertyMember, spellProperty } from '../query/property-name.ts';
import type { CanonicalQuery, Query } from '../query/query.ts';
import { writeRange } from './parse-range.ts';
import { readFormula } from './parse-formula.ts';
import { type NotationOptions, readNotation } from './read-notation.ts';
import { isDateLike, isReserved } from './words.ts';
import { writeConditions } from './write-condition.ts';

/**
 * Writes a query as one line that reads back to the same query. Undefined if the notation cannot express it (`total`,
 * `ungrouped` with measures, no order at all, a range on a second time dimension …).
 */
export function writeNotation(query: Query, options: NotationOptions = {}): string | undefined {
  const canonical = toCanonicalQuery({ ...query, ...(query.formulas && { formulas: plainFormulas(query.formulas) }) });
  const line = writeClauses(canonical, options);
  const again = readNotation(line, options);
  return again.ok && writeCanonicalQuery(again.value) === writeCanonicalQuery(canonical) ? line : undefined;
}

function writeClauses(query: CanonicalQuery, { defaultCube: home = defaultCube, members }: NotationOptions): string {
  const [first] = query.measures ?? [];
  const rows = query.ungrouped === true && first === undefined;
  const cube = first === undefined ? (rows ? cubeOf(query.dimensions?.[0] ?? `${home}.`) : home) : cubeOf(first);
  const nameIn = (around: string) => (name: string) => shorten(name, around);
  const name = nameIn(cube);
  const measures = (query.measures ?? []).map((measure, index) => {
    const writeName = nameIn(index === 0 ? home : cube);
    const text = query.formulas?.[measure];
    return text === undefined ? writeName(measure) : writeMeasure(measure, text, writeName, nameIn(cube));
  });
  const ranged = query.timeDimensions?.[0];
  const conditions = query.filters ? `where ${writeConditions(query.filters, name)}` : '';
  return [
    ...(rows
      ? writeRows(query, nameIn(home), members, conditions)
      : [measures.join(', '), writeGroups(query, name, members)]),
    ranged?.dateRange !== undefined ? writeRange(ranged.dateRange) : '',
    ranged?.compareDateRange !== undefined ? `compare ${ranged.compareDateRange.map(writeRange).join(' with ')}` : '',
    rows ? '' : conditions,
    query.segments ? `segment ${query.segments.map(name).join(', ')}` : '',
    rows && isLatestFirst(query, members) ? writeOrder({ ...query, order: [] }, name) : writeOrder(query, name),
    query.other ? 'with other' : '',
    query.offset === undefined ? '' : `offset ${query.offset}`,
    query.timezone === undefined ? '' : `in ${query.timezone}`,
  ]
    .filter((clause) => clause !== '')
    .join(' ');
}

/** Writes `events where …` for the usual columns, or `raw events …` for others. */
function writeRows(
  { dimensions = [], filters }: CanonicalQuery,
  name: (name: string) => string,
  members: MemberCatalog | undefined,
  conditions: string,
): readonly string[] {
  const usual = rowColumns(cubeOf(dimensions[0] ?? ''), members, filters);
  const isUsual = usual.length === dimensions.length && usual.every((column, index) => column === dimensions[index]);
  if (isUsual) return [conditions === '' ? 'raw events' : 'events', conditions];
  return ['raw events', dimensions.map(name).join(', '), conditions];
}

function isLatestFirst({ order = [], dimensions = [] }: CanonicalQuery, members: MemberCatalog | undefined): boolean {
  const home = cubeOf(dimensions[0] ?? '');
  const [only, ...others] = order;
  const time = members?.timeMemberOf(home) ?? usualTimeMember(home);
  return others.length === 0 && only?.[1] === 'desc' && only[0] === time && dimensions.includes(time);
}

/** Writes a formula, with a name if it differs from the default one. */
function writeMeasure(
  name: string,
  text: string,
  writeFirst: (name: string) => string,
  writeName: (name: string) => string,
): string {
  const read = readFormula(text, cubeOf(name));
  if (!read.ok) return text;
  const first = partsOf(read.value)[0];
  const line = writeFormula(
    mapNames<string, string>(read.value, (member, change) => ({
      kind: 'measure',
      name: member === first?.name ? writeFirst(member) : writeName(member),
      ...(change && { change }),
    })),
    (member) => member,
    writeName,
  );
  return nameOfFormula(read.value) === shortNameOf(name) ? line : `${line} as ${shortNameOf(name)}`;
}

/** Rewrites formulas as a line does: with full names, in one form. */
function plainFormulas(formulas: NonNullable<Query['formulas']>): NonNullable<Query['formulas']> {
  return Object.fromEntries(
    Object.entries(formulas).map(([name, text]) => {
      const read = readFormula(text, cubeOf(name));
      return [name, read.ok ? writeFormula(read.value) : text];
    }),
  );
}

function writeGroups(
  query: CanonicalQuery,
  name: (name: string) => string,
  members: MemberCatalog | undefined,
): string {
  const home = cubeOf((query.measures ?? query.dimensions)?.[0] ?? '');
  const usual = members?.timeMemberOf(home) ?? usualTimeMember(home);
  const buckets = (query.timeDimensions ?? []).flatMap(({ dimension, granularity }) =>
    granularity === undefined
      ? []
      : [
          [
            `${dimension}.${granularity}`,
            dimension === usual && isGranularity(granularity) ? granularity : name(`${dimension}.${granularity}`),
          ] as const,
        ],
  );
  const written = new Map([...(query.dimensions ?? []).map((full) => [full, name(full)] as const), ...buckets]);
  const groups = inColumnOrder(query.columns ?? [], groupKeys(query)).map((key) => written.get(key));
  return groups.length === 0 ? '' : `by ${groups.join(', ')}`;
}

function writeOrder({ order, limit, measures }: CanonicalQuery, name: (name: string) => string): string {
  const [only, ...others] = order ?? [];
  if (only && others.length === 0 && limit !== undefined && only[0] === measures?.[0])
    return `${only[1] === 'desc' ? 'top' : 'bottom'} ${limit}`;
  const members = (order ?? []).map(([member, direction]) => name(member) + (direction === 'desc' ? ' desc' : ''));
  return [members.length === 0 ? '' : `order by ${members.join(', ')}`, limit === undefined ? '' : `limit ${limit}`]
    .filter(Boolean)
    .join(' ');
}

/**
 * A name as one writes it in a line: without its cube if that is the current one and the rest is not a reserved word.
 */
export function shorten(full: string, cube: string): string {
  if (cubeOf(full) !== cube) return full;
  const short = full.slice(cube.length + 1);
  if (readPropertyMember(short)) return spellProperty(short);
  if (readComputedName(short) || readTimeSpan(short)) return short;
  const [word = ''] = short.split('.');
  return /^[a-zA-Z_]\w*$/.test(word) && !isReserved(word) && !isDateLike(word) ? short : full;
}
