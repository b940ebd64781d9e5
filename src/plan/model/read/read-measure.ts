import { readValue } from '../../../ask/document/read-value.ts';
import { granularities, isGranularity } from '../../../ask/time/granularity.ts';
import { toSnakeCase } from '../identifier.ts';
import {
  type Measure,
  type MeasureType,
  type RollingWindow,
  type Template,
  type WindowReach,
  isAggregate,
  measureTypes,
} from '../model.ts';
import { text } from '../property-sql.ts';
import { type ReadContext, type SqlText, readNames, readSql, readWord } from './read-context.ts';
import { type WrittenMeasure, switchSchema } from './read-file.ts';
import { readFormat } from './read-format.ts';
import { hasStage, isMultiStage, readStage, toFullName } from './read-stage.ts';
import { type Site, type Sited, below, leaveOut, partKey, reportError, reportWarning } from './site.ts';

export function readMeasure({ value, site }: Sited<WrittenMeasure>, context: ReadContext): Measure | undefined {
  checkKeys(value, site, context);
  const written = overMeasure(value, site, context);
  if (written === undefined) return undefined;
  const isRank = written.type === 'rank';
  const type = isRank ? 'number' : readType(written, site, context);
  if (type === undefined) return undefined;
  const stage = readStage(written, isRank ? 'rank' : type, site, context);
  // Further errors do not matter once the measure is left out.
  if (context.findings.leftOut.has(partKey(context.cube.name, written.name))) return undefined;
  return {
    ...readNames(written, context),
    type,
    stage,
    sql: isRank ? undefined : readAggregated(written, type, site, context, stage !== undefined),
    filters: readFilters(written, type, site, context),
    rollingWindow: readRollingWindow(written, type, site, context),
    format: readFormat(written.format, below(site, 'format'), context.findings),
    drillMembers: (written.drill_members ?? written.drillMembers ?? []).map((name) => toFullName(name, context)),
  };
}

/** For each type of a window's measure, the types that it may add up: a sum of counts is a count. */
const sameOverWindow: Readonly<Record<string, readonly string[]>> = {
  sum: ['sum', 'count'],
  min: ['min'],
  max: ['max'],
};

/**
 * Replaces a multi-stage measure over the window of another measure by that measure with the window, which has the same
 * value. Returns other measures unchanged, and undefined if the measure is left out.
 */
function overMeasure(written: WrittenMeasure, site: Site, context: ReadContext): WrittenMeasure | undefined {
  const window = written.rolling_window ?? written.rollingWindow;
  if (!isMultiStage(written) || window == null || hasStage(written)) return written;
  const { cube, findings } = context;
  const leave = (reason: string, hint?: string): undefined => {
    leaveOut(findings, site, partKey(cube.name, written.name), `The measure "${written.name}"`, reason, hint);
  };
  const named = /^\s*\$?\{\s*([\w.]+)\s*\}\s*$/.exec(written.sql ?? '')?.[1];
  if (named === undefined || (written.filters ?? []).length > 0)
    return leave('A `multi_stage` measure with a window must be one measure of its cube, without own filters.');
  const full = toFullName(named, context);
  const base = cube.measures.find(({ value }) => `${cube.name}.${value.name}` === full)?.value;
  if (base === undefined) return leave(`It needs a measure of the same cube, and "${named}" is not one.`);
  if ((base.rolling_window ?? base.rollingWindow) != null || hasStage(base) || hasCase(base))
    return leave(`"${named}" has its own window, stages or case.`);
  if (sameOverWindow[written.type]?.includes(base.type) !== true)
    return leave(
      `Windows of type "${written.type}" over "${named}", of type "${base.type}", are not supported.`,
      'Sums and counts add up as `sum`, minima as `min` and maxima as `max`.',
    );
  return { ...written, type: base.type, sql: base.sql, filters: base.filters };
}

