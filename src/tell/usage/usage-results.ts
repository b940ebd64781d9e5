import type { Column, Value } from '../../plan/column.ts';
import { noMarks, partialByPresent, toMarks } from '../../shape/result/marks.ts';
import type { Provenance } from '../../shape/result/provenance.ts';
import { type Result, toResult } from '../../shape/result/result.ts';
import { percentOf } from '../../shape/share.ts';
import { subtractValues } from '../../shape/values/decimal.ts';
import type { LateEvents } from './frozen-month.ts';
import { addMonths, nameMonth } from './month.ts';
import { noFigures } from './sum-usage.ts';
import { lacksEvents } from './usage-days.ts';
import { nameOpen } from './usage-notes.ts';
import {
  beyondCounted,
  type FailedProject,
  type GroupUsage,
  indexOfMonth,
  monthsToShow,
  type Usage,
  type UsageFigures,
} from './usage.ts';

interface Row {
  readonly group: string;
  readonly project: string;
  readonly figures: UsageFigures;
  readonly share: number | null;
  readonly quota?: number | undefined;
}

type NamedColumn<R extends Row = Row> = readonly [column: Column, values: (row: R) => Value];

/**
 * The figures of each project, one row each, in the groups' order. Column names do not depend on the month. A failed
 * project has a row without figures, with the reason. `issued` is the figure of a frozen month, `sinceIssued` the
 * change since. `groupEvents` is the sum of the group's counted projects, to compare with its quota.
 */
export function toFiguresResult(
  usage: Usage,
  provenance: Provenance,
  late: readonly LateEvents[],
  issued: ReadonlyMap<string, Value>,
): Result {
  const {
    plan: { reported },
  } = usage;
  const ids = new Map(
    usage.groups.flatMap(({ projects }) => projects).map((project) => [project as UsageFigures, project.project.id]),
  );
  const idOf = ({ figures, failed }: FigureRow) => failed?.id ?? ids.get(figures) ?? '';
  const rows = usage.groups.flatMap((group): readonly FigureRow[] => [
    ...projectRows(group).map((row) => ({ ...row, of: group })),
    ...group.failed.map((failed) => ({
      group: group.name,
      project: failed.name,
      figures: noFigures({ months: [] }),
      share: null,
      of: group,
      failed,
    })),
  ]);
  return build(rows, provenance, [
    [dimensionColumn('group', 'Group'), ({ group }) => group],
    [dimensionColumn('project', 'Project'), ({ project }) => project],
    [dimensionColumn('projectId', 'Project ID'), idOf],
    [
      dimensionColumn('state', 'State'),
      ({ failed, figures }) => (failed ? 'failed' : figures.stale ? 'stale' : 'counted'),
    ],
    [dimensionColumn('month', 'Month'), () => reported.month],
    [eventsColumn('events', 'Events'), ({ figures }) => figures.reported],
    [eventsColumn('previous', 'Month before'), ({ figures }) => figures.previous],
    [eventsColumn('change', 'Change'), ({ figures }) => subtractValues(figures.reported, figures.previous)],
    [figureColumn('changePercent', 'Change in %', 'percent'), ({ figures }) => changeOf(figures)],
    [figureColumn('share', 'Share', 'percent'), ({ share }) => share],
    [eventsColumn('issued', 'Issued'), (row) => issued.get(idOf(row)) ?? null],
    [eventsColumn('sinceIssued', 'Since issued'), (row) => sinceIssued(late, issued, reported.month, idOf(row))],
    [eventsColumn('toDate', 'To date'), ({ figures }) => figures.toDate],
    ...forecastColumns(),
    [figureColumn('billed', "Platform's count"), ({ figures }) => figures.billed],
    [figureColumn('beyondCounted', "Platform's count beyond events"), ({ figures }) => beyondCounted(figures, usage)],
    [figureColumn('groupEvents', 'Events of the group'), ({ of }) => of.reported],
    [figureColumn('quota', 'Quota of the group'), ({ of }) => of.quota ?? null],
    [
      figureColumn('quotaUsed', 'Quota used', 'percent'),
      ({ of }) => (of.quota === undefined ? null : percentOf(of.reported, of.quota)),
    ],
    [dimensionColumn('why', 'Why not counted'), ({ failed }) => failed?.why ?? null],
  ]);
}

/** A row for programs. */
interface FigureRow extends Row {
  readonly of: GroupUsage;
  readonly failed?: FailedProject | undefined;
}

/** Null if it was never issued; 0 if nothing has changed since. */
function sinceIssued(
  late: readonly LateEvents[],
  issued: ReadonlyMap<string, Value>,
  month: string,
  id: string,
): Value {
  if (!issued.has(id)) return null;
  return late.find((each) => each.month === month && each.project.id === id)?.change ?? 0;
}

