import { z } from 'zod';
import { chartKinds } from '../../ask/chart/chart-preference.ts';
import { annotationsSchema } from '../../ask/chart/read-annotations.ts';
import { filterSchema, querySchema } from '../../ask/query/query-schema.ts';
import { fillModes } from '../../ask/query/saved-query.ts';
import { quote } from '../../ask/text.ts';
import { type CellKind, namePattern, severities, shownParts } from './cell-kinds.ts';

const named = {
  name: z
    .string()
    .regex(namePattern, {
      error: (issue) =>
        `${quote(String(issue.input))} is no name of a cell.\nNames are letters, digits and _, such as page_views.`,
    })
    .optional()
    .describe('What prose and checks call it: {{ page_views.total }}.'),
  title: z.string().optional().describe('What stands above the answer.'),
  description: z.string().optional().describe('What it tells, and what to mind.'),
};

const shown = {
  ...named,
  show: z
    .enum(shownParts)
    .optional()
    .describe('What is shown of the answer; a table where nothing is said, both where a chart is asked for.'),
  chart: z
    .union([z.enum([...chartKinds, 'none']), z.record(z.string(), z.unknown())])
    .optional()
    .describe('How it is best drawn: a kind of chart, or a Vega-Lite fragment.'),
};

const range = z
  .union([z.string().min(1), z.array(z.string()).min(1).max(2)])
  .describe('From when to when: a phrase such as "last 30 days", one day, or first and last day.');
const timezone = z.string().min(1).describe('The zone that days are counted in, such as Europe/Berlin.');

const asked = {
  ...shown,
  query: querySchema.optional(),
  from: z
    .string()
    .min(1)
    .optional()
    .describe('The name of a saved query, or of a retention, lifecycle or other analysis.'),
  range: range.optional(),
  filters: z.array(filterSchema).optional().describe('Conditions that hold beside those of the query.'),
  limit: z.int().min(1).optional().describe('The most rows.'),
  timezone: timezone.optional(),
  fill: z.enum(fillModes).optional().describe('Which gaps of a time series are filled.'),
  fillWith: z.literal(0).optional().describe('Fill averages and ratios with 0 too, as the platform does.'),
};

const oneQuestion = {
  error: 'A cell asks one question.\nGive it either "query", or "from" with the name of a saved query.',
  params: { code: 'one-question' },
};

const hasOneQuestion = ({ query, from }: { readonly query?: unknown; readonly from?: unknown }) =>
  (query === undefined) !== (from === undefined);

const querySection = z
  .strictObject(asked)
  .refine(hasOneQuestion, oneQuestion)
  .meta({ title: 'query', description: 'A question and its answer.' });

const compareSection = z
  .strictObject({
    ...asked,
    with: range.optional().describe('The range to compare with: previous, a year before, or a range of its own.'),
  })
  .refine(hasOneQuestion, oneQuestion)
  .meta({ title: 'compare', description: 'A question about two ranges of time, side by side with the change.' });

const funnelSection = z
  .strictObject({
    ...shown,
    funnel: z.string().min(1).describe('The name of a funnel of the workspace.'),
    range: range.optional(),
    timezone: timezone.optional(),
    byEntry: z.boolean().optional().describe('The range is for the first steps alone. Local engines only.'),
    trend: z
      .enum(['day', 'week', 'month'])
      .optional()
      .describe('The figures of those who began in each. Local engines only.'),
  })
  .meta({ title: 'funnel', description: 'How far users came.' });

const usageSection = z
  .strictObject({
    ...shown,
    month: z
      .string()
      .min(1)
      .optional()
      .describe('The month that is reported, such as 2026-10; the last closed one where not set.'),
    months: z.int().min(1).max(120).optional().describe('How many months are shown.'),
    groups: z.array(z.string().min(1)).optional().describe('Groups of the configuration; all where not set.'),
    forecast: z.boolean().optional().describe('Whether a month that is not over gets a forecast.'),
  })
  .meta({ title: 'usage', description: 'Received events a month, for each group and project.' });

const annotationsSection = z
  .strictObject({
    ...named,
    from: z.string().min(1).optional().describe('A YAML file of marks beside the report.'),
    marks: annotationsSchema.optional().describe('Dated marks.'),
  })
  .refine(({ from, marks }) => from !== undefined || marks !== undefined, {
    error: 'There are no marks.\nGive it "marks", or "from" with the name of a file.',
    params: { code: 'no-marks' },
  })
  .meta({ title: 'annotations', description: 'Dated marks, which the charts of the report draw.' });

const bounds = ['atLeast', 'atMost', 'above', 'below', 'equals', 'not', 'within'] as const;

const figure = z.string().min(1);

const severity = z
  .enum(severities)
  .describe(
    'What a failure means. stop: the report is not delivered. warn (default): it is delivered and says so first. alert: those of notify get it, too.',
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
        z.string().regex(/^\s*\d+(?:\.\d+)?\s*%\s*$/, { error: '"within" is a percentage.\nWrite it so: 20 %.' }),
        z.number().min(0),
      ])
      .optional()
      .describe('Percent of what "of" names: 20 %.'),
    of: z
      .union([figure, z.number()])
      .optional()
      .describe('previous for the same figure of the stretch before, another figure, or a number.'),
    because: z.string().optional().describe('Why, for whoever meets the failure.'),
    severity: severity.optional(),
  })
  .refine((one) => (one.figure === undefined) !== (one.every === undefined), {
    error: 'It is about one figure, or about every row of a cell.\nGive it either "figure" or "every".',
    params: { code: 'one-figure' },
  })
  .refine((one) => bounds.some((bound) => one[bound] !== undefined), {
    error: `Nothing is expected of it.\nGive it one of ${bounds.join(', ')}.`,
    params: { code: 'no-bound' },
  })
  .refine((one) => (one.within === undefined) === (one.of === undefined), {
    error: '"within" and "of" belong together.\nWrite both: within: 20 %, of: previous.',
    params: { code: 'within-of' },
  });

const checkSection = z
  .strictObject({
    ...named,
    expect: z.array(expectation).min(1).describe('What must hold; where it does not, the run fails.'),
    severity: severity.optional(),
  })
  .meta({ title: 'check', description: 'Expectations of figures.' });

/** The YAML of each kind of cell. */
export const cellSchemas = {
  query: querySection,
  compare: compareSection,
  funnel: funnelSection,
  usage: usageSection,
  annotations: annotationsSection,
  check: checkSection,
} as const satisfies Readonly<Record<CellKind, z.ZodType>>;
