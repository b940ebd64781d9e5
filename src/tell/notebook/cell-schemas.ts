import { z } from 'zod';
import { chartKinds } from '../../ask/chart/chart-preference.ts';
import { annotationsSchema } from '../../ask/chart/annotation.ts';
import { querySchema, writtenFilterSchema } from '../../ask/query/query-schema.ts';
import { inlineDefinitionSchema } from '../../ask/query/read-saved-query.ts';
import { fillModes } from '../../ask/query/saved-query.ts';
import { quote } from '../../ask/text.ts';
import { deliverySchema } from '../delivery/delivery.ts';
import { type CellKind, namePattern, severities, shownParts } from './cell-kinds.ts';
import { readWatch } from './read-alert.ts';

const named = {
  name: z
    .string()
    .regex(namePattern, {
      error: (issue) =>
        `${quote(String(issue.input))} is not a valid cell name.\nUse letters, digits and _, such as page_views.`,
    })
    .optional()
    .describe('The name in prose and checks: {{ page_views.total }}.'),
  title: z.string().optional().describe('The title above the result.'),
  description: z.string().optional().describe('What it shows, and any caveats.'),
};

const when = z.string().refine((text) => readWatch({ when: text }) !== undefined, {
  error: 'This is not a condition.\nWrite a figure and a bound, such as change < -20% or total > 1000.',
});

const outside = z.string().refine((text) => readWatch({ outside: text }) !== undefined, {
  error: 'This is not a band.\nWrite, for example, 3 mad of the same weekday, or 4 mad.',
});

const alert = z
  .strictObject({
    when: when.optional().describe('A bound: change < -20%, total > 1000, cart.conversion < 40%.'),
    outside: outside
      .optional()
      .describe(
        'A band around the median of the earlier rows, in median absolute deviations: 3 mad of the same weekday.',
      ),
    figure: z.string().min(1).optional().describe('outside only: the measure, if the cell has several.'),
    because: z.string().optional().describe('What it means, or what to do, shown with the alert.'),
    notify: z
      .array(deliverySchema)
      .min(1)
      .optional()
      .describe('Who is notified of this alert (default: notify of the report).'),
  })
  .refine((one) => (one.when === undefined) !== (one.outside === undefined), {
    error: 'An alert has one condition.\nGive it either "when" or "outside".',
    params: { code: 'one-condition' },
  })
  .refine((one) => one.figure === undefined || one.outside !== undefined, {
    error: '"figure" is only for "outside".\nWrite the figure in the condition: when: count.total > 1000.',
    params: { code: 'one-condition' },
  });

const shown = {
  ...named,
  alert: z
    .union([when, alert, z.array(z.union([when, alert])).min(1)])
    .optional()
    .describe(
      'When to notify: a condition such as change < -20%, or several. ' +
        'A scheduled run notifies once when it begins to hold, and once when it no longer does.',
    ),
  outside: outside.optional().describe('The same as an alert with "outside": 3 mad of the same weekday.'),
  show: z
    .enum(shownParts)
    .optional()
    .describe(
      'What to show (default: a table; a chart of more than 100 rows over time; both if the cell specifies a chart).',
    ),
  chart: z
    .union([z.enum([...chartKinds, 'none']), z.record(z.string(), z.unknown())])
    .optional()
    .describe('The chart: a kind of chart, or a Vega-Lite fragment.'),
};

const range = z
  .union([z.string().min(1), z.array(z.string()).min(1).max(2)])
  .describe('The time range: a phrase such as "last 30 days", one day, or the first and last day.');

const timezone = z.string().min(1).describe('The time zone of days, such as Europe/Berlin.');

const names = z.record(z.string(), z.string().min(1));

const asked = {
  ...shown,
  labels: names
    .optional()
    .describe('What measures and dimensions are called, by name: {TrackedEvents.count: Page views}.'),
  units: names.optional().describe('What values are counted in, by name, shown behind the label: {revenue: EUR}.'),
  query: z
    .union([z.string().min(1), querySchema])
    .optional()
    .describe('A question in one line, or a query as in a load body.'),
  define: inlineDefinitionSchema.optional(),
  from: z
    .string()
    .min(1)
    .optional()
    .describe('The name of a saved query, or of a retention, lifecycle or other analysis.'),
  range: range.optional(),
  filters: z.array(writtenFilterSchema).optional().describe('Conditions in addition to those of the query.'),
  limit: z.int().min(1).optional().describe('The maximum number of rows.'),
  timezone: timezone.optional(),
  fill: z.enum(fillModes).optional().describe('Which gaps in a time series to fill.'),
  fillWith: z.literal(0).optional().describe('Also fill averages and ratios with 0, as the platform does.'),
};

const oneQuestion = {
  error: 'A cell needs exactly one query.\nGive it either "query", or "from" with the name of a saved query.',
  params: { code: 'one-question' },
};

const hasOneQuestion = ({ query, from }: { readonly query?: unknown; readonly from?: unknown }) =>
  (query === undefined) !== (from === undefined);

const misplacedDefine = {
  error:
    'Only a query given key by key can ask a definition of the cell.\n' +
    'Give it "query" with measures, or remove "define".',
  params: { code: 'one-question' },
};

const definesWithQuery = ({ query, define }: { readonly query?: unknown; readonly define?: unknown }) =>
  define === undefined || (query !== undefined && typeof query !== 'string');