function readType(
  { name, type }: WrittenMeasure,
  site: Site,
  { cube, findings }: ReadContext,
): MeasureType | undefined {
  // A running total is a sum over a window. A custom aggregate is an expression that reads rows itself.
  const known = /^running_?total$/i.test(type) ? 'sum' : /^number_?agg$/i.test(type) ? 'number' : type;
  return readWord(known, measureTypes, 'type of a measure', below(site, 'type'), findings, (reason) =>
    leaveOut(findings, below(site, 'type'), partKey(cube.name, name), `The measure "${name}"`, reason),
  );
}

function readAggregated(
  written: WrittenMeasure,
  type: MeasureType,
  site: Site,
  context: ReadContext,
  ofMeasures: boolean,
): Template | undefined {
  const isComputed = !isAggregate(type);
  const { name, sql } = written;
  if (hasCase(written)) return readCase(written, type, site, context);
  if (sql != null) {
    return readSql(
      sql,
      below(site, 'sql'),
      { member: name, mayHoldMeasures: isComputed || ofMeasures, role: `the measure "${name}"` },
      context,
    );
  }
  if (type !== 'count') {
    const hint = isComputed
      ? 'Write its formula: `sql: "{one} / {other}"`.'
      : 'Name the column to aggregate: `sql: amount`.';
    reportError(context.findings, site, 'missing-sql', `The measure "${name}" of type "${type}" needs \`sql\`.`, hint);
  }
  return undefined;
}

interface WithCase {
  readonly case: unknown;
}

function hasCase(written: WrittenMeasure): written is WrittenMeasure & WithCase {
  return 'case' in written && written.case != null;
}

/** Selects one of several measures by the value of a switch. Each group of the answer has only one value. */
function readCase(
  written: WrittenMeasure & WithCase,
  type: MeasureType,
  site: Site,
  context: ReadContext,
): Template | undefined {
  const { name } = written;
  const at = below(site, 'case');
  const leave = (reason: string): undefined => {
    leaveOut(context.findings, at, partKey(context.cube.name, name), `The measure "${name}"`, reason);
  };
  const outcome = readValue(written.case, switchSchema);
  if (!outcome.ok) return leave(`Its \`case\` is not valid. ${outcome.issues[0]?.message ?? ''}`.trimEnd());
  if (isAggregate(type) || written.sql != null)
    return leave('A `case` chooses among measures: it needs the type `number`, and no `sql`.');
  const key = toFullName(outcome.value.switch, context);
  const isSwitch = context.cube.dimensions.some(
    ({ value }) => value.type === 'switch' && `${context.cube.name}.${value.name}` === key,
  );
  if (!isSwitch) return leave('`switch` must name a dimension of type "switch" of the same cube.');
  const about = { member: name, mayHoldMeasures: true, role: `the measure "${name}"` };
  return readSwitchCase(outcome.value, at, about, context, (value) => [
    { kind: 'text', text: 'max(' },
    ...value,
    { kind: 'text', text: ')' },
  ]);
}

function readFilters(
  written: WrittenMeasure,
  type: MeasureType,
  site: Site,
  context: ReadContext,
): readonly Template[] {
  const filters = written.filters ?? [];
  if (filters.length > 0 && !isAggregate(type)) {
    leaveOut(
      context.findings,
      below(site, 'filters'),
      partKey(context.cube.name, written.name),
      `The measure "${written.name}"`,
      `A measure of type "${type}" cannot have filters.`,
      'Put the filters on the measures that it uses.',
    );
  }
  const about = { member: written.name, mayHoldMeasures: false, role: `a filter of the measure "${written.name}"` };
  return filters.map((filter, index) => readSql(filter.sql, below(site, 'filters', index, 'sql'), about, context));
}

function readRollingWindow(
  written: WrittenMeasure,
  type: MeasureType,
  site: Site,
  { cube, findings }: ReadContext,
): RollingWindow | undefined {
  if (/^running_?total$/i.test(written.type)) return { trailing: 'range', offset: 'end' };
  const window = written.rolling_window ?? written.rollingWindow;
  if (window == null) return undefined;
  const at = below(site, written.rolling_window == null ? 'rollingWindow' : 'rolling_window');
  const leave = (reason: string, hint: string): undefined => {
    leaveOut(findings, at, partKey(cube.name, written.name), `The measure "${written.name}"`, reason, hint);
  };
  if (!isAggregate(type))
    return leave(
      `A measure of type "${type}" cannot have a rolling window.`,
      'Put the window on the measures that it uses.',
    );
  return readWindow(window, leave);
}

