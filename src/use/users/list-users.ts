import { invariant } from '../../ask/invariant.ts';
import { errorIssue, type IssuePath } from '../../ask/outcome.ts';
import { isConditional, partsOf } from '../../ask/notation/formula.ts';
import { readFormula } from '../../ask/notation/parse-formula.ts';
import { cubeOf } from '../../ask/query/member-name.ts';
import type { CanonicalFilter, CanonicalQuery, Filter, Query } from '../../ask/query/query.ts';
import { BackendError, inputError, type InvalidInputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { toBucketStart, writeBucketLabel } from '../../ask/time/buckets.ts';
import { isCalendarUnit } from '../../ask/time/granularity.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import { readDateRange } from '../../ask/time/read-date-range.ts';
import type { ActivityPeriod } from '../../ask/activity/retention.ts';
import { analysisOf } from '../../plan/analysis.ts';
import { funnelOf } from '../../plan/analysis/funnel/bind-funnel.ts';
import type { AnalysisName } from '../../plan/analysis/analysis-names.ts';
import type { Value } from '../../plan/column.ts';
import { isCount } from '../../plan/model/model.ts';
import { knowsUsers, userMembers, userMembersOf, withUserDimensions } from '../../plan/model/user-dimensions.ts';
import type { BoundMeasure, Plan } from '../../plan/plan.ts';
import { reachOf } from '../../run/backend.ts';
import { stepFigures } from '../../shape/funnel-result.ts';
import { defineIn, putInline } from '../workspace/inline-definition.ts';
import { valueOrThrow } from '../workspace/with-fresh-model.ts';
import { type Definition, withDefinition } from '../analysis/analysis-question.ts';
import { bindAnalysis, type RunAnalysisOptions } from '../analysis/run-analysis.ts';
import { type BoundQuestion, bindQuestion } from '../answer/bind-question.ts';
import { type Asking, askQuery } from '../answer/question.ts';
import { unwrap } from '../workspace/refuse.ts';
import type { BindOptions, Session } from '../workspace/session.ts';

/** Values that identify a cell, by column name. A row of an answer works as well. */
export type Cell = Readonly<Record<string, Value | undefined>>;

/** A bound question that returns users. */
export interface UsersAsked {
  readonly session: Session;
  readonly bound: BoundQuestion;
}

/**
 * Asks for the users behind the rows of a question, one row per user with the user's contribution to each measure.
 * Users who contribute nothing are left out. The question's limit and offset, and its order by measures, apply to the
 * users. For a comparison, each range is listed separately, with a column that
 * names it. The question's own conditions choose the rows. Throws `InvalidInputError`, `BackendError`
 * (`users-not-local`).
 */
export async function askUsers(
  session: Session,
  asking: Asking,
  options: BindOptions & { readonly signal?: AbortSignal | undefined } = {},
): Promise<UsersAsked> {
  demandLocal(session);
  const { plans, question } = await bindQuestion(session, asking, options);
  const put = valueOrThrow(await putInline(question.saved.define, question.definedIn ?? question));
  const [plan] = plans;
  const { name } = plan.root;
  if (plan.ungrouped) throw refuse('the rows of this question are no groups', 'Leave out "ungrouped".');
  if (plan.groupConditions.length > 0)
    throw refuse('a filter on a measure chooses rows, not users', 'Choose the rows by conditions on dimensions.');
  demandUsers(plan);
  const isComputed = plan.root.source.kind === 'computed';
  return bindUsers(
    defineIn(session, put),
    toUsersQuery(plans, {
      measures: isComputed ? [] : plan.measures.map(nameOfMeasure),
      formulas: plan.query.formulas,
      rows: plan.query,
      filters: [
        { member: `${name}.${userMembersOf(plan.root)[0]}`, operator: 'set' },
        ...(isComputed ? [] : behindFigures(plan)),
        ...(plan.root.source.kind === 'computed' ? (analysisOf(plan.root.source).whoseUsers?.(plan) ?? []) : []),
      ],
    }),
    options,
  );
}

const nameOfMeasure = ({ cube, measure }: BoundMeasure): string => `${cube.name}.${measure.name}`;

/** Chooses the users who contribute to a measure. The parts of a formula decide for it. */
function behindFigures({ measures, derived, query: { formulas = {} } }: Plan): readonly Filter[] {
  const written = Object.entries(formulas).flatMap(([name, text]) => {
    const read = readFormula(text, cubeOf(name));
    return read.ok ? [read.value] : [];
  });
  const narrowed = derived?.further.filter(({ kind }) => kind === 'where') ?? [];
  if (narrowed.length > 0) {
    const all = written.every(isConditional) && measures.every((each) => formulas[nameOfMeasure(each)] !== undefined);
    return all ? [{ or: narrowed.map(({ plan }) => ({ and: plan.query.filters ?? [] })) }] : [];
  }
  // A window or a share is no figure of a user's own rows.
  if (written.flatMap(partsOf).some(({ change }) => change !== undefined)) return [];
  const behind = (derived?.base.measures ?? measures).map((each): Filter => {
    const member = nameOfMeasure(each);
    return isCount(each.measure.type) ? { member, operator: 'gt', values: [0] } : { member, operator: 'set' };
  });
  return behind.length === 0 ? [] : [{ or: behind }];
}

/** Asks for the users behind a cell of an analysis. Throws as `askUsers`. */
export async function askAnalysisUsers(
  session: Session,
  analysis: AnalysisName,
  definition: Definition,
  cell: Cell,
  options: RunAnalysisOptions = {},
): Promise<UsersAsked> {
  demandLocal(session);
  const defined = await withDefinition(session, analysis, definition, options);
  const { bound } = await bindAnalysis(defined.session, analysis, defined.name, { ...options, where: [] });
  const [plan] = bound.plans;
  demandUsers(plan);
  return bindUsers(defined.session, toUsersQuery(bound.plans, { filters: cellFilters(analysis, plan, cell) }), options);
}

function bindUsers(
  session: Session,
  query: Query,
  options: BindOptions & { readonly signal?: AbortSignal | undefined },
) {
  const own = session.settings.user.value === 'known' ? 'known' : 'anonymous';
  const extended = session.extended((model) => withUserDimensions(model, own));
  return bindQuestion(extended, askQuery(query), options).then((bound) => ({ session: extended, bound }));
}

interface ListedUsers {
  readonly measures?: readonly string[];
  readonly formulas?: CanonicalQuery['formulas'];
  readonly filters: readonly Filter[];
  /** Whose limit, offset and order by the measures apply to the users; undefined: all users. */
  readonly rows?: Pick<CanonicalQuery, 'limit' | 'offset' | 'order'>;
}

/** Builds the query by user: it keeps ranges and conditions, and drops groups. Ranges of a comparison stay separate. */
function toUsersQuery(plans: BoundQuestion['plans'], { measures = [], formulas, filters, rows }: ListedUsers): Query {
  const [{ query, root, comparison }] = plans;
  const { timeDimensions = [], filters: own = [], segments, timezone } = query as CanonicalQuery;
  const rangesOf = (index: number) =>
    plans
      .map((plan) => (plan.query as CanonicalQuery).timeDimensions?.[index]?.dateRange)
      .filter((range) => range !== undefined);
  const differs = timeDimensions.findIndex((_, index) => new Set(rangesOf(index).map(String)).size > 1);
  // Compared ranges may cover the same days.
  const compared = differs < 0 ? timeDimensions.findIndex(({ dateRange }) => dateRange !== undefined) : differs;
  return {
    measures,
    ...(formulas && { formulas }),
    dimensions: userMembersOf(root).map((member) => `${root.name}.${member}`),
    timeDimensions: timeDimensions.flatMap(({ dimension, dateRange }, index) => {
      if (dateRange === undefined) return [];
      const isCompared = comparison !== undefined && index === compared;
      return [{ dimension, ...(isCompared ? { compareDateRange: rangesOf(index) } : { dateRange }) }];
    }),
    filters: [...(own as readonly CanonicalFilter[]), ...filters],
    ...(segments && { segments }),
    ...(timezone !== undefined && { timezone }),
    order: [
      ...(rows?.order ?? []).filter(([member]) => measures.includes(member)),
      [`${root.name}.${userMembersOf(root)[0]}`, 'asc'],
    ],
    ...(rows?.limit !== undefined && { limit: rows.limit }),
    ...(rows?.offset !== undefined && { offset: rows.offset }),
  };
}

/** Filters for one cell of a computed cube. Measures in the cell are ignored, because a row of an answer has them. */
function cellFilters(analysis: AnalysisName, plan: Plan, given: Cell): readonly Filter[] {
  const { root, zone, weekStart, now } = plan;
  const { name: cube } = root;
  const short = (key: string) => (key.startsWith(`${cube}.`) ? key.slice(cube.length + 1) : key).replace(/\.\w+$/, '');
  const cell = analysis === 'funnel' ? toStepCell(plan, given, short) : given;
  const { period } = (root.source as { readonly definition: { readonly period?: ActivityPeriod } }).definition;
  const known = root.dimensions.filter(
    (each) => each.public && each.name !== 'ended' && (each.type !== 'time' || period !== undefined),
  );
  const issues = Object.keys(cell).flatMap((key) => {
    const name = short(key);
    if (known.some((each) => each.name === name) || root.measures.some((each) => each.name === name)) return [];
    const names = known.map((each) => each.name);
    const hint = didYouMean(name, names) ?? `Use ${names.join(', ')}.`;
    return [errorIssue('unknown-member', `The cells of "${cube}" have no ${quote(key)}.`, { path: [key], hint })];
  });
  if (issues.length > 0) unwrap({ ok: false, issues }, 'The cell');
  return Object.entries(cell).flatMap(([key, value]): readonly Filter[] => {
    const dimension = known.find((each) => each.name === short(key));
    if (!dimension || value === undefined) return [];
    const member = `${cube}.${dimension.name}`;
    if (value === null) return [{ member, operator: 'notSet' }];
    if (dimension.type !== 'time') return [{ member, operator: 'equals', values: [String(value)] }];
    invariant(period !== undefined, 'an analysis whose cells have a time has periods');
    const { start } = unwrap(
      readDateRange(String(value), { now, zone, weekStart }),
      `The ${dimension.name} ${quote(String(value))}`,
    );
    const begin = toBucketStart(start, period, zone, weekStart);
    const label = isCalendarUnit(period) ? writeBucketLabel(begin, period, zone, weekStart) : writeUtc(begin);
    return [{ member: `${cube}.${userMembers.period}`, operator: 'equals', values: [label.slice(0, 19)] }];
  });
}

/**
 * A row of a funnel's answer as a cell of its cube. Its columns of figures are left out, and the column of its
 * breakdown has another name there. Columns of figures without a step are kept, because they choose no users.
 */
function toStepCell(plan: Plan, row: Cell, short: (key: string) => string): Cell {
  const hasStep = Object.keys(row).some((key) => short(key) === 'step');
  const breakdown = funnelOf(plan)?.bound?.breakdown;
  const group = breakdown && `${breakdown.cube.name}.${breakdown.dimension.name}`;
  return Object.fromEntries(
    Object.entries(row).flatMap(([key, value]) =>
      hasStep && stepFigures.includes(short(key)) ? [] : [[key === group ? 'breakdown' : key, value]],
    ),
  );
}

/** Reads a cell from a flag: `cohort=2024-W09,period=1`. Throws `InvalidInputError`. */
export function readCell(text: string): Cell {
  const parts = text.split(',').map((part) => /^\s*([\w.]+)\s*=\s*(.*?)\s*$/.exec(part));
  const issue = (path: IssuePath) =>
    errorIssue('unreadable-cell', `${quote(text)} names no cell.`, {
      path,
      hint: 'Write names and values, as in the answer: `cohort=2024-W09,period=1`.',
    });
  if (parts.some((part) => !part)) unwrap({ ok: false, issues: [issue([])] }, 'The cell');
  return Object.fromEntries(parts.map((part) => [part?.[1] ?? '', part?.[2] ?? '']));
}

function demandLocal({ settings }: Session): void {
  if (reachOf(settings.backend.value) === 'local') return;
  throw new BackendError('A server does not return enough data to list users.', {
    code: 'users-not-local',
    hint: 'Export the events and ask locally: `sluice export`, then the same command with `--backend embedded`.',
  });
}

function demandUsers({ root, joins }: Plan): void {
  if (knowsUsers(root) && joins.length === 0) return;
  const why = joins.length > 0 ? 'the question joins several cubes' : `the rows of "${root.name}" are of no users`;
  throw refuse(why, 'Ask a question on TrackedEvents or Sessions.');
}

function refuse(why: string, hint: string): InvalidInputError {
  return inputError('no-users', `No users can be listed: ${why}.`, hint);
}
