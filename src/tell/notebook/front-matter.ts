import { z } from 'zod';
import { findSecrets } from '../../ask/document/find-secrets.ts';
import { type Locate, attachSpans, toSpan } from '../../ask/document/located.ts';
import { parseYaml } from '../../ask/document/parse-yaml.ts';
import { readValue } from '../../ask/document/read-value.ts';
import { type Issue, type IssuePath, type Span, errorIssue } from '../../ask/outcome.ts';
import { quote } from '../../ask/text.ts';
import { readZone } from '../../ask/time/zone.ts';
import { backendNames } from '../../run/backend.ts';
import { deliverySchema } from '../delivery/delivery.ts';
import { coversRange, readSpan } from '../schedule/freshness.ts';
import { readSchedule } from '../schedule/read-schedule.ts';
import { namePattern } from './cell-kinds.ts';
import type { FrontMatter } from './notebook.ts';
import { type Param, paramTypes } from './params.ts';
import { writeYaml } from './write-notebook.ts';
import { cellSchemas } from './cell-schemas.ts';

const param = z.strictObject({
  type: z
    .enum(paramTypes)
    .describe(
      'The type of value: a month (2026-10), a week, a date, a range of time, text, a number, or one of the options.',
    ),
  title: z.string().optional().describe('The label for people.'),
  description: z.string().optional(),
  default: z.union([z.string(), z.number()]).optional().describe('The default value, such as last closed month.'),
  options: z.array(z.string()).min(1).optional().describe('choice only: the options.'),
});

const span = z.string().refine((text) => readSpan(text) !== undefined, {
  error: 'This is not a duration.\nWrite, for example, 90m, 6h or 2d.',
});

const requirement = z.string().refine((text) => text === coversRange || readSpan(text) !== undefined, {
  error: 'This does not say how fresh the data must be.\nWrite `covers range`, or a maximum age such as 6h.',
});

/** The front matter: the YAML between the `---` lines of a report. */
export const frontMatterSchema = z
  .strictObject({
    title: z.string().min(1).optional().describe('The title of the report.'),
    description: z.string().optional().describe('What it shows, and any caveats.'),
    subject: z
      .string()
      .min(1)
      .optional()
      .describe('The subject of emails, with figures: {{ views.count | change }} page views (default: the title).'),
    params: z
      .record(z.string(), param)
      .optional()
      .describe('Parameters: set with --param name=value, used in cells as "{{ name }}".'),
    timezone: z.string().min(1).optional().describe('The time zone of days, such as Europe/Berlin.'),
    schedule: z.string().min(1).optional().describe('When to run, such as monthly on day 1 at 06:00, or 0 6 1 * *.'),
    catchUp: z
      .union([z.enum(['all', 'latest']), z.int().min(1).max(31)])
      .optional()
      .describe('How many missed slots to run later: all (default), latest, or a number of the latest.'),
    fresh: z
      .union([requirement, z.strictObject({ data: requirement, wait: span.optional() })])
      .optional()
      .describe(
        'How fresh the data must be: covers range, or a maximum age such as 6h. ' +
          'A scheduled run waits for it (wait: 6h by default), then delivers with a warning.',
      ),
    deliver: z
      .array(deliverySchema)
      .optional()
      .describe('Where to deliver the report after a scheduled run, or with --deliver; [] for alerts alone.'),
    notify: z
      .array(deliverySchema)
      .min(1)
      .optional()
      .describe(
        'Who is notified of alerts and of a schedule that fails, is late or recovers, ' +
          'and gets the report when a check with severity: alert fails.',
      ),
    late: span
      .optional()
      .describe('A report that is not delivered so long after its slot is late, which notify is told (default: 2h).'),
    backend: z.enum(backendNames).optional().describe('The backend.'),
  })
  .meta({ title: 'Front matter of a report' });

type FrontMatterFile = z.infer<typeof frontMatterSchema>;

interface ReadFrontMatter {
  readonly frontMatter: FrontMatter;
  readonly issues: readonly Issue[];
  readonly locate: Locate;
}

const fenced = /^(\ufeff?---[ \t]*\r?\n)((?:(?!---[ \t]*\r?$).*\r?\n)*?)---[ \t]*(?:\r?\n|$)(?:[ \t]*\r?\n)*/;

