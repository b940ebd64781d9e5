import { groupedDigits } from '../model/property-members.ts';
import { type Cube, isOfModel } from '../model/model.ts';
import { plural, quote } from '../../ask/text.ts';
import type { BoundJoin, Plan } from '../plan.ts';
import type { Dialect } from './dialect.ts';
import { type Expression, name, sql } from './expression.ts';
import { expandTemplate, rowIdentity } from './member-expression.ts';
import { printStatement } from './print-statement.ts';
import type { Statement } from './statement.ts';

export type CheckStatement = Omit<Statement, 'uncounted'>;

/** A statement that compares a join of a plan with what the model says of it. */
export interface JoinCheck {
  /** Its only row: all rows of the many side, these rows joined, and those that match no row of the one side. */
  readonly statement: CheckStatement;
  /**
   * Has a row if some rows of the one side have the same keys. It reads no row of the many side, which is often much
   * larger. undefined if the SQL of the join does not tell its keys.
   */
  readonly repeats: CheckStatement | undefined;
  /** The names of the cubes on its sides. */
  readonly many: string;
  readonly one: string;
  /**
   * Whether the answer leaves out rows of the many side that match nothing, because the join begins at the other side.
   */
  readonly leavesOut: boolean;
  /** Set if `many` is the one side, whose rows are only searched for those that match nothing. */
  readonly isOfOne?: boolean;
  /** What the join compares: SQL over the rows of each side. Empty if its SQL is no list of equations. */
  readonly equations: readonly { readonly many: Compared; readonly one: Compared }[];
}

/** SQL without parameters. */
export interface Compared {
  readonly value: string;
  readonly rows: string;
}

export interface JoinFaults {
  /** Sentences about rows that are counted more than once. */
  readonly repeated: readonly string[];
  /** Rows that are not counted, as in `AnswerFacts`. */
  readonly uncounted: readonly { readonly what: string; readonly rows: number }[];
  /** Sentences about values that the join compares. */
  readonly notes: readonly string[];
}

const matched = 'sluice: matched';

/** The checks of the joins between cubes of the model that the plan's figures follow. */
export function joinChecks(plan: Plan, dialect: Dialect): readonly JoinCheck[] {
  return [
    ...plan.joins.flatMap((join) => checksOf(join, plan, dialect)),
    ...(plan.subQueries ?? []).flatMap((each) => joinChecks(each.plan, dialect)),
  ];
}

function checksOf(join: BoundJoin, plan: Plan, dialect: Dialect): readonly JoinCheck[] {
  const { from, to, relationship } = join;
  if (![from, to].every((cube) => isOfModel(cube) && !readsFilters(cube))) return [];
  const scope = { model: plan.model, dialect, zone: plan.zone };
  const on = expandTemplate(join.join.sql, join.declaredBy, scope);
  const rowsOf = ({ source }: Cube) => dialect.lowerSource(source, new Set(), plan.project);
  const check = (many: Cube, one: Cube): JoinCheck => {
    const equations = equationsOf({ many, one, on, rowsOf }, dialect);
    return {
      statement: printStatement(countsOf({ many, one, on, rowsOf }), dialect),
      repeats: repeatsOf(equations),
      many: many.name,
      one: one.name,
      leavesOut: one === from,
      equations,
    };
  };
  // Figures of the one side count only its rows that some row of the many side matches.
  const hasFigures = plan.measures.some(({ cube }) => cube === to);
  return [
    ...(relationship === 'one_to_many' ? [] : [check(from, to)]),
    ...(relationship === 'many_to_one' ? [] : [check(to, from)]),
    ...(relationship === 'many_to_one' && hasFigures ? [{ ...check(to, from), isOfOne: true, equations: [] }] : []),
  ];
}

/** The rows of such a cube depend on the question. */
function readsFilters({ source }: Cube): boolean {
  return source.kind === 'sql' && source.sql.some(({ kind }) => kind === 'filter');
}

function joinsRows({ source }: Cube): boolean {
  return source.kind === 'sql' && source.sql.some((part) => part.kind === 'text' && /\bjoin\b/i.test(part.text));
}

interface Sides {
  readonly many: Cube;
  readonly one: Cube;
  readonly on: Expression;
  readonly rowsOf: (cube: Cube) => Expression;
}

