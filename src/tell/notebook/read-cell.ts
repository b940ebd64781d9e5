import { z } from 'zod';
import { chartKinds } from '../../ask/chart/chart-wish.ts';
import { annotationsSchema } from '../../ask/chart/read-annotations.ts';
import { attachSpans, type Locate } from '../../ask/document/located.ts';
import { parseYaml } from '../../ask/document/parse-yaml.ts';
import { readValue } from '../../ask/document/read-value.ts';
import { toSpan } from '../../ask/document/span.ts';
import { bad, errorIssue, good, type Issue, type Outcome } from '../../ask/outcome.ts';
import { filterSchema, querySchema } from '../../ask/query/query-schema.ts';
import { isFilterValue } from '../../ask/query/read-query.ts';
import { fillModes } from '../../ask/query/saved-query.ts';
import { quote } from '../../ask/text.ts';
import { namePattern, shiftBy } from './front-matter.ts';
import { type CellContent, type CellKind, severities, shownParts } from './notebook.ts';
import { fillParams, type ParamValues } from './params.ts';
import type { CellPiece } from './split-markdown.ts';

const named = {
  name: z.string().regex(namePattern, {
    error: (issue) => `${quote(String(issue.input))} is no name of a cell.\nNames are letters, digits and _, such as page_views.`,
  }).optional().describe('What prose and checks call it: {{ page_views.total }}.'),
  title: z.string().optional().describe('What stands above the answer.'),
  description: z.string().optional().describe('What it tells, and what to mind.'),
};

const shown = {
  ...named,
  show: z.enum(shownParts).optional().describe('What is shown of the answer; a table where nothing is said, both where a chart is wished for.'),
  chart: z.union([z.enum([...chartKinds, 'none']), z.record(z.string(), z.unknown())]).optional().describe('How it is best drawn: a kind of chart, or a Vega-Lite fragment.'),
};

const range = z.union([z.string().min(1), z.array(z.string()).min(1).max(2)]).describe('From when to when: a phrase such as "last 30 days", one day, or first and last day.');
const timezone = z.string().min(1).describe('The zone that days are counted in, such as Europe/Berlin.');

