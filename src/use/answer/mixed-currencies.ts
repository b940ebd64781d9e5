import { cubeOf, shortNameOf } from '../../ask/query/member-name.ts';
import { readPerUserName } from '../../ask/query/per-user-name.ts';
import { readPropertyMember, spellPath, spellProperty, writePropertyName } from '../../ask/query/property-name.ts';
import type { CanonicalFilter, CanonicalQuery, Query } from '../../ask/query/query.ts';
import { quoteSome } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { enginePlans } from '../../plan/groups.ts';
import { type Amount, amountOf, currencyBeside } from '../../plan/mapping/amounts.ts';
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
  for (const { query, now, computed, project = null } of plans.flatMap(enginePlans)) {
    if (computed) continue;
    for (const measure of [...(query.measures ?? []), ...perUser(query)]) {
      const cube = session.model.cubes.find(({ name }) => name === cubeOf(measure));
      const amount = amountOf(measure);
      const currency = amount && currencyBeside(cube, amount.path);
      if (!cube || !amount || !currency || sentences.has(amount.name)) continue;
      const member = `${cube.name}.${currency}`;
      if (query.dimensions?.includes(member)) continue;
      const asked = currenciesOf({ query, member, cube, amount }, session);
      // Several figures and plans are over the same rows.
      const key = JSON.stringify([asked, now, project]);
      if (looked.has(key)) continue;
      looked.add(key);
      const known = await textsOf(session, asked, { asOf: now, project, signal });
      if (known.length > 1) sentences.set(amount.name, toSentence(amount.name, currency, known));
    }
  }
  return [...sentences.values()];
}

function toSentence(amount: string, currency: string, known: readonly string[]): string {
  const written = spellPath(readPropertyMember(currency)?.path ?? [currency]);
  const name = /^[\p{L}\p{N}_.]+$/u.test(written) ? written : spellProperty(currency);
  const word = known.find((value) => /^\w+$/.test(value));
  const only = word === undefined ? '' : `, or \`where ${name} = ${word}\``;
  return `${quote(amount)} is in several currencies (${quoteSome(known)}), and its figures do not convert them. Add \`by ${name}\`${only}.`;
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
