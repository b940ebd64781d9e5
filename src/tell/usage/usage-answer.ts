import type { Value } from '../../plan/column.ts';
import { type Provenance, toSteadyProvenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { formatValue } from '../../shape/format/format.ts';
import { percentOf } from '../../shape/share.ts';
import { subtractValues, sumValues } from '../../shape/values/decimal.ts';
import type { UsageCell } from '../notebook/notebook.ts';
import type { UsageAnswer } from '../ports.ts';
import type { ReportFigure, ReportPart, ReportStat } from '../report/report.ts';
import { type FrozenMonth, findLateEvents, describeLateEvents, describeOtherZones } from './frozen-month.ts';
import { addMonths, nameMonth } from './month.ts';
import { describeAlerts, describePlatformDifference, describeFailures, describeUsage } from './usage-notes.ts';
import { isStale, lacksEvents } from './usage-days.ts';
import {
  eventsColumn,
  toBilledResult,
  toFiguresResult,
  toMonthsResult,
  toOpenResult,
  toSeriesResult,
  toTotalsResult,
} from './usage-results.ts';
import { type Usage, beyondCounted } from './usage.ts';

/** The default chart of usage. */
export const usageChart = { title: 'Events per month', preference: 'stacked' } as const;

/** The answer of a usage cell or command: the months as a table and a chart, and the month in progress. */
export function toUsageAnswer(
  usage: Usage,
  provenance: Provenance,
  frozen: readonly FrozenMonth[],
  preference: Pick<UsageCell, 'show' | 'chart' | 'forecast'>,
): UsageAnswer {
  return {
    parts: toParts(usage, provenance, preference),
    figures: toUsageFigures(usage, provenance),
    partial: new Set<UsageFigureName>(usage.plan.reported === usage.plan.open ? ['total'] : []),
    footnotes: [...describeLateEvents(usage, frozen), ...describeOtherZones(usage, frozen), ...describeUsage(usage)],
    failures: describeFailures(usage),
    alerts: describeAlerts(usage),
    stale: isStale(usage.plan, usage.coverage),
  };
}

/** The figures of all projects as one table, for programs. */
export function toUsageTable(usage: Usage, provenance: Provenance, frozen: readonly FrozenMonth[]): Result {
  return toFiguresResult(usage, provenance, findLateEvents(usage, frozen), issuedOf(usage, frozen));
}

function toParts(
  usage: Usage,
  provenance: Provenance,
  { show = 'both', chart, forecast = true }: Pick<UsageCell, 'show' | 'chart' | 'forecast'>,
): readonly ReportPart[] {
  if (show === 'none' || usage.groups.every(({ projects }) => projects.length === 0)) return [];
  const { open } = usage.plan;
  const billed = toBilledResult(usage, provenance);
  const progress = forecast ? toOpenResult(usage, provenance) : undefined;
  const tables: readonly ReportPart[] = [
    { kind: 'table', result: toMonthsResult(usage, provenance), title: 'Project by project' },
    ...(progress && open
      ? [{ kind: 'table' as const, result: progress, title: `${nameMonth(open.month)}, in progress` }]
      : []),
    ...(billed
      ? [
          {
            kind: 'table' as const,
            result: billed,
            title: `${nameMonth(usage.plan.reported.month)} as the platform counts it`,
          },
        ]
      : []),
  ];
  const drawn: ReportPart = {
    kind: 'chart',
    result: toSeriesResult(usage, provenance),
    title: usageChart.title,
    preference: chart ?? usageChart.preference,
    annotations: [],
  };
  const totals: ReportPart = {
    kind: 'stats',
    result: toTotalsResult(usage, provenance),
    stats: toTotals(usage, forecast),
  };
  if (show === 'stats') return [totals];
  return [
    ...(show === 'both' ? [totals] : []),
    ...(show === 'table' ? [] : [drawn]),
    ...(show === 'chart' ? [] : tables),
  ];
}

/** The month's total, the used share of quotas, and the forecast of the month in progress. */
function toTotals({ plan, overall, groups, coverage }: Usage, forecast: boolean): readonly ReportStat[] {
  const { reported, open } = plan;
  const change = percentOf(subtractValues(overall.reported, overall.previous), overall.previous);
  const events = (value: Value) => formatValue(value, eventsColumn('events', 'Events'));
  const total: ReportStat = {
    label: `Events, ${nameMonth(reported.month)}`,
    text: events(overall.reported),
    value: overall.reported,
    ...(overall.previous === null
      ? {}
      : {
          previous: {
            text: events(overall.previous),
            label: nameMonth(addMonths(reported.month, -1)),
            changePercent: change === null ? '' : `${change > 0 ? '+' : ''}${formatNumber(change, 'percent')}`,
          },
        }),
  };
  const quotas = groups.flatMap((group): readonly ReportStat[] => {
    const { name, quota, reported: counted, billed, failed, stale } = group;
    // The platform's count decides the bill. With partial data, the rest of the quota is unknown.
    const used = billed ?? (stale || lacksEvents(coverage, reported) ? null : counted);
    const share = quota === undefined || failed.length > 0 ? null : percentOf(used, quota);
    if (quota === undefined || share === null) return [];
    const of = groups.length === 1 ? '' : `, ${name}`;
    return [
      {
        label: `Quota used${billed === null ? '' : " by the platform's count"}${of}: ${formatNumber(quota)} a month`,
        text: formatNumber(Math.round(share * 10) / 10, 'percent'),
        value: share,
        gauge: share,
      },
    ];
  });
  // Data that ends early does not support a forecast.
  const expected = forecast && open && !overall.stale ? overall.forecast : undefined;
  const ahead =
    expected && open
      ? [
          {
            label: `Forecast, ${nameMonth(open.month)}`,
            text: events(expected.expected),
            value: expected.expected,
            note: `${events(expected.low)} to ${events(expected.high)} (80%), ${events(overall.toDate)} so far`,
          },
        ]
      : [];
  const beyond = beyondCounted(overall, { plan });
  const billed: readonly ReportStat[] =
    overall.billed === null
      ? []
      : [
          {
            label: `Platform's count, ${nameMonth(reported.month)}`,
            text: events(overall.billed),
            value: overall.billed,
            ...(beyond === null ? {} : { note: describePlatformDifference(beyond) }),
          },
        ];
  return [total, ...quotas, ...billed, ...ahead];
}

/** The issued figures of the reported month, by project. */
function issuedOf({ plan }: Usage, frozen: readonly FrozenMonth[]): ReadonlyMap<string, Value> {
  const found = frozen.find(({ month, zone }) => month === plan.reported.month && zone === plan.zone);
  return new Map((found?.projects ?? []).map(({ id, events }) => [id, sumValues([BigInt(events)])]));
}

/** Figures of a usage cell for prose and checks. Each covers all projects together. */
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

/** The figures by name. `month` is text; the others are numbers, or null if unknown. */
function toUsageFigures({ plan, overall }: Usage, provenance: Provenance): ReadonlyMap<UsageFigureName, ReportFigure> {
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