/** Reads the YAML between `---` lines at the start of a notebook. Spans refer to the whole text. */
export function readFrontMatter(text: string): ReadFrontMatter {
  const match = fenced.exec(text);
  if (!match) {
    const open = /^\ufeff?(---)[ \t]*\r?\n[\w-]+:/.exec(text);
    const issues = open
      ? [
          errorIssue('unclosed-front-matter', 'The front matter is not closed.', {
            span: toSpan(text, open[0].indexOf('---'), open[0].indexOf('---') + 3),
            hint: 'Write --- on a separate line after it.',
          }),
        ]
      : [];
    // A byte order mark stays at the start of the file, even if blocks are inserted before the first one.
    return {
      frontMatter: { source: text.startsWith('\ufeff') ? '\ufeff' : '', params: [] },
      issues,
      locate: () => undefined,
    };
  }
  const [source, opening = '', body = ''] = match;
  const shift = shiftBy(text, opening.length);
  const parsed = parseYaml(body);
  const locate: Locate = (path, part) => shift(parsed.locate(path, part));
  const isEmpty = !parsed.ok && parsed.issues.every(({ code }) => code === 'empty-document');
  if (!parsed.ok && !isEmpty)
    return {
      frontMatter: { source, params: [] },
      issues: parsed.issues.map((issue) => ({ ...issue, span: shift(issue.span) })),
      locate,
    };
  const [secret] = findSecrets(parsed.ok ? parsed.value : {});
  if (secret) return { frontMatter: { source, params: [] }, issues: [secretIssue(secret, text)], locate };
  const outcome = readValue(parsed.ok ? parsed.value : {}, frontMatterSchema);
  const more = outcome.ok ? furtherIssues(outcome.value) : [];
  const issues = attachSpans(
    [
      ...outcome.issues.map((issue) => (namesSecret(issue.path) ? { ...issue, span: openingOf(text) } : issue)),
      ...more,
    ],
    locate,
  );
  return { frontMatter: { source, ...(outcome.ok ? toFrontMatter(outcome.value) : { params: [] }) }, issues, locate };
}

/** Shifts spans of a part of a text to the whole text. */
export function shiftBy(text: string, offset: number): (span: Span | undefined) => Span | undefined {
  return (span) => span && toSpan(text, offset + span.start, offset + span.end);
}

function toFrontMatter({ params = {}, ...rest }: FrontMatterFile): Omit<FrontMatter, 'source'> {
  return { ...rest, params: Object.entries(params).map(([name, param]): Param => ({ name, ...param })) };
}

/** The span of the opening line, for issues about secrets: the line of a secret must never be shown. */
function openingOf(text: string): Span {
  const start = text.indexOf('---');
  return toSpan(text, start, start + 3);
}

/** People may write the secret where its variable's name belongs. */
function namesSecret([first, , key]: IssuePath): boolean {
  return (
    (first === 'deliver' || first === 'notify') && (key === 'secretFrom' || key === 'webhookFrom' || key === 'webhook')
  );
}

function secretIssue(path: IssuePath, text: string): Issue {
  return errorIssue(
    'secret-in-file',
    `A report is committed, so it must not contain a secret: ${quote(path.join('.'))}.`,
    {
      span: openingOf(text),
      hint: 'Put it in an environment variable, and name that variable here: secretFrom, webhookFrom.',
    },
  );
}

/** Quotes of the report itself use this name. */
export const ownName = 'report';

function furtherIssues({ params = {}, timezone, schedule }: FrontMatterFile): readonly Issue[] {
  const zone =
    timezone === undefined ? [] : readZone(timezone).issues.map((issue) => ({ ...issue, path: ['timezone'] }));
  const when =
    schedule === undefined ? [] : readSchedule(schedule).issues.map((issue) => ({ ...issue, path: ['schedule'] }));
  const issues = Object.entries(params).flatMap(([name, { type, options }]): readonly Issue[] => {
    const path = ['params', name];
    if (!namePattern.test(name))
      return [
        errorIssue('unknown-key', `${quote(name)} is not a valid parameter name.`, {
          path,
          hint: 'Use letters, digits and _, such as month.',
        }),
      ];
    if (name === ownName)
      return [
        errorIssue('name-taken', `A parameter cannot be named ${quote(name)}: that is the report itself.`, {
          path,
          hint: 'Choose another name.',
        }),
      ];
    if (type === 'choice' && options === undefined)
      return [
        errorIssue('missing-key', 'The choice has no options.', { path, hint: 'Add `options: [one, another]`.' }),
      ];
    if (type !== 'choice' && options !== undefined)
      return [
        errorIssue('unknown-key', 'Only a choice has options.', {
          path: [...path, 'options'],
          hint: 'Write `type: choice`, or leave the options out.',
        }),
      ];
    return [];
  });
  return [...zone, ...when, ...issues];
}

export type FrontMatterToWrite = Partial<Omit<FrontMatter, 'source'>>;

/** Front matter between its `---` lines; empty if there is nothing to write. Reading it gives the same data. */
export function writeFrontMatter({ params = [], ...rest }: FrontMatterToWrite): string {
  const declared = Object.fromEntries(params.map(({ name, ...param }) => [name, withoutGaps(param)]));
  const written: Readonly<Record<string, unknown>> = { ...rest, params: params.length === 0 ? undefined : declared };
  const data = withoutGaps(Object.fromEntries(Object.keys(frontMatterSchema.shape).map((key) => [key, written[key]])));
  return Object.keys(data).length === 0 ? '' : `---\n${writeYaml(data)}---\n\n`;
}

function withoutGaps(data: object): object {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}

/** JSON Schema (draft 7, as editors read) of the YAML in a report: its front matter, or any of its cells. */
export function toReportJsonSchema(): Readonly<Record<string, unknown>> {
  const { query, compare, funnel, usage, annotations, check } = cellSchemas;
  const any = z
    .union([frontMatterSchema, query, compare, funnel, usage, annotations, check])
    .meta({ title: 'Part of a report', description: 'The YAML of a report: its front matter, or one of its cells.' });
  return z.toJSONSchema(any, { target: 'draft-7', io: 'input' });
}
