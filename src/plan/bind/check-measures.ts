import { errorIssue, type Issue, type IssuePath, warningIssue } from '../../ask/outcome.ts';
import { countBuckets, toBucketStart } from '../../ask/time/buckets.ts';
import { hasGrid, isCalendarUnit, sizeTitle } from '../../ask/time/granularity.ts';
import { plural } from '../../ask/text.ts';
import {
  addsUpRows,
  type Cube,
  isAggregate,
  isPerUser,
  type Measure,
  type Model,
  type TemplatePart,
} from '../model/model.ts';
import type { BoundDimension, BoundSwitch, Condition, Plan } from '../plan.ts';
import { unfitFilter } from '../sql/filter-part.ts';
import {
  aggregatesItself,
  callsAggregate,
  isApart,
  type Leaf,
  leafMeasures,
  overGroups,
  repeats,
} from '../sql/leaf-measures.ts';
import { leadsFromOneToMany } from '../sql/repeated-rows.ts';
import { fullName, innerPlan, rowMeasures } from '../sql/stage-part.ts';
import { needsParts } from '../sql/to-statement.ts';
import type { Binding } from './bind-context.ts';
import { cubesOf } from './bind-joins.ts';

/** Rejects questions without a correct answer. Each issue has a hint. */
export function checkMeasures(plan: Plan, { issues }: Binding): void {
  if (plan.ungrouped && plan.groupConditions.length > 0) {
    issues.push(
      errorIssue('ungrouped-measure-filter', 'A filter on a measure needs groups, and the query is ungrouped.', {
        path: ['filters'],
        hint: 'Leave "ungrouped" out, or filter by a dimension.',
      }),
    );
  }
  checkStages(plan, issues);
  checkUsers(plan, issues);
  checkSwitches(plan, issues);
  for (const leaf of rowMeasures(plan)) {
    const path = pathOf(plan, leaf);
    if (leaf.measure.rollingWindow) checkWindow(plan, leaf, path, issues);
    if (leaf.measure.type === 'count_distinct_approx') {
      const message = `"${ownName(leaf.cube, leaf.measure)}" is approximate: it estimates the number of different values.`;
      issues.push(
        warningIssue('approximate', message, { path, hint: 'Use `count_distinct` in the model for exact figures.' }),
      );
    }
    checkCountedOnce(plan, leaf, path, issues);
  }
  checkOwnAggregates(plan, issues);
  for (const { name, source } of [plan.root, ...plan.joins.map(({ to }) => to)]) {
    const reasons = (source.kind === 'sql' ? source.sql : []).map((part) =>
      part.kind === 'filter' ? unfitFilter(part.uses, plan) : undefined,
    );
    const reason = reasons.find((each) => each !== undefined);
    if (reason === undefined) continue;
    const message = `The rows of "${name}" depend on filters that cannot be passed to its SQL (FILTER_PARAMS). ${reason}`;
    issues.push(
      errorIssue('unfit-filter', message, { path: ['filters'], hint: 'Use one filter for each, without "or".' }),
    );
  }
}

