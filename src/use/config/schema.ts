import * as z from 'zod';
import { fillModes } from '../../ask/query/saved-query.ts';
import { quote } from '../../ask/text.ts';
import { weekdays } from '../../ask/time/range.ts';
import { readZone } from '../../ask/time/zone.ts';
import { deliverySchema } from '../../tell/delivery/delivery-schema.ts';
import { offeredBackends } from './offered-backends.ts';
import { isMemory, readWait } from './read-wait.ts';

const text = z.string().min(1);

const zone = text.refine((name) => name === '' || readZone(name).ok, {
  error: ({ input }) => readZone(String(input)).issues.map(({ message, hint }) => `${message}\n${hint ?? ''}`).join(),
});

/** Parts of a configuration that hold several keys. Everything is optional: defaults are applied after merging. */
const platform = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: '"url" must be the address of the platform.\nSuch as `https://code.example.org`.' }).optional()
    .describe('The address of the platform, e.g. https://code.example.org'),
  project: z.union([z.int().positive(), text]).optional().describe('The number of the project to ask there; `project` where not set'),
  tokenFile: text.optional().describe('A file that holds nothing but the access token; keep it out of version control'),
  tokenCommand: text.optional().describe('A command that prints the access token'),
  tokenHeader: z.enum(['private-token', 'bearer']).optional().describe('The header that the token goes in; OAuth tokens need bearer, and are known by their form'),
});

const cube = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: '"url" must be the address of a Cube API.\nSuch as `https://cube.example.org/cubejs-api/v1`.' }).optional()
    .describe('The address of a Cube API, e.g. https://cube.example.org/cubejs-api/v1'),
  tokenFile: text.optional().describe('A file that holds nothing but the API token'),
  tokenCommand: text.optional().describe('A command that prints the API token'),
});

const projects = z.array(z.union([z.int().positive(), text])).min(1).optional();

const usage = z.strictObject({
  groups: z.array(z.strictObject({
    name: text.describe('What the group is called in reports'),
    projects: projects.describe('Numbers or paths of its projects; all of the platform\'s group where not set'),
    path: text.optional().describe('The group on the platform whose projects are listed; the name where not set'),
    quota: z.int().positive().optional().describe('Events a month that the group may receive'),
  })).superRefine((groups, context) => {
    groups.forEach(({ name }, index) => {
      if (groups.findIndex((group) => group.name === name) === index) return;
      context.addIssue({ code: 'custom', message: `Two groups are called ${quote(name)}.\nGive each a name of its own.`, path: [index, 'name'] });
    });
  }).optional().describe('What the usage report covers: named groups of projects'),
  exclude: projects.describe('Projects that usage leaves out, by number or path, e.g. those that nobody may read'),
  optional: projects.describe('Projects that may fail: usage is reported without them, and says so'),
  months: z.int().min(1).max(120).optional().describe('How many months are shown; 6 where not set'),
  frozen: text.optional().describe('The folder of the months that were frozen when they were issued; usage in the folder of reports where not set'),
});

/** What `sluice.yaml`, or the `sluice` key of package.json, may hold. */
export const configSchema = z.strictObject({
  backend: z.enum(offeredBackends).optional().describe('Who answers questions; embedded unless a platform is named'),
  events: z.union([text, z.array(text).min(1)]).optional().describe('Files of raw events: a path or pattern, or several, e.g. events/*.ndjson.gz'),
  store: text.optional().describe('The folder of the store, which answers where no events are named; .sluice/store where not set'),
  project: z.union([z.int().positive(), text]).optional().describe('Only events of this project, by their projectId, where events of several are together'),
  model: text.optional().describe('A Cube data model (file or folder) to use instead of the built-in cubes'),
  tables: z.record(text, z.union([text, z.array(text).min(1)])).optional().describe('The files behind the tables of the model, e.g. {events: events.parquet}'),
  timezone: zone.optional().describe('The zone of questions that name none, e.g. Europe/Berlin; UTC where not set'),
  weekStart: z.enum(weekdays).optional().describe('The first day of a week; monday where not set'),
  user: z.enum(['anonymous', 'known']).optional().describe('Which identity counts as the user where an event has both'),
  fill: z.enum(fillModes).optional().describe('Which gaps of time series are filled'),
  fillWith: z.literal(0).optional().describe('0 fills averages with 0 too, as the platform does'),
  wait: text.refine((span) => readWait(span) !== undefined, { error: '"wait" must be a time such as 90s, 10m or 1h.' }).optional()
    .describe('How long the answer of a platform or of Cube is waited for, e.g. 10m; until you stop it where not set'),
  memory: text.refine(isMemory, { error: '"memory" must be an amount such as 512MB or 4GB.' }).optional()
    .describe('How much memory the embedded engine uses before it spills to disk, e.g. 4GB; half of what is free where not set'),
  allowHttp: z.boolean().optional().describe('Whether tokens and secret addresses may go over plain http beyond this machine; false where not set'),
  queries: text.optional().describe('The folder of saved queries; queries where not set'),
  funnels: text.optional().describe('The folder of funnels; funnels where not set'),
  reports: text.optional().describe('The folder of reports; reports where not set'),
  runs: text.optional().describe('The folder that keeps which scheduled reports ran; .sluice/reports where not set'),
  notify: z.array(deliverySchema).min(1).optional().describe('Who else gets a report when a check of it with severity: alert fails'),
  deliver: z.array(deliverySchema).min(1).optional().describe('Where reports go that name no place of their own'),
  mailer: text.optional().describe('A command that sends the letter that it reads, e.g. sendmail -t'),
  platform: platform.optional(),
  cube: cube.optional(),
  usage: usage.optional(),
});

export type Config = z.infer<typeof configSchema>;
