import { shellWord } from '../../ask/text.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import { listSavedQueries } from '../answer/saved-queries.ts';
import type { ReadSettings } from '../config/open-settings.ts';
import type { Effects } from '../process/effects.ts';
import { showPath } from '../process/show-path.ts';
import { findSample } from '../workspace/with-sample.ts';
import { storeToAsk } from '../workspace/store-to-ask.ts';
import { readCommandSettings } from './command/open-workspace.ts';

type Step = readonly [command: string, what: string];

const anyQuestion = "sluice query 'pageViewsCount by docPath top 10'";

/** The text of `sluice` without arguments: the three commands that fit the state of the workspace best. */
export async function writeWelcome(effects: Effects): Promise<string> {
  const { state, steps, more } = await suggest(effects);
  const width = Math.max(...steps.map(([command]) => command.length));
  const lines = steps.map(([command, what]) => `  ${sanitize(command).padEnd(width)}   ${what}\n`).join('');
  return (
    `sluice queries and reports product analytics.\n\n${sanitize(state)}\n\n${lines}\n` +
    `${more}All commands:  sluice --help\n`
  );
}

/** True if there is data and a valid configuration. */
export async function hasData(effects: Effects): Promise<boolean> {
  const read = await readCommandSettings({}, effects).catch(() => undefined);
  return read !== undefined && read.faults.length === 0 && (await findData(read, effects.cwd)) !== undefined;
}

interface Suggestion {
  readonly state: string;
  readonly steps: readonly Step[];
  readonly more: string;
}

async function suggest(effects: Effects): Promise<Suggestion> {
  const read = await readCommandSettings({}, effects).catch(() => undefined);
  if (!read || read.faults.length > 0) {
    return {
      state: 'The configuration in this folder has errors.',
      more: '',
      steps: [
        ['sluice doctor', 'show the errors'],
        ['sluice schema config', 'show the supported settings'],
        ['sluice init --force', 'write a new one'],
      ],
    };
  }
  const data = await findData(read, effects.cwd);
  if (data === undefined) {
    return {
      state: 'No events are configured here yet. Start with one of these:',
      more: `Then query:    ${anyQuestion}\n`,
      steps: [
        ['sluice sample', 'generate sample events'],
        ["sluice ingest 'events/*.ndjson.gz'", 'load your own events'],
        ['sluice init', 'set up this folder step by step'],
      ],
    };
  }
  const saved = await listSavedQueries(read.settings.queries.value);
  const name = saved[0]?.name;
  const ask: Step =
    name === undefined
      ? [anyQuestion, 'ask']
      : [
          `sluice query ${shellWord(name)}`,
          saved.length === 1 ? 'run the saved query' : `run one of ${saved.length} saved queries`,
        ];
  const last: Step =
    read.file === undefined ? ['sluice init', 'set up your own events'] : ['sluice doctor', 'check the setup'];
  return {
    state: `Queries are answered ${data}.`,
    steps: [ask, ['sluice model', 'list measures and dimensions'], last],
    more: '',
  };
}

/** The source of answers, for people; undefined if there is none. */
async function findData({ root, settings }: ReadSettings, cwd: string): Promise<string | undefined> {
  const { backend, events, tables, platformUrl, cubeUrl } = settings;
  if (backend.value === 'platform')
    return `by the platform${platformUrl.value === undefined ? '' : ` at ${platformUrl.value}`}`;
  if (backend.value !== 'embedded')
    return `by ${backend.value}${cubeUrl.value === undefined ? '' : ` at ${cubeUrl.value}`}`;
  const files = events.value.length > 0 ? events.value : Object.values(tables.value).flat();
  if (files.length > 0) return `from ${files.map((file) => showPath(file, cwd)).join(', ')}`;
  const store = await storeToAsk(settings).catch(() => undefined);
  if (store !== undefined) return `from the store ${showPath(store, cwd)}`;
  const sample = await findSample(root);
  return sample && `from the sample events in ${showPath(sample.path, cwd)}`;
}
