import { granularities, isGranularity } from '../../../ask/time/granularity.ts';
import { toSnakeCase, withoutBraces } from '../identifier.ts';
import {
  isAggregate, type Measure, type MeasureType, measureTypes, type RollingWindow, type Template, type WindowReach,
} from '../model.ts';
import { type ReadContext, readNames, readSql, readWord } from './read-context.ts';
import type { WrittenMeasure } from './read-file.ts';
import { readFormat } from './read-format.ts';
import { below, type Findings, leaveOut, partKey, reportError, reportWarning, type Site, type Sited } from './site.ts';

const multiStageKeys = ['case', 'multi_stage', 'group_by', 'reduce_by', 'add_group_by', 'time_shift', 'order_by', 'filter', 'grain'];

export function readMeasure({ value: written, site }: Sited<WrittenMeasure>, context: ReadContext): Measure | undefined {
  checkKeys(written, site, context);
  const type = readType(written, site, context);
  if (type === undefined) return undefined;
  return {
    ...readNames(written, context),
    type,
    sql: readAggregated(written, type, site, context),
    filters: readFilters(written, type, site, context),
    rollingWindow: readRollingWindow(written, type, site, context),
    format: readFormat(written.format, below(site, 'format'), context.findings),
    drillMembers: (written.drill_members ?? written.drillMembers ?? []).map((name) => toFullName(name, context)),
  };
}

function readType({ name, type }: WrittenMeasure, site: Site, { cube, findings }: ReadContext): MeasureType | undefined {
  const at = below(site, 'type');
  if (!/^(running_?total|number_?agg|rank)$/i.test(type)) return readWord(type, measureTypes, 'type of a measure', at, findings);
  const hint = /^running/i.test(type) ? 'Write `type: sum` with `rolling_window: {trailing: unbounded}`.' : undefined;
  const reason = `Measures of type "${type}" are not supported.`;
  leaveOut(findings, at, partKey(cube.name, name), `The measure "${name}"`, reason, hint);
  return undefined;
}

function readAggregated(written: WrittenMeasure, type: MeasureType, site: Site, context: ReadContext): Template | undefined {
  const isComputed = !isAggregate(type);
  const { name, sql } = written;
  if (sql != null) {
    return readSql(sql, below(site, 'sql'), { member: name, mayHoldMeasures: isComputed, role: `the measure "${name}"` }, context);
  }
  if (type !== 'count') {
    const hint = isComputed ? 'Write what it is made of: `sql: "{one} / {other}"`.' : 'Write what is aggregated: `sql: amount`.';
    reportError(context.findings, site, 'missing-sql', `The measure "${name}" of type "${type}" needs \`sql\`.`, hint);
  }
  return undefined;
}

function readFilters(written: WrittenMeasure, type: MeasureType, site: Site, context: ReadContext): readonly Template[] {
  const filters = written.filters ?? [];
  if (filters.length > 0 && !isAggregate(type)) {
    const hint = 'Give the filters to the measures that it is made of.';
    reportError(context.findings, below(site, 'filters'), 'bad-filter', `A measure of type "${type}" cannot have filters.`, hint);
  }
  const about = { member: written.name, mayHoldMeasures: false, role: `a filter of the measure "${written.name}"` };
  return filters.map((filter, index) => readSql(filter.sql, below(site, 'filters', index, 'sql'), about, context));
}

function readRollingWindow(written: WrittenMeasure, type: MeasureType, site: Site, { cube, findings }: ReadContext): RollingWindow | undefined {
  const window = written.rolling_window ?? written.rollingWindow;
  if (window == null) return undefined;
  const at = below(site, written.rolling_window == null ? 'rollingWindow' : 'rolling_window');
  if (!isAggregate(type)) {
    const hint = 'Give the window to the measures that it is made of.';
    reportError(findings, at, 'bad-window', `A measure of type "${type}" cannot have a rolling window.`, hint);
  }
  return readWindow(window, at, (reason, hint) => leaveOut(findings, at, partKey(cube.name, written.name), `The measure "${written.name}"`, reason, hint), findings);
}

function checkKeys(written: WrittenMeasure, site: Site, { cube, findings }: ReadContext): void {
  for (const key of Object.keys(written)) {
    if (multiStageKeys.includes(toSnakeCase(key))) {
      const hint = 'Supported are `sql`, `filters` and `rolling_window`.';
      const reason = `"${key}" on a measure is not supported.`;
      leaveOut(findings, below(site, key), partKey(cube.name, written.name), `The measure "${written.name}"`, reason, hint);
    } else if (key === 'mask') {
      reportWarning(findings, below(site, key), 'not-supported', '`mask` is not applied: values are shown as they are.');
    }
  }
}

/** `status`, `CUBE.status`, `{status}` and `Users.plan` as full names. */
function toFullName(written: string, { cube }: ReadContext): string {
  const name = withoutBraces(written);
  const dot = name.indexOf('.');
  if (dot < 0) return `${cube.name}.${name}`;
  const owner = name.slice(0, dot);
  return owner === 'CUBE' || owner === 'TABLE' || cube.ancestors.includes(owner) ? `${cube.name}${name.slice(dot)}` : name;
}

/** `rolling_window: {trailing: 7 day, leading: unbounded, offset: start}`. Where `offset` is not set, windows end with the bucket. */
function readWindow(written: NonNullable<WrittenMeasure['rolling_window']>, site: Site, unsupported: (reason: string, hint: string) => void, findings: Findings): RollingWindow | undefined {
  const kind = written.type ?? 'fixed';
  if (kind !== 'fixed' || written.granularity != null) {
    const message = 'Rolling windows that start anew with each unit (`type: to_date`) are not supported.';
    unsupported(message, 'Supported are `trailing`, `leading` and `offset`.');
    return undefined;
  }
  const offset = written.offset ?? 'end';
  if (offset !== 'start' && offset !== 'end') {
    reportError(findings, below(site, 'offset'), 'bad-window', 'A rolling window\'s `offset` is `start` or `end`.');
    return undefined;
  }
  const trailing = readReach(written.trailing, below(site, 'trailing'), findings);
  const leading = readReach(written.leading, below(site, 'leading'), findings);
  if (written.trailing == null && written.leading == null) {
    const hint = 'Write `trailing: 7 day`, or `trailing: unbounded` for a running total.';
    reportError(findings, site, 'bad-window', 'A rolling window needs `trailing` or `leading`.', hint);
  }
  return { trailing, leading, offset };
}

function readReach(written: unknown, site: Site, findings: Findings): WindowReach | undefined {
  if (written == null) return undefined;
  if (written === 'unbounded') return 'unbounded';
  const [, amount, unit] = /^\s*([1-9]\d{0,5})\s+([a-z]+?)s?\s*$/.exec(String(written)) ?? [];
  if (amount !== undefined && unit !== undefined && isGranularity(unit)) return { amount: Number(amount), unit };
  const message = 'A rolling window reaches `unbounded` or a number of units: `7 day`.';
  reportError(findings, site, 'bad-window', message, `Units are ${granularities.join(', ')}.`);
  return undefined;
}