function checkWindow(plan: Plan, leaf: Leaf, path: IssuePath, issues: Binding['issues']): void {
  const window = leaf.measure.rollingWindow!;
  const name = `"${leaf.cube.name}.${leaf.measure.name}"`;
  if (plan.ungrouped) {
    issues.push(
      errorIssue('ungrouped-window', `${name} rolls over groups, and the query is ungrouped.`, {
        path,
        hint: 'Leave "ungrouped" out.',
      }),
    );
  }
  const axes = plan.times.filter((time) => time.granularity !== undefined);
  if (axes.length > 1) {
    issues.push(
      errorIssue('window-of-two-axes', `${name} needs one time with a granularity, and the query has ${axes.length}.`, {
        path,
        hint: 'Keep one granularity.',
      }),
    );
  }
  const ranged = plan.times.some((time) => time.range) && axes.every((axis) => axis.range);
  const everything =
    plan.times.length === 0 &&
    window.trailing === 'unbounded' &&
    (window.leading === undefined || window.leading === 'unbounded');
  if (!ranged && !everything) {
    issues.push(
      errorIssue('window-without-range', `${name} has a rolling window, which needs a time range.`, {
        path,
        hint: 'Add a range to the time, such as `last 30 days`.',
      }),
    );
  }
  const [axis] = axes;
  if (axis?.granularity && !hasGrid(axis.granularity)) {
    const message = `${name} rolls along buckets, and only the model's SQL says where "${sizeTitle(axis.granularity)}" begins.`;
    issues.push(errorIssue('window-without-grid', message, { path, hint: 'Use a standard granularity.' }));
    return;
  }
  if (axis?.range && axis.granularity && countBuckets(axis.range, axis.granularity, plan.zone) > mostWindows) {
    issues.push(
      errorIssue(
        'too-many-windows',
        `${name} would roll over more than ${mostWindows} ${plural(2, sizeTitle(axis.granularity))}.`,
        {
          path,
          hint: 'Use a shorter range or a coarser granularity.',
        },
      ),
    );
  }
  if (repeats(plan, leaf)) {
    issues.push(
      errorIssue('window-over-repeats', `${name} rolls over rows that the join repeats.`, {
        path,
        hint: joinsLists(plan)
          ? 'Query it without the values of lists.'
          : `Query it with members of "${leaf.cube.name}" only.`,
      }),
    );
  }
}

/** The statement spells out one window for each bucket. */
const mostWindows = 20_000;

function checkCountedOnce(plan: Plan, leaf: Leaf, path: IssuePath, issues: Binding['issues']): void {
  const { cube, measure } = leaf;
  const joined = plan.joins.length > 0 && (plan.multiplied.includes(cube.name) || cube !== plan.root);
  const needsKey =
    addsUpRows(measure.type) && joined && (plan.multiplied.includes(cube.name) || measure.sql === undefined);
  // Engines that read lists number the events.
  const isNumbered = cube.source.kind === 'events' && joinsLists(plan);
  if (needsKey && cube.source.kind === 'list') {
    const message = `"${ownName(cube, measure)}" would count a value once for each value of another list.`;
    issues.push(errorIssue('two-lists', message, { path, hint: 'Query the values of one list at a time.' }));
  } else if (needsKey && !isNumbered && !cube.dimensions.some((dimension) => dimension.primaryKey)) {
    issues.push(
      errorIssue(
        'primary-key-needed',
        `"${cube.name}.${measure.name}" would count rows that the join repeats or adds.`,
        {
          path,
          hint: `Give "${cube.name}" a dimension with \`primary_key: true\` in the model.`,
        },
      ),
    );
  }
  if (!repeats(plan, leaf)) return;
  const none = { dimensions: [], times: [], segments: [], conditions: [], columns: [] };
  const read = cubesOf(plan.model, { ...none, measures: [{ cube, measure, column: 0 }] });
  const many = read.find((other) => leadsFromOneToMany(cube, other, plan.joins));
  if (!many) return;
  const message =
    `"${cube.name}.${measure.name}" adds up a value of "${many.name}", ` +
    `which has many rows for one of "${cube.name}".`;
  const hint = `Define the measure in "${many.name}", or use a \`sub_query\` dimension.`;
  issues.push(errorIssue('value-of-many', message, { path, hint }));
}

/**
 * Rejects a `number` measure whose SQL aggregates rows itself (`sum({CUBE}.amount)`) if the query is ungrouped, must
 * count rows once, or combines the measure from parts.
 */
