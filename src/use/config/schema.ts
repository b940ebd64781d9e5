import * as z from 'zod';
import { fillModes } from '../../ask/query/saved-query.ts';
import { quote } from '../../ask/text.ts';
import { weekdays } from '../../ask/time/range.ts';
import { readWrittenTime } from '../../ask/time/read-written-time.ts';
import { readZone } from '../../ask/time/zone.ts';
import { readEncoding, unknownEncodingHint } from '../../run/file/encoding.ts';
import { columnsSchema, decimalSchema, mappingParts } from '../../plan/mapping/mapping-schema.ts';
import { presetNames } from '../../plan/presets/presets.ts';
import { deliverySchema } from '../../tell/delivery/delivery.ts';
import { offeredBackends } from './offered-backends.ts';
import { isMemory, readWait } from './read-wait.ts';

const text = z.string().min(1);

const zone = text.refine((name) => name === '' || readZone(name).ok, {
  error: ({ input }) =>
    readZone(String(input))
      .issues.map(({ message, hint }) => `${message}\n${hint ?? ''}`)
      .join(),
});

/** Sections of a configuration. All keys are optional; defaults are applied after merging. */
const platform = z.strictObject({
  url: z
    .url({
      protocol: /^https?$/,
      error: '"url" must be the URL of the platform.\nUse a URL such as `https://code.example.org`.',
    })
    .optional()
    .describe('URL of the platform, e.g. https://code.example.org'),
  project: z.union([z.int().positive(), text]).optional().describe('Project number to query (default: `project`)'),
  tokenFile: text.optional().describe('File that contains only the access token; keep it out of version control'),
  tokenCommand: text.optional().describe('Command that prints the access token'),
  tokenHeader: z
    .enum(['private-token', 'bearer'])
    .optional()
    .describe('Header for the token; OAuth tokens are detected and need bearer'),
});

const smtp = z.strictObject({
  host: text.describe('Host name of the mail server'),
  port: z.int().min(1).max(65_535).optional().describe('Port (default: 587, or 465 with `tls: implicit`)'),
  tls: z
    .enum(['starttls', 'implicit', 'none'])
    .optional()
    .describe('Encryption (default: starttls; none only on this machine, or with allowHttp)'),
  user: text.optional().describe('User name'),
  passwordFrom: text.optional().describe('Environment variable that holds the password'),
  from: text.optional().describe('Sender of emails that name none'),
});

const cube = z.strictObject({
  url: z
    .url({
      protocol: /^https?$/,
      error: '"url" must be the URL of a Cube API.\nUse a URL such as `https://cube.example.org/cubejs-api/v1`.',
    })
    .optional()
    .describe('URL of a Cube API, e.g. https://cube.example.org/cubejs-api/v1'),
  tokenFile: text.optional().describe('File that contains only the API token'),
  tokenCommand: text.optional().describe('Command that prints the API token'),
});

const clickhouse = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('URL of the HTTP interface, e.g. https://clickhouse.example.org:8443'),
  database: text.optional().describe('Database of the events (default: default)'),
  table: text.optional().describe('Table of the events (default: events)'),
  user: text.optional().describe('User; reading the tables is enough to ask (default: default)'),
  passwordFile: text.optional().describe('File that contains only the password'),
  passwordCommand: text.optional().describe('Command that prints the password'),
  authority: text.optional().describe('PEM file of the authority that signed the certificate of the server'),
  cluster: text.optional().describe('Cluster on which `sluice clickhouse init` creates the tables'),
  memory: text
    .refine(isMemory, { error: '"memory" must be a size such as 512MB or 4GB.' })
    .optional()
    .describe('Memory that one statement may take on the server, e.g. 8GB (default: the limit of the user)'),
  timeLimit: text
    .refine((span) => readWait(span) !== undefined, { error: '"timeLimit" must be a duration such as 90s, 10m or 1h.' })
    .optional()
    .describe('Time that one statement may take on the server, e.g. 5m (default: the limit of the user)'),
});

const projects = z
  .array(z.union([z.int().positive(), text]))
  .min(1)
  .optional();

const usage = z.strictObject({
  groups: z
    .array(
      z.strictObject({
        name: text.describe('Name of the group in reports'),
        projects: projects.describe(
          'Numbers or paths of its projects (default: all projects of the group on the platform)',
        ),
        path: text.optional().describe('Group on the platform whose projects are listed (default: the name)'),
        quota: z.int().positive().optional().describe('Monthly limit of events for the group'),
      }),
    )
    .superRefine((groups, context) => {
      groups.forEach(({ name }, index) => {
        if (groups.findIndex((group) => group.name === name) === index) return;
        context.addIssue({
          code: 'custom',
          message: `Two groups are called ${quote(name)}.\nGive each a different name.`,
          path: [index, 'name'],
        });
      });
    })
    .optional()
    .describe('Settings of the usage report: named groups of projects'),
  exclude: projects.describe(
    'Projects to leave out of the usage report, by number or path, e.g. projects without access',
  ),
  optional: projects.describe('Projects that may fail: the usage report leaves them out with a note'),
  months: z.int().min(1).max(120).optional().describe('Number of months to show (default: 6)'),
  frozen: text.optional().describe('Folder of frozen months (default: usage in the reports folder)'),
});