/**
 * The table for people: one row per project, and a sum per group. One column per month, the latest first, so that it is
 * visible on a phone or a narrow terminal.
 */
export function toMonthsResult(usage: Usage, provenance: Provenance): Result {
  const { open, reported } = usage.plan;
  const rows = rowsOf(usage);
  const flags = new Map<string, Uint8Array>();
  if (rows.some(({ figures }) => figures.stale))
    flags.set(
      `Usage.${reported.month}`,
      Uint8Array.from(rows, ({ figures }) => (figures.stale ? partialByPresent : 0)),
    );
  if (open) flags.set(`Usage.${open.month}`, new Uint8Array(rows.length).fill(partialByPresent));
  const result = build(rows, provenance, [
    ...namesOf(usage),
    ...[...monthsToShow(usage)]
      .reverse()
      .map(
        ({ month, index }): NamedColumn => [
          figureColumn(month, nameMonth(month, 'short')),
          ({ figures }) => figures.events[index] ?? null,
        ],
      ),
    [
      figureColumn('changePercent', `Change in ${nameMonth(usage.plan.reported.month, 'short')}`, 'percent'),
      ({ figures }) => changeOf(figures),
    ],
    [figureColumn('share', 'Share', 'percent'), ({ share }) => share],
  ]);
  if (flags.size === 0) return result;
  return toResult({
    columns: result.columns,
    data: result.columns.map(({ key }) => result.values(key)),
    provenance: result.provenance,
    types: result.types,
    marks: toMarks(flags),
  });
}

/** The month in progress: its events so far, and its forecast. Undefined if there is none. */
export function toOpenResult(usage: Usage, provenance: Provenance): Result | undefined {
  const { open } = usage.plan;
  if (!open) return undefined;
  const before = addMonths(open.month, -1);
  const index = indexOfMonth(usage.plan, before);
  const previous = ({ figures }: Row) => figures.events[index] ?? null;
  const isWhole = !lacksEvents(usage.coverage, usage.plan.months[index]);
  const hasQuota = usage.groups.some(({ quota }) => quota !== undefined);
  const rows = rowsOf(usage);
  return build(rows, provenance, [
    ...namesOf(usage),
    ...(index === -1 ? [] : [[figureColumn(before, nameMonth(before, 'short')), previous] as const]),
    [figureColumn('toDate', nameOpen(usage)), ({ figures }) => figures.toDate],
    ...forecastColumns(),
    ...(index === -1
      ? []
      : [
          [
            figureColumn('forecastChangePercent', `Against ${nameMonth(before, 'short')}`, 'percent'),
            (row: Row) =>
              percentOf(
                row.figures.forecast && isWhole ? subtractValues(row.figures.forecast.expected, previous(row)) : null,
                previous(row),
              ),
          ] as const,
        ]),
    ...(hasQuota
      ? [
          [
            figureColumn('quotaUsed', 'Quota used', 'percent'),
            ({ figures, quota }: Row) => (quota === undefined ? null : percentOf(figures.toDate, quota)),
          ] as const,
        ]
      : []),
  ]);
}

/** The reported month as the platform counts it for billing, beside the count here. Undefined if no count is known. */
export function toBilledResult(usage: Usage, provenance: Provenance): Result | undefined {
  if (usage.overall.projects.every(({ billed }) => billed === null)) return undefined;
  const rows = rowsOf(usage);
  const beyond = ({ figures }: Row) => beyondCounted(figures, usage);
  return build(rows, provenance, [
    ...namesOf(usage),
    [eventsColumn('events', 'Events'), ({ figures }) => figures.reported],
    [eventsColumn('billed', "Platform's count"), ({ figures }) => figures.billed],
    [figureColumn('beyondCounted', 'Difference'), beyond],
    [
      figureColumn('beyondCountedPercent', 'Difference in %', 'percent'),
      (row) => percentOf(beyond(row), row.figures.reported),
    ],
  ]);
}