function checkOwnAggregates(plan: Plan, issues: Binding['issues']): void {
  const apart = needsParts(plan);
  for (const { cube, measure } of plan.measures) {
    const readsRows = !isAggregate(measure.type) && (measure.sql ?? []).some((part) => readsARow(part, plan.model));
    if (readsRows && plan.ungrouped) {
      const message = `"${cube.name}.${measure.name}" is computed over groups, and the query is ungrouped.`;
      issues.push(
        errorIssue('own-aggregate', message, { path: pathOf(plan, { measure }), hint: 'Leave "ungrouped" out.' }),
      );
      continue;
    }
    const isRepeated = plan.multiplied.includes(cube.name);
    if (!readsRows || !(isRepeated || (apart && !aggregatesItself(measure)))) continue;
    const path = pathOf(plan, { measure });
    issues.push(
      isRepeated && joinsLists(plan)
        ? errorIssue(
            'own-aggregate',
            `"${ownName(cube, measure)}" would use an event once for each value of its list.`,
            {
              path,
              hint: 'Query it without the values of lists.',
            },
          )
        : errorIssue(
            'own-aggregate',
            `The SQL of "${cube.name}.${measure.name}" aggregates rows itself, ` +
              'but this query must count them in parts.',
            { path, hint: 'Query it separately, or define it by other measures in the model.' },
          ),
    );
  }
}

/** True if the plan has a row for each value of a list. */
function joinsLists({ joins }: Plan): boolean {
  return joins.some(({ to }) => to.source.kind === 'list');
}

/** The full name by which people know a measure. */
function ownName({ name, source }: Cube, measure: Measure): string {
  return `${source.kind === 'list' ? source.of : name}.${measure.name}`;
}

function readsARow(part: TemplatePart, model: Model): boolean {
  if (part.kind === 'text') return callsAggregate(part.text);
  if (part.kind !== 'member') return true;
  const cube = model.cubes.find(({ name }) => name === part.cube);
  return cube?.measures.every(({ name }) => name !== part.member) ?? true;
}

function pathOf(plan: Plan, leaf: Pick<Leaf, 'measure'>): IssuePath {
  const index = plan.measures.findIndex((bound) => bound.measure === leaf.measure);
  return index < 0 ? ['measures'] : ['measures', index];
}

/** Rejects multi-stage measures if their values would not be what the model means. */
function checkStages(plan: Plan, issues: Issue[]): void {
  const windows = overGroups(plan);
  const apart = leafMeasures(plan).filter(({ measure }) => isApart(measure));
  const refuse = (code: string, message: string, hint: string) =>
    issues.push(errorIssue(code, message, { path: ['measures'], hint }));
  if (plan.ungrouped && windows.length + apart.length > 0)
    refuse(
      'ungrouped-stage',
      'A multi-stage measure is computed from groups, and the query is ungrouped.',
      'Leave "ungrouped" out.',
    );
  const nested = windows.find((measure) => windows.some((other) => other !== measure && uses(measure, other)));
  if (nested)
    refuse(
      'nested-stages',
      `"${nested.name}" uses a measure that is itself computed from several groups.`,
      'Query each of its parts separately.',
    );
  for (const leaf of apart) {
    const { measure } = leaf;
    const inner = innerPlan(plan, leaf);
    const shifted = inner.times.filter(({ shift }) => shift !== undefined);
    // Without a time dimension, a range can only come from a filter, which a shift does not move.
    const isShifted = (each: TimeUse) =>
      each.dimension.type === 'time' &&
      (shifted.some((time) => fullName(time) === fullName(each)) ||
        measure.stage?.shifts?.some(({ time }) => time === fullName(each) || (!time && shifted.length === 0)));
    const fixed = [...plan.dimensions, ...plan.rowConditions.flatMap(dimensionsOf)].find(isShifted);
    if (fixed)
      refuse(
        'shifted-filter',
        `"${measure.name}" shifts "${fullName(fixed)}", which the query uses as a dimension or filter.`,
        'Put the range in "timeDimensions".',
      );
    if (shifted.length === 0) continue;
    const parts = leafMeasures(inner).map((each) => each.measure);
    if (overGroups(inner).length > 0 || parts.some((part) => part.rollingWindow ?? part.stage))
      refuse(
        'shifted-window',
        `"${measure.name}" shifts a measure that has its own window or stages.`,
        'Query the measure itself for the other range.',
      );
    for (const time of shifted) {
      const { granularity, range } = time;
      if (granularity !== undefined && !isCalendarUnit(granularity))
        refuse(
          'shifted-hours',
          `"${measure.name}" shifts by whole days, and the query groups by ${sizeTitle(granularity)}.`,
          'Group by day or longer.',
        );
      if (granularity !== undefined && !hasGrid(granularity))
        refuse(
          'shifted-buckets',
          `"${measure.name}" shifts times, and only the model's SQL says where "${sizeTitle(granularity)}" begins.`,
          'Use a standard granularity.',
        );
      const isWhole = (instant: number) => toBucketStart(instant, 'day', plan.zone) === instant;
      if (range && !(isWhole(range.start) && isWhole(range.end)))
        refuse(
          'shifted-hours',
          `"${measure.name}" shifts by whole days, and the range contains part of a day.`,
          'Use a range of whole days.',
        );
    }
  }

  function uses(measure: Measure, other: Measure): boolean {
    const within = {
      ...plan,
      groupConditions: [],
      measures: [{ cube: plan.root, measure: { ...measure, stage: undefined, type: 'number' as const }, column: 0 }],
    };
    return overGroups(within).includes(other);
  }
}

