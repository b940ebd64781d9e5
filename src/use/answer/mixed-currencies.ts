import type { EventMatch } from '../../ask/analysis/event-match.ts';
import { cubeOf, defaultCube, shortNameOf } from '../../ask/query/member-name.ts';
import { readPerUserName } from '../../ask/query/per-user-name.ts';
import { readPropertyMember, spellPath, spellProperty, writePropertyName } from '../../ask/query/property-name.ts';
import type { CanonicalFilter, CanonicalQuery, Filter, Query } from '../../ask/query/query.ts';
import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import { quoteSome } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import { isBrokenDown, retentionOf } from '../../plan/analysis/retention/bind-retention.ts';
import { toRetentionFrame } from '../../plan/analysis/retention/retention-frame.ts';
import { enginePlans } from '../../plan/groups.ts';
import { type Amount, amountOf, currencyBeside } from '../../plan/mapping/amounts.ts';
import { memberOfColumn } from '../../plan/bind/find-member.ts';
import { type Catalog, toCatalog } from '../../plan/model/catalog.ts';
import type { Cube } from '../../plan/model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import { reachOf } from '../../run/backend.ts';
import { valuesOf, type Within } from '../workspace/find-values.ts';
import type { Session } from '../workspace/session.ts';

/** Maximum number of currencies to look up. */
const mostListed = 20;

/**
 * Returns a sentence for each amount of money whose rows have several currencies, unless the question groups by the
 * currency: no figure converts amounts. Local engines only, because further queries to a server are expensive. Errors
 * of the lookups are ignored.
 */
export async function tellMixedCurrencies(
  session: Session,
  plans: readonly Plan[],
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  if (reachOf(session.settings.backend.value) !== 'local') return [];
  const sentences = new Map<string, string>();
  const looked = new Set<string>();
  for (const plan of plans.flatMap(enginePlans)) {
    const { now, project = null } = plan;
    for (const { measure, query } of amountsOf(plan, session)) {
      // Only questions on events look for the columns that amounts may have beside them.
      if (plan.computed) await session.refreshModel(signal, [measure]);
      const { cubes } = session.model;
      const cube = cubes.find(({ name }) => name === cubeOf(measure));
      const amount = amountOf(measure);
      const member = cube && amount && currencyOf(cube, amount, cubes);
      if (!cube || !amount || !member || sentences.has(amount.name)) continue;
      if (query.dimensions?.includes(member)) continue;
      const asked = currenciesOf({ query, member, cube, amount }, session);
      // Several figures and plans are over the same rows.
      const key = JSON.stringify([asked, now, project]);
      if (looked.has(key)) continue;
      looked.add(key);
      const known = await textsOf(session, asked, { asOf: now, project, signal });
      if (known.length > 1) sentences.set(amount.name, toSentence(amount.name, { member, cube, plan }, known));
    }
  }
  return [...sentences.values()];
}

interface Currency {
  readonly member: string;
  /** The cube of the amount. */
  readonly cube: Cube;
  readonly plan: Plan;
}

function toSentence(amount: string, { member, cube, plan }: Currency, known: readonly string[]): string {
  const short = shortNameOf(member);
  const written = spellPath(readPropertyMember(short)?.path ?? [short]);
  const own = /^[\p{L}\p{N}_.]+$/u.test(written) ? written : spellProperty(short);
  const name = cubeOf(member) === cube.name ? own : member;
  const word = known.find((value) => /^\w+$/.test(value));
  const only = word === undefined ? undefined : `\`where ${name} = ${word}\``;
  // A definition may already have a breakdown.
  const todo = plan.computed
    ? `Add ${only ?? `a condition on \`${name}\``}`
    : `Add \`by ${name}\`${only ? `, or ${only}` : ''}`;
  return (
    `${quote(amount)} is in several currencies (${quoteSome(known)}), ` +
    `and its figures do not convert them. ${todo}.`
  );
}

/** A measure that may be of an amount, and a query for the rows that it is of. */
interface Asked {
  readonly measure: string;
  readonly query: CanonicalQuery;
}

