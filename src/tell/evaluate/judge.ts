import { plural } from '../../ask/text.ts';
import type { Column, Value } from '../../plan/column.ts';
import { formatNumber, formatCount } from '../../shape/format/format-number.ts';
import { formatValue } from '../../shape/format/format.ts';
import { compareValues } from '../../shape/values/compare-values.ts';
import type { Expectation } from '../notebook/notebook.ts';
import type { Severity } from '../notebook/cell-kinds.ts';
import type { BoundExpectation, PreparedCheck } from '../prepare/prepared.ts';
import type { ReportCheck, ReportChecks, ReportFigure } from '../report/report.ts';
import type { AnswersByName } from './answers.ts';
import { findFigure, findRows } from './find-figure.ts';

/** Judges each expectation of a check. */
export function judgeCheck({ content, expectations }: PreparedCheck, answers: AnswersByName): ReportChecks {
  return {
    kind: 'checks',
    title: content.title,
    checks: expectations.map((bound) =>
      withSeverity(judge(bound, answers), bound.expectation.severity ?? content.severity),
    ),
  };
}

function withSeverity(check: ReportCheck, severity: Severity = 'warn'): ReportCheck {
  return severity === 'warn' ? check : { ...check, severity };
}

interface Bound {
  /** For example `at least 1`. */
  readonly words: string;
  readonly holds: (value: Exclude<Value, null>) => boolean;
}

function judge({ expectation, figure, of }: BoundExpectation, answers: AnswersByName): ReportCheck {
  const base = typeof of === 'object' ? findFigure(of, answers) : undefined;
  const against = base?.ok ? base.figure.value : typeof of === 'number' ? of : null;
  const bounds = toBounds(expectation, against);
  const is = bounds.map(({ words }) => words).join(' and ');
  const { because } = expectation;
  if (expectation.every !== undefined) {
    const stated = `every ${expectation.every} is ${is}`;
    const found = findRows(figure, answers);
    return found
      ? { ...judgeRows(found, bounds), expectation: stated, because }
      : { ...unknown(expectation.every), expectation: stated, because };
  }
  const stated = `${expectation.figure ?? ''} is ${is}`;
  const found = findFigure(figure, answers);
  if (!found.ok || (base && !base.ok))
    return { ...unknown(found.ok ? String(expectation.of) : (expectation.figure ?? '')), expectation: stated, because };
  const { value } = found.figure;
  if (value === null)
    return {
      state: 'failed',
      finding: `There is no value of ${expectation.figure ?? ''}.`,
      expectation: stated,
      because,
    };
  const isNothing = expectation.of === 'previous' && [value, against].every((each) => Number(each) === 0);
  if (isNothing && base?.ok && [found, base].some(({ figure: { provenance } }) => lacksData(provenance)))
    return {
      state: 'not-judged',
      finding: 'It is 0, as the previous period is, and the data do not cover both.',
      expectation: stated,
      because,
    };
  const passed = isJudged(value) && bounds.every(({ holds }) => holds(value));
  const beside =
    expectation.within === undefined
      ? ''
      : against === null
        ? ', and there is nothing to compare it with'
        : `, compared with ${formatValue(against, found.column)}`;
  // Bounds are plain numbers, also for seconds.
  const text =
    found.column.format === 'seconds' ? `${formatNumber(Number(value))} s, ${found.figure.text}` : found.figure.text;
  return { state: passed ? 'passed' : 'failed', finding: `It is ${text}${beside}.`, expectation: stated, because };
}

/** Whether the range of a figure has days without data, so that its 0 says nothing. */
function lacksData(provenance: ReportFigure['provenance']): boolean {
  return [provenance?.endsEarly, provenance?.beginsLate, provenance?.lost].some((lack) => lack !== undefined);
}

/** Ignores rows whose bucket is not over yet, as they will grow, and those that the range cuts. */
function judgeRows(
  {
    rows,
    column,
  }: {
    readonly rows: readonly { readonly value: Value; readonly label: string; readonly isPartial: boolean }[];
    readonly column: Column;
  },
  bounds: readonly Bound[],
): Pick<ReportCheck, 'state' | 'finding'> {
  const whole = rows.filter(({ isPartial }) => !isPartial);
  const failed = whole.filter(
    ({ value }) => value === null || !isJudged(value) || !bounds.every(({ holds }) => holds(value)),
  );
  const left = rows.length - whole.length;
  const aside =
    left === 0
      ? ''
      : ` ${formatCount(left, 'row')} in periods that are not over, or cut by the range, ` +
        `${plural(left, 'does', 'do')} not count.`;
  if (failed.length === 0)
    return {
      state: whole.length === 0 ? 'failed' : 'passed',
      finding:
        (whole.length === 0 ? 'There are no rows.' : `${formatCount(whole.length, 'row passes', 'rows pass')}.`) +
        aside,
    };
  const shown = failed
    .slice(0, 5)
    .map(({ value, label }) =>
      label === '' ? formatValue(value, column) : `${label} (${formatValue(value, column)})`,
    );
  const more = failed.length > shown.length ? ` and ${formatNumber(failed.length - shown.length)} more` : '';
  return {
    state: 'failed',
    finding:
      `${formatNumber(failed.length)} of ${formatCount(whole.length, 'row', 'rows')}` +
      ` ${plural(failed.length, 'does', 'do')} not pass: ${shown.join(', ')}${more}.${aside}`,
  };
}

function unknown(path: string): Pick<ReportCheck, 'state' | 'finding'> {
  return { state: 'unknown', finding: `${path} is not available: its cell failed.` };
}

function isJudged(value: Value): value is Exclude<Value, null | boolean> {
  return value !== null && typeof value !== 'boolean' && Number.isFinite(Number(value));
}

function toBounds(
  { atLeast, atMost, above, below, equals, not, within, of }: Expectation,
  against: Value,
): readonly Bound[] {
  const size = (value: Value, bound: number) => compareValues(value, bound, 'number');
  const bounds: Bound[] = [];
  const add = (bound: number | undefined, words: string, holds: (order: number) => boolean) => {
    if (bound !== undefined)
      bounds.push({ words: `${words} ${formatNumber(bound)}`, holds: (value) => holds(size(value, bound)) });
  };
  add(atLeast, 'at least', (order) => order >= 0);
  add(atMost, 'at most', (order) => order <= 0);
  add(above, 'above', (order) => order > 0);
  add(below, 'below', (order) => order < 0);
  add(equals, 'exactly', (order) => order === 0);
  add(not, 'not', (order) => order !== 0);
  if (within !== undefined) {
    const share = typeof within === 'number' ? within : Number(within.replace('%', '').trim());
    const base = against === null ? undefined : Number(against);
    const words = `within ${formatNumber(share)} % of ${of === 'previous' ? 'the previous period' : String(of)}`;
    bounds.push({
      words,
      holds: (value) =>
        base !== undefined && Number.isFinite(base) && Math.abs(Number(value) - base) <= (Math.abs(base) * share) / 100,
    });
  }
  return bounds;
}
