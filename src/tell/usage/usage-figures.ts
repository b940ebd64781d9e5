import type { Value } from '../../plan/column.ts';
import { formatValue } from '../../shape/format/format.ts';
import { type Provenance, toSteadyProvenance } from '../../shape/result/provenance.ts';
import { percentOf } from '../../shape/share.ts';
import { subtractValues } from '../../shape/values/decimal.ts';
import type { ReportFigure } from '../report/report.ts';
import { nameMonth } from './month.ts';
import { beyondCounted, type Usage } from './usage.ts';

/** What prose may quote and checks may judge of a usage cell. All of them are of all projects together. */
export const usageFigureNames = [
  'month',
  'total',
  'previous',
  'change',
  'changePercent',
  'toDate',
  'forecast',
  'forecastLow',
  'forecastHigh',
  'billed',
  'beyondCounted',
  'projects',
  'notOnboarded',
  'failed',
] as const;

type UsageFigureName = (typeof usageFigureNames)[number];

/** The figures by name. `month` is text; the others are numbers, null where there is none. */
export function toUsageFigures(
  { plan, overall }: Usage,
  provenance: Provenance,
): ReadonlyMap<UsageFigureName, ReportFigure> {
  const { reported, previous, toDate, forecast, projects, notOnboarded, failed } = overall;
  const change = subtractValues(reported, previous);
  const values: Readonly<Record<UsageFigureName, Value>> = {
    month: nameMonth(plan.reported.month),
    total: reported,
    previous,
    change,
    changePercent: percentOf(change, previous),
    toDate,
    forecast: forecast?.expected ?? null,
    forecastLow: forecast?.low ?? null,
    forecastHigh: forecast?.high ?? null,
    billed: overall.billed,
    beyondCounted: beyondCounted(overall, { plan }),
    projects: projects.length,
    notOnboarded: notOnboarded.length,
    failed: failed.filter(({ optional }) => !optional).length,
  };
  const steady = toSteadyProvenance(provenance);
  return new Map(
    usageFigureNames.map((name) => [
      name,
      {
        path: name,
        text: formatValue(values[name], {
          type: name === 'month' ? 'string' : 'number',
          ...(name === 'changePercent' ? { format: 'percent' } : {}),
        }),
        value: values[name],
        provenance: steady,
      },
    ]),
  );
}