const asked = {
  ...shown,
  query: querySchema.optional(),
  from: z.string().min(1).optional().describe('The name of a saved query.'),
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

const hasOneQuestion = ({ query, from }: { readonly query?: unknown; readonly from?: unknown }) => (query === undefined) !== (from === undefined);

const querySection = z.strictObject(asked).refine(hasOneQuestion, oneQuestion).meta({ title: 'query', description: 'A question and its answer.' });

const compareSection = z
  .strictObject({ ...asked, with: range.optional().describe('The range to compare with: previous, a year before, or a range of its own.') })
  .refine(hasOneQuestion, oneQuestion)
  .meta({ title: 'compare', description: 'A question about two ranges of time, side by side with the change.' });

const funnelSection = z
  .strictObject({
    ...shown,
    funnel: z.string().min(1).describe('The name of a funnel of the workspace.'),
    range: range.optional(),
    timezone: timezone.optional(),
    byEntry: z.boolean().optional().describe('The range is for the first steps alone. Local engines only.'),
    trend: z.enum(['day', 'week', 'month']).optional().describe('The figures of those who began in each. Local engines only.'),
  })
  .meta({ title: 'funnel', description: 'How far users came.' });

const usageSection = z
  .strictObject({
    ...shown,
    month: z.string().min(1).optional().describe('The month that is reported, such as 2026-10; the last closed one where not set.'),
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
  .refine(({ from, marks }) => from !== undefined || marks !== undefined, { error: 'There are no marks.\nGive it "marks", or "from" with the name of a file.', params: { code: 'no-marks' } })
  .meta({ title: 'annotations', description: 'Dated marks, which the charts of the report draw.' });

const bounds = ['atLeast', 'atMost', 'above', 'below', 'equals', 'not', 'within'] as const;

const figure = z.string().min(1);

const severity = z.enum(severities).describe('What a failure means. stop: the report is not delivered. warn (default): it is delivered and says so first. alert: those of notify get it, too.');

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
    within: z.union([z.string().regex(/^\s*\d+(?:\.\d+)?\s*%\s*$/, { error: '"within" is a percentage.\nWrite it so: 20 %.' }), z.number().min(0)]).optional().describe('Percent of what "of" names: 20 %.'),
    of: z.union([figure, z.number()]).optional().describe('previous for the same figure of the stretch before, another figure, or a number.'),
    because: z.string().optional().describe('Why, for whoever meets the failure.'),
    severity: severity.optional(),
  })
  .refine((one) => (one.figure === undefined) !== (one.every === undefined), { error: 'It is about one figure, or about every row of a cell.\nGive it either "figure" or "every".', params: { code: 'one-figure' } })
  .refine((one) => bounds.some((bound) => one[bound] !== undefined), { error: `Nothing is expected of it.\nGive it one of ${bounds.join(', ')}.`, params: { code: 'no-bound' } })
  .refine((one) => (one.within === undefined) === (one.of === undefined), { error: '"within" and "of" belong together.\nWrite both: within: 20 %, of: previous.', params: { code: 'within-of' } });

const checkSection = z
  .strictObject({ ...named, expect: z.array(expectation).min(1).describe('What must hold; where it does not, the run fails.'), severity: severity.optional() })
  .meta({ title: 'check', description: 'Expectations of figures.' });

/** The YAML of each kind of cell. */
export const cellSchemas = {
  query: querySection,
  compare: compareSection,
  funnel: funnelSection,
  usage: usageSection,
  annotations: annotationsSection,
  check: checkSection,
} as const satisfies Readonly<Record<CellKind, z.ZodType<Omit<CellContent, 'cell'>>>>;

interface ParsedCell {
  /** Parameters are not filled in. Undefined where the YAML is broken. */
  readonly data: unknown;
  readonly issues: readonly Issue[];
  /** Spans of the whole text. */
  readonly locate: Locate;
}

/** The YAML of a cell. */
export function parseCell(text: string, { cell, bodyStart, bodyEnd, start, end, closed }: CellPiece): ParsedCell {
  const body = text.slice(bodyStart, bodyEnd);
  const shift = shiftBy(text, bodyStart);
  const parsed = parseYaml(body, { asWritten: isFilterValue });
  const fence = toSpan(text, start, text.slice(start, end).search(/\r?\n|$/) + start);
  const locate: Locate = (path, part) => shift(parsed.locate(path, part)) ?? fence;
  const open = closed ? [] : [errorIssue('unclosed-cell', `This ${cell} cell is not closed.`, { span: fence, hint: 'Write the same fence on a line of its own behind it.' })];
  if (parsed.ok) return { data: parsed.value, issues: [...open, ...attachSpans(parsed.issues, parsed.locate).map((issue) => ({ ...issue, span: shift(issue.span) }))], locate };
  const isEmpty = parsed.issues.every(({ code }) => code === 'empty-document');
  // Only usage has nothing that it needs to be told.
  if (isEmpty) return { data: {}, issues: cell === 'usage' ? open : [...open, errorIssue('empty-document', `There is nothing in this ${cell} cell.`, { span: fence })], locate };
  return { data: undefined, issues: [...open, ...explainBraces(parsed.issues, body).map((issue) => ({ ...issue, span: shift(issue.span) }))], locate };
}

/** To YAML, `{{` outside of quotes begins a mapping, and what it objects to would lead nowhere. */
function explainBraces(issues: readonly Issue[], body: string): readonly Issue[] {
  const seen = new Set<number>();
  return issues.flatMap((issue) => {
    const { span } = issue;
    if (!span) return [issue];
    const lineStart = body.lastIndexOf('\n', span.start - 1) + 1;
    const line = /^[^\n]*/.exec(body.slice(lineStart))?.[0] ?? '';
    const brace = /\{\{[^{}]*\}\}/.exec(line);
    if (!brace) return [issue];
    if (seen.has(lineStart)) return [];
    seen.add(lineStart);
    const at = lineStart + brace.index;
    return [errorIssue('param-unquoted', 'In YAML a parameter stands in quotes.', { path: issue.path, span: toSpan(body, at, at + brace[0].length), hint: `Write "${brace[0]}".` })];
  });
}

/** What a cell says, its parameters filled in. Issues carry paths into its data. */
export function readCell(cell: CellKind, data: unknown, params: ParamValues): Outcome<CellContent> {
  const filled = fillParams(data, params);
  // What a parameter would have been is not known: what else is wrong is still worth saying.
  const outcome = readValue(filled.data, cellSchemas[cell]);
  if (filled.issues.length > 0) return bad([...filled.issues, ...outcome.issues.filter((issue) => !filled.issues.some(({ path }) => isSame(path, issue.path)))]);
  return outcome.ok ? good({ cell, ...outcome.value } as CellContent, outcome.issues) : outcome;
}

function isSame(one: Issue['path'], other: Issue['path']): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}
