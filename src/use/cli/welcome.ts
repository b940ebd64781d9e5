import { shellWord } from '../../ask/text.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import { listSavedQueries } from '../answer/saved-queries.ts';
import type { ReadSettings } from '../config/open-settings.ts';
import type { Effects } from '../process/effects.ts';
import { showPath } from '../process/show-path.ts';
import { findSample } from '../sample/sample-files.ts';
import { storeToAsk } from '../workspace/store-to-ask.ts';
import { readCommandSettings } from './command/open-workspace.ts';

type Step = readonly [command: string, what: string];

const anyQuestion = "sluice query 'pageViewsCount by docPath top 10'";

/** What `sluice` alone says: the three commands that suit the state of the workspace best. */
export async function writeWelcome(effects: Effects): Promise<string> {
  const { state, steps, more } = await suggest(effects);
  const width = Math.max(...steps.map(([command]) => command.length));
  const lines = steps.map(([command, what]) => `  ${sanitize(command).padEnd(width)}   ${what}\n`).join('');
  return `sluice asks product analytics questions and reports the answers.\n\n${sanitize(state)}\n\n${lines}\n${more}All commands:  sluice --help\n`;
}

/** Whether there is something to ask, and a configuration to ask it with. */
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
    return { state: 'The configuration here cannot be used as it is.', more: '', steps: [['sluice doctor', 'see what is wrong with it'], ['sluice schema config', 'see what can stand in it'], ['sluice init --force', 'write a new one']] };
  }
  const data = await findData(read, effects.cwd);
  if (data === undefined) {
    return {
      state: 'There are no events here yet. Begin with one of these:', more: `Then ask:      ${anyQuestion}\n`,
      steps: [['sluice sample', 'make sample events to play with'], ["sluice ingest 'events/*.ndjson.gz'", 'take in events of your own'], ['sluice init', 'set up this folder, question by question']],
    };
  }
  const saved = await listSavedQueries(read.settings.queries.value);
  const name = saved[0]?.name;
  const ask: Step = name === undefined ? [anyQuestion, 'ask'] : [`sluice query ${shellWord(name)}`, saved.length === 1 ? 'ask the saved question' : `ask one of ${saved.length} saved questions`];
  const last: Step = read.file === undefined ? ['sluice init', 'set up your own events'] : ['sluice doctor', 'check the set-up'];
  return { state: `Questions are answered ${data}.`, steps: [ask, ['sluice model', 'see what can be asked'], last], more: '' };
}

/** Where answers come from, for people; undefined where there is nothing to ask. */
async function findData({ root, settings }: ReadSettings, cwd: string): Promise<string | undefined> {
  const { backend, events, tables, platformUrl, cubeUrl } = settings;
  if (backend.value === 'platform') return `by the platform${platformUrl.value === undefined ? '' : ` at ${platformUrl.value}`}`;
  if (backend.value !== 'embedded') return `by ${backend.value}${cubeUrl.value === undefined ? '' : ` at ${cubeUrl.value}`}`;
  const files = events.value.length > 0 ? events.value : Object.values(tables.value).flat();
  if (files.length > 0) return `from ${files.map((file) => showPath(file, cwd)).join(', ')}`;
  const store = await storeToAsk(settings).catch(() => undefined);
  if (store !== undefined) return `from the store ${showPath(store, cwd)}`;
  const sample = await findSample(root);
  return sample && `from the sample events in ${showPath(sample.path, cwd)}`;
}