const querySection = z
  .strictObject({
    ...asked,
    pivot: z
      .string()
      .min(1)
      .optional()
      .describe(
        'A dimension or time bucket whose values become columns of the table, such as TrackedEvents.eventType.',
      ),
  })
  .refine(hasOneQuestion, oneQuestion)
  .refine(definesWithQuery, misplacedDefine)
  .meta({ title: 'query', description: 'A query and its result.' });

const compareSection = z
  .strictObject({
    ...asked,
    with: range.optional().describe('The range to compare with: previous, a year before, or another range.'),
  })
  .refine(hasOneQuestion, oneQuestion)
  .refine(definesWithQuery, misplacedDefine)
  .meta({ title: 'compare', description: 'A query over two time ranges, side by side with the change.' });

const funnelSection = z
  .strictObject({
    ...shown,
    funnel: z.string().min(1).describe('The name of a funnel of the workspace.'),
    range: range.optional(),
    timezone: timezone.optional(),
    byEntry: z.boolean().optional().describe('Apply the range only to the first step. Local engines only.'),
    trend: z
      .enum(['day', 'week', 'month'])
      .optional()
      .describe('Figures by the period of the first step. Local engines only.'),
    interval: z.boolean().optional().describe('Add the 95% confidence interval of the conversion from the first step.'),
  })
  .meta({ title: 'funnel', description: 'How far users get in a funnel.' });

const usageSection = z
  .strictObject({
    ...shown,
    month: z
      .string()
      .min(1)
      .optional()
      .describe('The month to report, such as 2026-10 (default: the last closed month).'),
    months: z.int().min(1).max(120).optional().describe('How many months to show.'),
    groups: z.array(z.string().min(1)).optional().describe('Groups of the configuration (default: all).'),
    forecast: z.boolean().optional().describe('Whether to forecast a month that is not over.'),
    freeze: z
      .boolean()
      .optional()
      .describe('Freeze the month after a scheduled run delivered the report, as `sluice usage --freeze` does.'),
  })
  .meta({ title: 'usage', description: 'Events per month, for each group and project.' });

const annotationsSection = z
  .strictObject({
    ...named,
    from: z
      .string()
      .min(1)
      .optional()
      .describe(
        'A YAML file of marks, in the folder of the report; ' +
          'or releases, tags, milestones or flags, as `sluice sync` fetched them.',
      ),
    marks: annotationsSchema.optional().describe('Dated marks.'),
  })
  .refine(({ from, marks }) => from !== undefined || marks !== undefined, {
    error: 'There are no marks.\nGive it "marks", or "from" with the name of a file.',
    params: { code: 'no-marks' },
  })
  .meta({ title: 'annotations', description: 'Dated marks on the charts of the report.' });

const bounds = ['atLeast', 'atMost', 'above', 'below', 'equals', 'not', 'within'] as const;

const figure = z.string().min(1);

const severity = z
  .enum(severities)
  .describe(
    'What to do on failure. stop: do not deliver the report. ' +
      'warn (default): deliver it with a warning at the top. alert: also send it to the recipients of notify.',
  );

const expectation = z
  .strictObject({
    figure: figure.optional().describe('One figure, such as page_views.total.'),
    every: figure.optional().describe('Every row of a cell, such as page_views.count.'),
    atLeast: z.number().optional(),
    atMost: z.number().optional(),
    above: z.number().optional(),
    below: z.number().optional(),
    equals: z.number().optional(),
    not: z.number().optional(),
    within: z
      .union([
        z
          .string()
          .regex(/^\s*\d+(?:\.\d+)?\s*%\s*$/, { error: '"within" must be a percentage.\nWrite, for example, 20 %.' }),
        z.number().min(0),
      ])
      .optional()
      .describe('The allowed difference in percent of "of": 20 %.'),
    of: z
      .union([figure, z.number()])
      .optional()
      .describe('previous for the same figure in the previous period, another figure, or a number.'),
    because: z.string().optional().describe('The reason, shown with a failure.'),
    severity: severity.optional(),
  })
  .refine((one) => (one.figure === undefined) !== (one.every === undefined), {
    error: 'A check tests either one figure or every row of a cell.\nGive it either "figure" or "every".',
    params: { code: 'one-figure' },
  })
  .refine((one) => bounds.some((bound) => one[bound] !== undefined), {
    error: `The check has no condition.\nGive it one of ${bounds.join(', ')}.`,
    params: { code: 'no-bound' },
  })
  .refine((one) => (one.within === undefined) === (one.of === undefined), {
    error: '"within" requires "of", and "of" requires "within".\nWrite both: within: 20 %, of: previous.',
    params: { code: 'within-of' },
  });

const checkSection = z
  .strictObject({
    ...named,
    expect: z.array(expectation).min(1).describe('Conditions that must hold; if one does not, the run fails.'),
    severity: severity.optional(),
  })
  .meta({ title: 'check', description: 'Checks of figures.' });

/** The YAML schema of each kind of cell. */
export const cellSchemas = {
  query: querySection,
  compare: compareSection,
  funnel: funnelSection,
  usage: usageSection,
  annotations: annotationsSection,
  check: checkSection,
} as const satisfies Readonly<Record<CellKind, z.ZodType>>;
