import { invariant } from '../../ask/invariant.ts';
import { badWith, good, type Outcome } from '../../ask/outcome.ts';
import { bind } from '../bind/bind.ts';
import type { Model } from '../model/model.ts';
import { ownProperties } from '../model/own-properties.ts';
import { clickHouse, quoteClickHouseText } from '../sql/clickhouse/dialect.ts';
import { quotedName } from '../sql/clickhouse/event-table.ts';
import { propertyColumn } from '../sql/clickhouse/property.ts';
import { duckDb } from '../sql/duckdb.ts';
import { type CheckStatement, type JoinCheck, joinChecks, repeatedKeys } from '../sql/join-check.ts';
import { printStatement } from '../sql/print-statement.ts';
import { name as called } from '../sql/expression.ts';
import { toStatement } from '../sql/to-statement.ts';
import { ownEventsTable } from './events-table.ts';

/** Events made from a model's own cube: SQL without parameters, and the canonical columns that it returns. */
export interface MappedEvents {
  readonly sql: string;
  readonly columns: readonly string[];
  /** Name of the cube, for messages. */
  readonly cube: string;
  /** Whether a cube of the model reads a table `events`, which is then called `ownEventsTable`. */
  readonly readsEvents: boolean;
  /** Checks of the joins that the SQL follows. */
  readonly joins: readonly JoinCheck[];
  /** Counts the rows of the cube that have the primary key of another one; undefined without a key. */
  readonly repeatedKeys: CheckStatement | undefined;
}

function quoteDuckDbText(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** SQL that differs between the engines. */
const words = {
  duckdb: {
    dialect: duckDb,
    quoteText: quoteDuckDbText,
    toText: (value: string) => `CAST(${value} AS VARCHAR)`,
    toProperties: (pairs: readonly (readonly [key: string, value: string])[]) => [
      ['further', `json_object(${pairs.flatMap(([key, value]) => [quoteDuckDbText(key), value]).join(', ')})`],
    ],
  },
  clickhouse: {
    dialect: clickHouse,
    quoteText: quoteClickHouseText,
    toText: (value: string) => `toString(${value})`,
    // A column for each, because the server knows its type, and then reads no other.
    toProperties: (pairs: readonly (readonly [key: string, value: string])[]) =>
      pairs.map(([key, value]) => [quotedName(propertyColumn([key])), value]),
  },
} as const;

/**
 * The rows of the model's events cube under the canonical columns: `utc_time` is a time in UTC, the others are text.
 * Dates are days of `zone`. The cube's other dimensions are properties of the events: in DuckDB the JSON in `further`,
 * in ClickHouse columns that `propertyColumn` names. undefined if the model has no events cube. Issues:
 * `events-repeated` if a join repeats rows, and those of binding.
 */
export function toMappedEvents(
  model: Model,
  zone: string,
  engine: keyof typeof words = 'duckdb',
): Outcome<MappedEvents | undefined> {
  const { dialect, quoteText, toText, toProperties } = words[engine];
  const { events } = model;
  if (!events) return good(undefined);
  const { cube, members, pageViews } = events;
  const mapped = new Set(members.map(({ member }) => member));
  const others = ownProperties(model);
  const outcome = bind({ dimensions: [...new Set([...mapped, ...others.values()])], ungrouped: true }, model, {
    now: 0,
    limits: 'none',
  });
  if (!outcome.ok) return outcome;
  const [plan] = outcome.value;
  invariant(plan, 'a query without comparison has one plan');
  if (plan.root.name !== cube || plan.multiplied.includes(cube)) {
    const message = `The members of the events cube "${cube}" come from a join that repeats its rows, or starts elsewhere.`;
    return badWith('events-repeated', message, {
      hint: 'Use members of the cube itself, or of cubes that it joins many to one.',
    });
  }
  // A view takes no parameters. The only values here are labels from the model.
  const { text } = toStatement(
    { ...plan, order: [], limit: undefined },
    {
      ...dialect,
      placeholder(_, parameter) {
        invariant(parameter.type === 'text', 'a label is text');
        return quoteText(parameter.value);
      },
    },
  );
  const expressions = new Map(
    members.map(({ column, member }) => {
      const isTime = column === 'utc_time';
      const { text: value } = printStatement(
        isTime ? dialect.toInstant(called(member), zone) : called(member),
        dialect,
      );
      // As with mapped columns of files, an empty text is no value.
      return [column, isTime ? value : `nullif(${toText(value)}, '')`];
    }),
  );
  const properties = [...others].map(([name, member]) => [name, printStatement(called(member), dialect).text] as const);
  for (const [column, value] of toProperties(properties)) expressions.set(column!, value!);
  const type = expressions.get('event_type');
  const page = expressions.get('doc_path') ?? expressions.get('url');
  // Without an event type, an event with a page is a page view.
  if (type === undefined && page !== undefined)
    expressions.set('event_type', `CASE WHEN ${page} <> '' THEN 'pageview' END`);
  if (type !== undefined && pageViews.length > 0)
    expressions.set(
      'event_type',
      `CASE WHEN ${type} IN (${pageViews.map(quoteText).join(', ')}) THEN 'pageview' ELSE ${type} END`,
    );
  const columns = [...expressions].map(([column, expression]) => `${expression} AS ${column}`);
  return good({
    sql: `SELECT ${columns.join(', ')} FROM (${text}) AS mapped`,
    columns: [...expressions.keys()],
    cube,
    readsEvents: model.cubes.some(({ source }) => source.kind === 'table' && source.path?.at(-1) === ownEventsTable),
    joins: joinChecks(plan, dialect),
    repeatedKeys: repeatedKeys(plan.root, plan, dialect),
  });
}