function amountsOf(plan: Plan, session: Session): readonly Asked[] {
  const { query } = plan;
  if (!plan.computed) return [...(query.measures ?? []), ...perUser(query)].map((measure) => ({ measure, query }));
  const retention = retentionOf(plan);
  const { value, breakdown } = retention?.bound ?? {};
  if (!retention || !value || !plan.measures.some(({ measure }) => measure.name === 'value')) return [];
  const { definition } = retention;
  const matches = [definition.start, definition.comeBack].map(conditionsOf);
  const isAny = matches.some(({ length }) => length === 0);
  const { start, end } = toRetentionFrame(plan, definition).window;
  const catalog = toCatalog(session.model);
  const { filters } = toCanonicalQuery({
    filters: [...definition.where, ...(isAny ? [] : [{ or: matches.map((and) => ({ and })) }])].map((filter) =>
      byMembers(filter, catalog),
    ),
  });
  const rows: CanonicalQuery = {
    ...(breakdown && isBrokenDown(plan) && { dimensions: [`${breakdown.cube.name}.${breakdown.dimension.name}`] }),
    timezone: plan.zone,
    filters,
    timeDimensions: [{ dimension: `${defaultCube}.utcTime`, dateRange: [writeUtc(start), writeUtc(end - 1)] }],
  };
  return [{ measure: `${value.cube.name}.${value.measure.name}`, query: rows }];
}

/** Definitions name columns as the files have them. */
function byMembers(filter: Filter, catalog: Catalog): Filter {
  if ('and' in filter) return { and: filter.and.map((each) => byMembers(each, catalog)) };
  if ('or' in filter) return { or: filter.or.map((each) => byMembers(each, catalog)) };
  return { ...filter, member: memberOfColumn(filter.member, catalog) ?? filter.member };
}

/** The conditions of a match. Of a pattern of paths, only the text before its first `*` counts. */
function conditionsOf({ event, targets, where }: EventMatch): readonly Filter[] {
  const [type, path] = [`${defaultCube}.eventType`, `${defaultCube}.docPath`];
  const paths = targets.map(
    ({ path: text, isPattern }): Filter =>
      isPattern
        ? { member: path, operator: 'startsWith', values: [text.replace(/\*[^]*/, '')] }
        : { member: path, operator: 'equals', values: [text] },
  );
  return [
    ...(event === undefined ? [] : [{ member: type, operator: 'equals' as const, values: [event] }]),
    ...(paths.length > 0 ? [{ or: paths }] : []),
    ...where,
  ];
}

/**
 * The full name of the dimension with the currency of an amount: in its cube, else in one that it joins many to one.
 */
function currencyOf(cube: Cube, amount: Amount, cubes: readonly Cube[]): string | undefined {
  const own = currencyBeside(cube, amount.path);
  if (own !== undefined) return `${cube.name}.${own}`;
  for (const { cube: name, relationship } of cube.joins) {
    const other = relationship === 'one_to_many' ? undefined : cubes.find((each) => each.name === name);
    const currency = currencyBeside(other, undefined);
    if (currency !== undefined) return `${name}.${currency}`;
  }
  return undefined;
}

/** The measures that dimensions hold for each user. */
function perUser({ dimensions = [] }: CanonicalQuery): readonly string[] {
  return dimensions.flatMap((name) => readPerUserName(name)?.of ?? []);
}

/** A query for the currencies of the rows that a measure is of. */
function currenciesOf(
  of: { readonly query: CanonicalQuery; readonly member: string; readonly cube: Cube; readonly amount: Amount },
  session: Session,
): Query {
  const { query, member, cube, amount } = of;
  const { timezone, segments, timeDimensions = [], filters = [] } = query;
  const isOfRows = (filter: CanonicalFilter): boolean =>
    'and' in filter
      ? filter.and.every(isOfRows)
      : 'or' in filter
        ? filter.or.every(isOfRows)
        : !isMeasure(session, filter.member);
  const isThere = amount.path
    ? [{ member: `${cube.name}.${writePropertyName(amount.path)}`, operator: 'set' as const }]
    : [];
  return {
    dimensions: [member],
    filters: [...filters.filter(isOfRows), ...isThere, { member, operator: 'set' as const }],
    timeDimensions: timeDimensions.flatMap(({ dimension, dateRange }) =>
      dateRange === undefined ? [] : [{ dimension, dateRange }],
    ),
    order: [[member, 'asc'] as const],
    limit: mostListed,
    timezone,
    segments,
  };
}

/** The values that are not blank; none if they cannot be looked up. */
async function textsOf(session: Session, query: Query, within: Within): Promise<readonly string[]> {
  try {
    return ((await valuesOf(session, query, within)) ?? []).filter((value) => value.trim() !== '');
  } catch (error) {
    if (within.signal?.aborted) throw error;
    return [];
  }
}

function isMeasure({ model }: Session, member: string): boolean {
  const cube = model.cubes.find(({ name }) => name === cubeOf(member));
  return cube?.measures.some(({ name }) => name === shortNameOf(member)) ?? false;
}
