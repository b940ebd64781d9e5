import { invariant } from '../../ask/invariant.ts';
import type { Query } from '../../ask/query/query.ts';
import { type Column, labelOf } from '../../plan/column.ts';
import { shortNameOf } from '../../ask/query/member-name.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import { escapeMarkdown } from '../../show/text/markdown-cell.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { escapeParams } from './params.ts';
import { fenceAround, writeYaml } from './write-notebook.ts';

/** The content of a new report. */
export interface NewReport {
  readonly title: string;
  /** The question. The report sets its range. */
  readonly query: Query;
  readonly columns: readonly Column[];
  /** The time dimension that its days use. */
  readonly time: string;
  readonly schedule?: Schedule | undefined;
  readonly timezone: string;
  /** False if answers do not say how recent their data are. */
  readonly tellsAge: boolean;
}

interface Period {
  readonly name: string;
  readonly title: string;
  readonly usual: string;
}

const periods = {
  month: { name: 'month', title: 'Month', usual: 'last closed month' },
  week: { name: 'week', title: 'Week', usual: 'last closed week' },
  day: { name: 'day', title: 'Day', usual: 'yesterday' },
} as const satisfies Readonly<Record<string, Period>>;

/** A report covers the time between its slots. */
function periodOf(schedule: Schedule | undefined): Period {
  if (schedule === undefined) return periods.week;
  const { days, onLastDay, weekdays } = schedule.fields;
  if (weekdays?.length === 1) return periods.week;
  return days !== undefined || onLastDay ? periods.month : periods.day;
}

/** Writes a complete report with comments that explain what to change and what else is possible. */
export function writeNewReport(report: NewReport): string {
  const { title, query, columns, time, schedule, timezone, tellsAge } = report;
  const { name, title: label, usual } = periodOf(schedule);
  const type = name === 'day' ? 'date' : name;
  const measures = columns.filter(({ kind }) => kind === 'measure');
  const dimensions = columns.filter(({ kind }) => kind === 'dimension');
  const [first] = measures;
  invariant(first, 'a report has a measure');
  const main = first.member;
  const common = { measures: measures.map(({ member }) => member), ...conditionsOf(query) };
  const isClear = (short: string) => measures.filter(({ member }) => shortNameOf(member) === short).length === 1;
  const quoted = ({ member }: Column) => `figures.${isClear(shortNameOf(member)) ? shortNameOf(member) : member}`;
  const isDaily = name !== 'day';
  const front = [
    '---',
    ...yaml({ title: `${title}: {{ ${name} }}` }),
    ...yaml({ description: `${measures.map(labelOf).join(', ')}, with the change from the period before.` }),
    '# Parameters: set with --param, used as "{{ NAME }}".',
    'params:',
    `  ${name}: {type: ${type}, default: ${usual}, title: ${label}}`,
    '# The zone of days and of the schedule.',
    ...yaml({ timezone }),
    ...(schedule === undefined
      ? [
          '# When to run it: daily at 06:00, weekly on monday at 06:00, monthly on day 1 at 06:00.',
          '# schedule: weekly on monday at 06:00',
        ]
      : [
          '# `sluice report schedule` prints the line for cron, systemd or GitLab.',
          ...yaml({ schedule: schedule.text }),
        ]),
    ...(tellsAge
      ? [
          '# Wait for complete data, at most 6 hours, then deliver with a warning.',
          `${schedule === undefined ? '# ' : ''}fresh: covers range`,
        ]
      : []),
    '# Where it goes; without it, into the folder out.',
    '# deliver:',
    '#   - {folder: public, formats: [html], keep: 24, index: true}',
    '#   - {email: [team@example.org]}',
    '#   - {webhookFrom: SLACK_HOOK, body: slack}',
    '# Who is told of alerts, and of a schedule that fails, is late or recovers.',
    '# notify: [{email: oncall@example.org}]',
    '---',
  ];
  const prose = [
    '',
    // Prose quotes figures of named cells: value, then change.
    `There were ${measures.map((measure) => `**{{ ${quoted(measure)} | number }} ${escapeProse(labelOf(measure))}** ({{ ${quoted(measure)} | change }})`).join(' and ')}`,
    `in {{ ${name} }}.`,
    '',
  ];
  const cells = [
    ...cell('compare', [
      '# The period, compared with the one before. Its name is used in the text above and in the checks below.',
      'name: figures',
      `title: The ${name}, compared with the one before`,
      ...yaml({ query: common }),
      `range: "{{ ${name} }}"`,
      '# Notify when the figure falls (see notify above):',
      `# alert: ${shortNameOf(main)}.change < -20%`,
    ]),
    ...(isDaily
      ? [
          '## Day by day',
          '',
          ...cell('query', [
            'name: days',
            'title: Day by day',
            ...yaml({ query: { ...common, timeDimensions: [{ dimension: time, granularity: 'day' }] } }),
            `range: "{{ ${name} }}"`,
            '# line, column, bar, area, …; the table is folded below.',
            'chart: line',
          ]),
        ]
      : []),
    ...dimensions.flatMap((dimension) => [
      `## ${escapeProse(labelOf(dimension))}`,
      '',
      ...cell('query', [
        ...yaml({ title: labelOf(dimension) }),
        ...yaml({
          query: { ...common, dimensions: [dimension.member], order: [[main, 'desc']], limit: 10 },
        }),
        `range: "{{ ${name} }}"`,
        'show: table',
      ]),
    ]),
    ...cell('check', [
      '# A check that fails puts a warning at the top; severity: stop also holds the report back.',
      'expect:',
      `  - {figure: ${quoted(first)}, above: 0, because: Without events the other figures mean nothing.}`,
    ]),
  ];
  return [...front, ...prose, ...cells].join('\n').trimEnd() + '\n';
}

/** The parts of a query other than measures, dimensions and time. */
function conditionsOf({ filters = [], segments = [] }: Query): object {
  return { ...(filters.length > 0 ? { filters } : {}), ...(segments.length > 0 ? { segments } : {}) };
}

/** A mapping as lines of YAML. Parameters work only in the title of the report. */
function yaml(data: object): readonly string[] {
  return writeYaml('query' in data ? (escapeParams(data) as object) : data)
    .trimEnd()
    .split('\n');
}

/** A fenced block that its content cannot close, and a blank line. */
function cell(kind: string, lines: readonly string[]): readonly string[] {
  const fence = fenceAround(lines.join('\n'));
  return [`${fence}${kind}`, ...lines, fence, ''];
}

function escapeProse(text: string): string {
  return escapeMarkdown(sanitize(text).replaceAll('{{', '{ {'));
}