function checkKeys(written: WrittenMeasure, site: Site, { findings }: ReadContext): void {
  if (!('mask' in written) || written.mask == null) return;
  const message = '`mask` is not applied: values are shown as they are.';
  reportWarning(findings, below(site, 'mask'), 'not-supported', message);
}

/** `rolling_window: {trailing: 7 day, leading: unbounded, offset: start}`. By default, windows end with the bucket. */
function readWindow(
  written: NonNullable<WrittenMeasure['rolling_window']>,
  leave: (reason: string, hint: string) => undefined,
): RollingWindow | undefined {
  const kind = toSnakeCase(String(written.type ?? 'fixed'));
  if (kind === 'to_date') {
    const unit = String(written.granularity);
    if (isGranularity(unit)) return { offset: 'end', toDate: unit };
    return leave(
      'A rolling window of `type: to_date` needs a standard `granularity`.',
      `Use one of ${granularities.join(', ')}.`,
    );
  }
  if (kind !== 'fixed')
    return leave(`Rolling windows of type "${kind}" are not supported.`, 'Use `fixed` or `to_date`.');
  const offset = written.offset ?? 'end';
  if (offset !== 'start' && offset !== 'end')
    return leave('The `offset` of a rolling window must be `start` or `end`.', 'Leave it out for `end`.');
  if (written.trailing == null && written.leading == null)
    return leave(
      'A rolling window needs `trailing` or `leading`.',
      'Write `trailing: 7 day`, or `trailing: unbounded` for a running total.',
    );
  const [trailing, leading] = [written.trailing, written.leading].map(readReach);
  if (trailing === 'unknown' || leading === 'unknown')
    return leave(
      'A rolling window must be `unbounded` or a number of units, such as `7 day`.',
      `Use one of the units ${granularities.join(', ')}.`,
    );
  return { trailing, leading, offset };
}

function readReach(written: unknown): WindowReach | 'unknown' | undefined {
  if (written == null) return undefined;
  if (written === 'unbounded') return 'unbounded';
  const [, amount, unit] = /^\s*([1-9]\d{0,5})\s+([a-z]+?)s?\s*$/.exec(String(written)) ?? [];
  return amount !== undefined && unit !== undefined && isGranularity(unit)
    ? { amount: Number(amount), unit }
    : 'unknown';
}

/** The written form: `case: {switch: "{CUBE.currency}", when: [{value: USD, sql: "{usd}"}], else: {sql: "{eur}"}}`. */
export interface WrittenSwitch {
  readonly switch: string;
  readonly when: readonly { readonly value: string; readonly sql: string }[];
  readonly else?: { readonly sql: string } | null | undefined;
}

/** The case in SQL. `value` writes the switch's value in SQL. */
export function readSwitchCase(
  written: WrittenSwitch,
  site: Site,
  about: Pick<SqlText, 'member' | 'mayHoldMeasures' | 'role'>,
  context: ReadContext,
  value: (template: Template) => Template = (template) => template,
): Template {
  const key = value(readSql(written.switch, below(site, 'switch'), about, context));
  const branches = written.when.map((each, index): Template => {
    const sql = readSql(each.sql, below(site, 'when', index, 'sql'), about, context);
    return [text(` WHEN '${each.value.replaceAll("'", "''")}' THEN (`), ...sql, text(')')];
  });
  const otherwise: Template = written.else ? readSql(written.else.sql, below(site, 'else', 'sql'), about, context) : [];
  if (branches.length === 0) return otherwise.length === 0 ? [text('NULL')] : otherwise;
  return [
    text('CASE '),
    ...key,
    ...branches.flat(),
    ...(otherwise.length === 0 ? [] : [text(' ELSE ('), ...otherwise, text(')')]),
    text(' END'),
  ];
}