/** Rejects figures of users in a bucket beside measures of other times. */
function checkUsers(plan: Plan, issues: Issue[]): void {
  const user = plan.subQueries?.find(({ dimension }) => isPerUser(dimension));
  const other = leafMeasures(plan).find(({ measure }) => measure.rollingWindow ?? measure.stage?.shifts);
  if (!user || !other) return;
  issues.push(
    errorIssue(
      'unfit-per-user',
      `"${fullName(user)}" counts the rows of each bucket, ` +
        `and "${ownName(other.cube, other.measure)}" those of other times.`,
      { path: ['measures'], hint: 'Query them separately.' },
    ),
  );
}

type TimeUse = Pick<BoundDimension, 'cube' | 'dimension'>;

function dimensionsOf(condition: Condition): readonly TimeUse[] {
  if (condition.kind !== 'test') return condition.conditions.flatMap(dimensionsOf);
  return condition.operand.kind === 'dimension' ? [condition.operand] : [];
}

/**
 * Rejects questions about a switch that would count rows once for each of its values. Each row appears with all values
 * of a switch: group by the switch, or filter it to one value.
 */
function checkSwitches(plan: Plan, issues: Issue[]): void {
  const open = openSwitches(plan);
  const [first] = open;
  if (!first) return;
  const refuse = (code: string, message: string, hint: string, path: readonly string[] = ['dimensions']) =>
    issues.push(errorIssue(code, message, { path, hint }));
  const fixed = `Filter by one value, such as "${first.values[0]}".`;
  const full = nameOf(first);
  if (plan.ungrouped) {
    refuse('ungrouped-switch', `"${full}" repeats the rows, and the query is ungrouped.`, fixed);
    return;
  }
  if (plan.measures.length === 0 && plan.groupConditions.length === 0) return;
  if (overGroups(plan).length > 0 || leafMeasures(plan).some(({ measure }) => isApart(measure)))
    refuse('switched-stage', `A multi-stage measure cannot be computed beside "${full}".`, fixed, ['measures']);
  for (const each of open) {
    if (plan.dimensions.some(({ dimension }) => dimension === each.dimension)) continue;
    const name = nameOf(each);
    const hint = `Add "${name}" to the dimensions, or filter it by one value.`;
    refuse('open-switch', `The query uses "${name}" without a value for it.`, hint, ['measures']);
  }
}

/** Switches that no top-level filter fixes to one value. */
export function openSwitches({ switches = [], rowConditions }: Plan): readonly BoundSwitch[] {
  return switches.filter(({ dimension }) => !rowConditions.some((condition) => fixes(condition, dimension)));
}

function fixes(condition: Condition, dimension: BoundSwitch['dimension']): boolean {
  if (condition.kind === 'and') return condition.conditions.some((each) => fixes(each, dimension));
  if (condition.kind === 'or') return condition.conditions.length === 1 && fixes(condition.conditions[0]!, dimension);
  const { operand, test } = condition;
  if (operand.kind !== 'dimension' || operand.dimension !== dimension || test.kind !== 'one-of') return false;
  return new Set(test.values).size <= 1;
}

function nameOf({ cube, dimension }: BoundSwitch): string {
  return `${cube.name}.${dimension.name}`;
}