/** For a chart: one row per month and project, or per month and group if there are several. */
export function toSeriesResult(usage: Usage, provenance: Provenance): Result {
  const { open, reported } = usage.plan;
  const several = usage.groups.length > 1;
  const series = several
    ? usage.groups.map(({ name, events, stale }) => ({ name, events, stale }))
    : usage.groups.flatMap(({ projects }) =>
        projects.map(({ project, events, stale }) => ({ name: project.name, events, stale })),
      );
  const rows = monthsToShow(usage).flatMap(({ month, index }) =>
    series.map(({ name, events, stale }) => ({ month, name, stale, events: events[index] ?? null })),
  );
  const isPartial = ({ month, stale }: { readonly month: string; readonly stale: boolean }) =>
    month === open?.month || (stale && month === reported.month);
  const flags = Uint8Array.from(rows, (row) => (isPartial(row) ? partialByPresent : 0));
  const partial = new Set(rows.filter(isPartial).map(({ month }) => month)).size;
  const columns = [
    monthColumn(),
    dimensionColumn(several ? 'group' : 'project', several ? 'Group' : 'Project'),
    eventsColumn('events', 'Events'),
  ];
  return toResult({
    columns,
    data: [
      rows.map(({ month }) => `${month}-01T00:00:00.000`),
      rows.map(({ name }) => name),
      rows.map(({ events }) => events),
    ],
    provenance: { ...provenance, rows: rows.length, partialBuckets: partial },
    marks:
      partial > 0
        ? toMarks(new Map(columns.filter(({ kind }) => kind !== 'dimension').map(({ key }) => [key, flags])))
        : noMarks,
  });
}

/** All projects together in one row: the month at a glance. */
export function toTotalsResult(usage: Usage, provenance: Provenance): Result {
  const row: Row = { group: '', project: '', figures: usage.overall, share: null };
  return build([row], provenance, [
    [eventsColumn('events', 'Events'), ({ figures }) => figures.reported],
    [eventsColumn('previous', 'Month before'), ({ figures }) => figures.previous],
    [figureColumn('changePercent', 'Change in %', 'percent'), ({ figures }) => changeOf(figures)],
    [eventsColumn('toDate', 'To date'), ({ figures }) => figures.toDate],
    ...forecastColumns(),
  ]);
}

/** One row per project, and a sum per group. */
function rowsOf({ groups }: Usage): readonly Row[] {
  return groups.flatMap((group) => [...projectRows(group), ...sumRows(group, groups.length)]);
}

/** The project, and its group if there are several. */
function namesOf({ groups }: Usage): readonly NamedColumn[] {
  const project: NamedColumn = [dimensionColumn('project', 'Project'), (row) => row.project];
  return groups.length > 1 ? [[dimensionColumn('group', 'Group'), ({ group }) => group], project] : [project];
}

function projectRows({ name, projects }: GroupUsage): readonly Row[] {
  return projects.map((project) => ({
    group: name,
    project: project.project.name,
    figures: project,
    share: project.share,
  }));
}

/** A single project needs no sum, but each of several groups has one. */
function sumRows(group: GroupUsage, groups: number): readonly Row[] {
  if (group.projects.length < 2 && groups === 1) return [];
  return [
    {
      group: group.name,
      project: group.failed.length > 0 ? 'Sum of those counted' : 'Sum',
      figures: group,
      share: group.reported === null ? null : percentOf(group.reported, group.reported),
      quota: group.quota,
    },
  ];
}

function forecastColumns(): readonly NamedColumn[] {
  return [
    [figureColumn('forecast', 'Forecast'), ({ figures }) => figures.forecast?.expected ?? null],
    [figureColumn('forecastLow', 'Low (80%)'), ({ figures }) => figures.forecast?.low ?? null],
    [figureColumn('forecastHigh', 'High (80%)'), ({ figures }) => figures.forecast?.high ?? null],
  ];
}

function changeOf({ reported, previous }: UsageFigures): number | null {
  return percentOf(subtractValues(reported, previous), previous);
}

function build<R extends Row>(rows: readonly R[], provenance: Provenance, columns: readonly NamedColumn<R>[]): Result {
  return toResult({
    columns: columns.map(([column]) => column),
    data: columns.map(([, valueOf]) => rows.map(valueOf)),
    provenance: { ...provenance, rows: rows.length },
  });
}

/** Columns of usage tables. They are not queryable members, because they combine several projects. */
export function dimensionColumn(name: string, title: string): Column {
  return { ...base(name, title), kind: 'dimension', type: 'string', additive: false, whenAbsent: null };
}

export function monthColumn(): Column {
  return {
    ...base('month', 'Month'),
    kind: 'time',
    type: 'time',
    granularity: 'month',
    additive: false,
    whenAbsent: null,
  };
}

export function eventsColumn(name: string, title: string): Column {
  return { ...base(name, title), kind: 'measure', type: 'number', additive: true, whenAbsent: 0 };
}

/** A figure that is not additive: a forecast's bound, a change. */
function figureColumn(name: string, title: string, format?: 'percent'): Column {
  return {
    ...base(name, title),
    kind: 'measure',
    type: 'number',
    ...(format === undefined ? {} : { format }),
    additive: false,
    whenAbsent: null,
  };
}

function base(name: string, title: string): Pick<Column, 'key' | 'member' | 'title' | 'shortTitle'> {
  return { key: `Usage.${name}`, member: `Usage.${name}`, title, shortTitle: title };
}
