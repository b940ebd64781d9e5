import type { EventMatch } from '../../../ask/analysis/event-match.ts';
import { writeValue } from '../../../ask/notation/write-notation.ts';
import { didYouMean, quoteSome } from '../../../ask/suggest.ts';
import { writtenAt } from '../../../ask/analysis/written-place.ts';
import { quote } from '../../../ask/text.ts';
import type { Funnel } from '../../../ask/funnel/funnel.ts';
import type { BoundFunnel } from '../../../plan/analysis/funnel/bind-funnel.ts';
import type { BoundComputation, BoundRule, Condition, Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { duckDb, toDuckDbValue } from '../../../plan/sql/duckdb.ts';
import { allOf, bound, type Expression, joined, sql, trusted } from '../../../plan/sql/expression.ts';
import { printStatement } from '../../../plan/sql/print-statement.ts';
import type { AnswerFacts } from '../../backend.ts';
import { type EngineSession, steadily } from './answer.ts';
import { lookedAtEvents, lowerDimension } from './event-condition.ts';

/** The event types, paths and values that a definition names. */
export interface NamedEvents {
  /** Finds its position in the file. */
  readonly definition?: object | undefined;
  readonly matches: readonly EventMatch[];
  readonly conditions: readonly Condition[];
}

/** A value that some event should have. */
interface WantedValue {
  /** SQL over `looked_at`. */
  readonly expression: Expression;
  /** Its name for people: `type`, `path`, `docHost`. */
  readonly what: string;
  readonly value: string;
  /** The definition that names it. */
  readonly by: readonly object[];
}

/** Longer lists of values are not looked up. */
const mostWanted = 20;
const mostKnown = 2000;

/**
 * Sentences about event types, paths and values that a definition or a cohort of the plan names and no event has, with
 * the nearest existing ones. Their figures are 0, which looks like any other figure. Errors: as `answer`.
 */
export function tellUnknown(
  session: EngineSession,
  plan: Plan,
  named: NamedEvents,
  signal: AbortSignal | undefined,
  dialect: Dialect = duckDb,
): Promise<readonly string[]> {
  return tellUnknownIn((expression) => rowsOf(session, plan, expression, signal), plan, named, dialect);
}

/** The values that a cohort's rule and the steps of its funnels name. */
function namedByRule(rule: BoundRule): NamedEvents {
  switch (rule.kind) {
    case 'did':
      return { matches: [rule.match], conditions: rule.conditions };
    case 'reached': {
      const { definition, bound } = rule.funnel as BoundComputation<Funnel, BoundFunnel>;
      return bound ? namedByFunnel(definition, bound) : { matches: [], conditions: [] };
    }
    case 'group': {
      const all = [...rule.all, ...rule.any, ...rule.except].map(namedByRule);
      return {
        matches: all.flatMap(({ matches }) => matches),
        conditions: all.flatMap(({ conditions }) => conditions),
      };
    }
    default:
      return { matches: [], conditions: [] };
  }
}

/** The values that a funnel names. */
export function namedByFunnel(definition: Funnel, { where, steps, exclude }: BoundFunnel): NamedEvents {
  return {
    definition,
    matches: [...definition.steps, ...definition.exclude],
    conditions: [where, ...steps, ...exclude].flat(),
  };
}

/** The same for any engine that returns the rows of a statement over `events`. */
export async function tellUnknownIn(
  rowsOf: (expression: Expression) => Promise<readonly (readonly unknown[])[]>,
  plan: Pick<Plan, 'project' | 'cohorts'>,
  named: NamedEvents,
  dialect: Dialect = duckDb,
): Promise<readonly string[]> {
  const all = [named, ...(plan.cohorts ?? []).map(({ rule }) => namedByRule(rule))];
  const wanted = wantedValues(all, dialect);
  if (wanted.length === 0 || wanted.length > mostWanted) return [];
  const own = plan.project === undefined ? [] : [sql`project_id = ${bound({ type: 'text', value: plan.project })}`];
  const checks = wanted.map(
    ({ expression, value }) =>
      sql`EXISTS (SELECT 1 FROM ${lookedAtEvents(dialect)} WHERE ${allOf([...own, sql`${expression} = ${bound({ type: 'text', value })}`])})`,
  );
  const [found = []] = await rowsOf(sql`SELECT ${joined(checks, ', ')}`);
  const unknown = wanted.filter((_, index) => !found[index]);
  return Promise.all(
    unknown.map(async (one) => {
      const known = await rowsOf(
        sql`SELECT ${one.expression} AS value, count(*) AS events FROM ${lookedAtEvents(dialect)}
WHERE ${allOf([...own, sql`${one.expression} IS NOT NULL`])} GROUP BY 1 ORDER BY events DESC, value LIMIT ${trusted(String(mostKnown))}`,
      );
      const isCustom =
        one.what === 'type' &&
        (
          await rowsOf(
            sql`SELECT 1 FROM "events" WHERE custom_event_name = ${bound({ type: 'text', value: one.value })} LIMIT 1`,
          )
        ).length > 0;
      if (isCustom)
        return `${noEvent(one)} It is the name of custom events: write \`any where customEventName = ${writeValue(one.value)}\`.`;
      return tell(
        one,
        known.map(([value]) => String(value)),
      );
    }),
  );
}

/** The facts with further missing fields or values. */
export function withLacking(facts: AnswerFacts, more: readonly string[]): AnswerFacts {
  return more.length === 0 ? facts : { ...facts, lacking: [...(facts.lacking ?? []), ...more] };
}

function noEvent({ what, value, by }: WantedValue): string {
  const place = writtenAt(by, value);
  return `No event has the ${what} ${quote(value)}${place === undefined ? '' : ` (${place})`}: figures about it are empty.`;
}

function tell(one: WantedValue, known: readonly string[]): string {
  const near = didYouMean(one.value, known);
  const others = known.length === 0 ? `No event has any ${one.what}.` : `Events have ${quoteSome(known)}.`;
  return `${noEvent(one)} ${near ?? others}`;
}

/** Event types, exact paths, and texts in conditions, each once. */
function wantedValues(named: readonly NamedEvents[], dialect: Dialect): readonly WantedValue[] {
  const all = named.flatMap(({ definition, matches, conditions }) => {
    const own = definition ? [definition] : [];
    return [
      ...matches.flatMap((match): readonly WantedValue[] => {
        const by = [match, ...own];
        return [
          ...(match.event === undefined
            ? []
            : [{ expression: trusted('event_type'), what: 'type', value: match.event, by }]),
          ...match.targets
            .filter(({ isPattern }) => !isPattern)
            .map(({ path }) => ({ expression: trusted('doc_path'), what: 'path', value: path, by })),
        ];
      }),
      ...conditions.flatMap((condition) => textsAsked(condition, [...own, ...matches], dialect)),
    ];
  });
  return [...new Map(all.map((one) => [`${one.what} ${one.value}`, one])).values()];
}

function textsAsked(condition: Condition, by: readonly object[], dialect: Dialect): readonly WantedValue[] {
  if (condition.kind !== 'test') return condition.conditions.flatMap((one) => textsAsked(one, by, dialect));
  const { operand, test } = condition;
  if (operand.kind !== 'dimension' || operand.dimension.type !== 'string' || test.kind !== 'one-of') return [];
  const { cube, dimension } = operand;
  // Skip cohorts: they are named after users and not events, and unknown names are issues.
  if (dimension.cohort) return [];
  return test.values
    .filter((value) => typeof value === 'string')
    .map((value) => ({ expression: lowerDimension({ cube, dimension }, dialect), what: dimension.name, value, by }));
}

async function rowsOf(
  session: EngineSession,
  { zone }: Plan,
  expression: Expression,
  signal: AbortSignal | undefined,
): Promise<readonly (readonly unknown[])[]> {
  const { text, parameters } = printStatement(expression, duckDb);
  const statement = { text, parameters: parameters.map(toDuckDbValue), columns: [], counters: 0, zone };
  return steadily(session, statement, (engine) => engine.rows(text, statement.parameters), signal);
}