const preset = z.enum(presetNames).optional().describe('Tracker that exported the files, or none (default: detected)');

const encoding = text
  .refine((name) => readEncoding(name) !== undefined, {
    error: ({ input }) => `${quote(String(input))} is not a supported encoding.\n${unknownEncodingHint(String(input))}`,
  })
  .optional()
  .describe(
    'Encoding of text files without a byte order mark, e.g. windows-1252, shift_jis or utf-16 (default: utf-8)',
  );

const sources = z
  .array(
    z.strictObject({
      files: z.union([text, z.array(text).min(1)]).describe('Path or pattern, or a list of them'),
      preset,
      encoding,
      ...mappingParts,
    }),
  )
  .min(1);

/** The schema of `sluice.yaml`, or of the `sluice` key of package.json. */
export const configSchema = z.strictObject({
  backend: z
    .enum(offeredBackends)
    .optional()
    .describe('Backend for queries (default: embedded, or platform if one is configured)'),
  events: z
    .union([text, z.array(text).min(1)])
    .optional()
    .describe('Event files: a path or pattern, or a list, e.g. events/*.ndjson.gz'),
  columns: columnsSchema.optional(),
  decimal: decimalSchema.optional(),
  preset,
  sources: sources.optional().describe('Event files, each with its own column mapping'),
  store: text
    .optional()
    .describe('Folder of the event store. Queries read it if no event files are set (default: .sluice/store)'),
  knownAt: text
    .refine((time) => readWrittenTime(time.trim())?.ok === true, {
      error: '"knownAt" must be a time such as 2024-03-08 or 2024-03-08T12:00Z.',
    })
    .optional()
    .describe('Only use events that the store had at this time, e.g. 2024-03-08'),
  project: z.union([z.int().positive(), text]).optional().describe('Only use events with this projectId'),
  model: text.optional().describe('Cube data model (file or folder) to use instead of the built-in cubes'),
  securityContext: z
    .record(text, z.unknown())
    .optional()
    .describe('Security context for models that use SECURITY_CONTEXT or COMPILE_CONTEXT, e.g. {tenant: acme}'),
  tables: z
    .record(text, z.union([text, z.array(text).min(1)]))
    .optional()
    .describe('Files for the tables of the model, e.g. {events: events.parquet}'),
  encoding,
  timezone: zone.optional().describe('Default time zone of queries, e.g. Europe/Berlin (default: UTC)'),
  weekStart: z.enum(weekdays).optional().describe('First day of the week (default: monday)'),
  user: z.enum(['anonymous', 'known']).optional().describe('User ID to count if an event has both'),
  fill: z.enum(fillModes).optional().describe('How to fill gaps in time series'),
  fillWith: z.literal(0).optional().describe('0 also fills averages with 0, like the platform'),
  wait: text
    .refine((span) => readWait(span) !== undefined, { error: '"wait" must be a duration such as 90s, 10m or 1h.' })
    .optional()
    .describe('Timeout for remote queries, e.g. 10m (default: none)'),
  memory: text
    .refine(isMemory, { error: '"memory" must be a size such as 512MB or 4GB.' })
    .optional()
    .describe(
      'Memory limit of the embedded engine before it spills to disk, e.g. 4GB (default: half of the free memory)',
    ),
  cache: z
    .boolean()
    .optional()
    .describe('Keep answers in .sluice/cache and reuse them for the same data (default: true)'),
  allowHttp: z
    .boolean()
    .optional()
    .describe('Allow tokens and secret URLs over plain http to other machines (default: false)'),
  queries: text.optional().describe('Folder of saved queries (default: queries)'),
  funnels: text.optional().describe('Folder of funnels (default: funnels)'),
  reports: text.optional().describe('Folder of reports (default: reports)'),
  runs: text.optional().describe('Folder of the run records of scheduled reports (default: .sluice/reports)'),
  notify: z
    .array(deliverySchema)
    .min(1)
    .optional()
    .describe('Who is notified of alerts and schedules, and gets reports whose checks with severity: alert fail'),
  deliver: z.array(deliverySchema).min(1).optional().describe('Delivery of reports that do not specify one'),
  browser: text
    .optional()
    .describe('Browser that prints reports as PDF: Chromium, Chrome or Edge (default: one that is installed)'),
  mailer: text.optional().describe('Command that sends an email from stdin, e.g. sendmail -t'),
  smtp: smtp.optional().describe('Mail server that sends emails, if no mailer is set'),
  commands: z
    .record(z.string().regex(/^[\w-]+$/), z.union([text, z.strictObject({ run: text, has: text.optional() })]))
    .optional()
    .describe(
      'Commands that take reports, by name, e.g. {s3: aws s3 cp - "s3://reports/$SLUICE_NAME"}; ' +
        'or {run, has}, where `has` succeeds if the file is there already',
    ),
  platform: platform.optional(),
  cube: cube.optional(),
  clickhouse: clickhouse.optional(),
  usage: usage.optional(),
});

export type Config = z.infer<typeof configSchema>;
