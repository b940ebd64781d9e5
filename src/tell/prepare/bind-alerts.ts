import { errorIssue, type Issue, type Outcome, settle } from '../../ask/outcome.ts';
import type { CellContent } from '../notebook/notebook.ts';
import { alertsOf, readWatch, type Watch, type WrittenAlert, writeCondition } from '../notebook/read-alert.ts';
import { bindFigure, type FigureScope } from './bind-figure.ts';
import { type BoundFigure, figureSides, type PreparedAlert } from './prepared.ts';

/** Binds the alerts of a cell to their figures. Issues have paths into the cell. */
export function bindAlerts(content: CellContent, scope: FigureScope): Outcome<readonly PreparedAlert[]> {
  if (!('alert' in content) && !('outside' in content)) return settle([], []);
  const written = alertsOf(content);
  if (written.length === 0) return settle([], []);
  const { name } = content;
  if (name === undefined) {
    const hint = 'Add a name, such as `name: page_views`: notices refer to it.';
    return settle(
      [],
      [
        errorIssue('missing-key', 'A cell with an alert needs a name.', {
          path: ['alert'],
          hint,
        }),
      ],
    );
  }
  const issues: Issue[] = [];
  const bound = written.flatMap((one, index): PreparedAlert[] => {
    const watch = readWatch(one);
    if (!watch) return [];
    const path = Array.isArray(content.alert) && index < content.alert.length ? ['alert', index] : [placeOf(content)];
    const figure = bindWatch(name, one, watch, scope);
    issues.push(...(figure?.issues ?? []).map((issue) => ({ ...issue, path })));
    return figure?.ok ? [{ cell: name, written: one, watch, figure: figure.value }] : [];
  });
  return settle(bound, issues);
}

function placeOf({ alert }: { readonly alert?: unknown }): string {
  return alert === undefined ? 'outside' : 'alert';
}

function bindWatch(
  name: string,
  written: WrittenAlert,
  watch: Watch,
  scope: FigureScope,
): Outcome<BoundFigure> | undefined {
  const find = (steps: readonly string[], every = false) =>
    bindFigure({ text: [name, ...steps].join('.'), name, steps, own: watch.steps }, scope, {
      every,
    });
  if (watch.kind === 'band') {
    const why = refuseBand(name, watch, scope);
    if (why) return { ok: false, issues: [why] };
    const found = find(watch.steps, true);
    if (!found || found.ok) return found;
    const way = `Write \`alert: {outside: ${written.outside}, figure: NAME}\`.`;
    const named = ({ hint, ...rest }: Issue): Issue =>
      rest.code === 'several-measures' ? { ...rest, hint: `${way} ${hint}` } : { ...rest, hint };
    return { ...found, issues: found.issues.map(named) };
  }
  // A change in percent is a different figure than a change.
  const isChange = watch.isPercent && watch.steps.at(-1) === 'change';
  const steps = isChange ? [...watch.steps.slice(0, -1), 'changePercent'] : watch.steps;
  const found = find(steps);
  if (found?.issues.some(({ code }) => code === 'several-rows') !== true)
    return checkPercent(found, written, watch, scope);
  const side = figureSides.find((word) => word === steps.at(-1));
  const whole = side === undefined ? [...steps, 'total'] : [...steps.slice(0, -1), 'total', side];
  return checkPercent(find(whole), written, watch, scope);
}

/** Refuses a percent bound for a figure that is not a percentage. */
function checkPercent(
  found: Outcome<BoundFigure> | undefined,
  written: WrittenAlert,
  watch: Watch,
  { cells }: FigureScope,
): Outcome<BoundFigure> | undefined {
  if (!found?.ok || watch.kind !== 'bound' || !watch.isPercent || found.value.kind !== 'column') return found;
  const { cell, column = '' } = found.value;
  const block = cells.get(cell);
  const format = block?.kind === 'question' ? block.facts.columns.find(({ key }) => key === column)?.format : undefined;
  if (block?.kind !== 'question' || format === 'percent' || column.endsWith('.changePercent')) return found;
  const hint = 'Leave the % out, or write change.';
  return {
    ok: false,
    issues: [errorIssue('not-percent', `${writeCondition(written)}: the figure is not a percentage.`, { hint })],
  };
}

/** A band requires one series: a row per time bucket, and no other dimension. */
function refuseBand(
  name: string,
  { among }: Watch & { readonly kind: 'band' },
  { cells }: FigureScope,
): Issue | undefined {
  const block = cells.get(name);
  if (!block || block.kind === 'failure') return undefined;
  const columns = block.kind === 'question' && !block.facts.isComparison ? block.facts.columns : [];
  const [axis, another] = columns.filter(({ kind }) => kind !== 'measure');
  if (axis?.granularity === undefined || another)
    return errorIssue('not-a-series', 'Only a query by time, without other dimensions, has a band.', {
      hint: 'Add a granularity, and ask for each group in a cell of its own.',
    });
  if (among === 'weekday' && axis.granularity !== 'day')
    return errorIssue('not-a-series', 'Only days have a weekday.', {
      hint: 'Use `granularity: day`, or leave "of the same weekday" out.',
    });
  return undefined;
}