function countsOf({ many, one, on, rowsOf }: Sides): Expression {
  const marked = sql`(SELECT *, TRUE AS ${name(matched)} FROM ${rowsOf(one)} AS ${name(one.name)})`;
  return sql`SELECT (SELECT count(*) FROM ${rowsOf(many)} AS ${name(many.name)}), count(*), count(*) - count(${name(one.name, matched)})
FROM ${rowsOf(many)} AS ${name(many.name)} LEFT JOIN ${marked} AS ${name(one.name)} ON ${on}`;
}

function repeatsOf(equations: JoinCheck['equations']): CheckStatement | undefined {
  const [first] = equations;
  if (!first) return undefined;
  const keys = equations.map(({ one }) => one.value);
  const isSet = keys.map((key) => `${key} IS NOT NULL`).join(' AND ');
  return {
    text: `SELECT 1 FROM ${first.one.rows} WHERE ${isSet} GROUP BY ${keys.join(', ')} HAVING count(*) > 1 LIMIT 1`,
    parameters: [],
  };
}

/** `"a".x = "b".y AND …`, which most joins are. */
function equationsOf({ many, one, on, rowsOf }: Sides, dialect: Dialect): JoinCheck['equations'] {
  const written = (expression: Expression) => printStatement(expression, dialect);
  const { text, parameters } = written(on);
  if (parameters.length > 0 || /['!<>]|\b(?:or|not|between|case)\b/i.test(text)) return [];
  const sideOf = (value: string, cube: Cube, other: Cube): Compared | undefined => {
    const { text: rows, parameters: bound } = written(sql`${rowsOf(cube)} AS ${name(cube.name)}`);
    const isOwn = value.includes(dialect.quoteName(cube.name)) && !value.includes(dialect.quoteName(other.name));
    return isOwn && bound.length === 0 ? { value, rows } : undefined;
  };
  return text.split(/\bAND\b/i).flatMap((equation) => {
    const [left = '', right = '', ...more] = equation.split('=');
    if (more.length > 0) return [];
    const [first, second] = [sideOf(left, many, one), sideOf(right, one, many)];
    if (first && second) return [{ many: first, one: second }];
    const [third, fourth] = [sideOf(right, many, one), sideOf(left, one, many)];
    return third && fourth ? [{ many: third, one: fourth }] : [];
  });
}

/**
 * Counts the rows of a cube that have the primary key of another one; undefined if the model has no key, or if the SQL
 * of the cube joins nothing that could repeat its rows: to compare the keys takes longer than many questions.
 */
export function repeatedKeys(cube: Cube, plan: Plan, dialect: Dialect): CheckStatement | undefined {
  const key = rowIdentity(cube, { model: plan.model, dialect, zone: plan.zone });
  if (!key || readsFilters(cube) || !joinsRows(cube)) return undefined;
  const rows = sql`${dialect.lowerSource(cube.source, new Set(), plan.project)} AS ${name(cube.name)}`;
  return printStatement(sql`SELECT count(${key}) - count(DISTINCT ${key}) FROM ${rows}`, dialect);
}

/** Sentences on rows that have the primary key of another one. */
export function tellRepeatedKeys(cube: string, rows: number): readonly string[] {
  if (rows === 0) return [];
  return [
    `${groupedDigits(rows)} ${plural(rows, 'row', 'rows')} of ${quote(cube)}` +
      ` ${plural(rows, 'has', 'have')} the primary key of another one, and ${plural(rows, 'is', 'are')} counted. ` +
      'A key of a table that its `sql` joins may have several rows.',
  ];
}

/** What the row of a check means for the answer. */
export function toJoinFaults(
  { many, one, leavesOut, isOfOne = false }: JoinCheck,
  row: readonly unknown[] = [],
  mixed: readonly { readonly text: string; readonly number: string }[] = [],
): JoinFaults {
  const [all = 0, joined = 0, alone = 0] = row.map(Number);
  const added = joined - all;
  return {
    repeated:
      added > 0 && !isOfOne
        ? [
            `The join with ${quote(one)} adds ${groupedDigits(added)} ${added === 1 ? 'row' : 'rows'}` +
              ` to the ${groupedDigits(all)} of ${quote(many)}, because keys of ${quote(one)} repeat. ` +
              `Figures count them. Remove the repeated rows of ${quote(one)} in its \`sql\`.`,
          ]
        : [],
    uncounted:
      leavesOut && alone > 0 ? [{ what: `rows of ${quote(many)} without a row of ${quote(one)}`, rows: alone }] : [],
    notes: mixed.map(
      ({ text, number }) =>
        `The join of ${quote(many)} with ${quote(one)} compares text with numbers, so that ${text}` +
        ` matches ${number}. If these are different keys, cast the number to text in the \`sql\` of the join.`,
    ),
  };
}
