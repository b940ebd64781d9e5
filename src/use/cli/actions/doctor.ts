import { plural } from '../../../ask/plural.ts';
import { ConfigError, SluiceError } from '../../../ask/sluice-error.ts';
import { sanitize } from '../../../show/sanitize.ts';
import { answerQuestion } from '../../answer-question.ts';
import type { Settings } from '../../config/settings.ts';
import { openBackend } from '../../open-backend.ts';
import { openModel } from '../../open-model.ts';
import { questionOf } from '../../question.ts';
import { listSavedQueries } from '../../saved-queries.ts';
import { openSession } from '../../session.ts';
import { showPath } from '../../show-path.ts';
import { version } from '../../version.ts';
import type { Effects } from '../effects.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { toVoice } from '../narrate.ts';
import { readCommandSettings, withSample } from '../open-workspace.ts';
import { writeSettings } from './settings-text.ts';

/** `sluice doctor`: every setting with its origin, then what works and what does not: one fault hides no other. */
export async function runDoctor({ flags, effects }: Invocation<object>): Promise<ExitCode> {
  const { cwd, stdout } = effects;
  const voice = toVoice(flags, effects);
  const read = await readCommandSettings(flags, effects);
  for (const warning of read.warnings) await voice.note(warning);
  const { settings, note } = await withSample(read, cwd);
  if (note !== undefined) await voice.note(note);
  await stdout.write(`sluice ${version} on Node ${process.versions.node}\nworkspace ${sanitize(read.root)}${read.file === undefined ? ', no configuration' : `, configured by ${sanitize(read.file)}`}\n\n${writeSettings(settings, cwd)}\n`);

  const { check, allWell } = openChecks(effects);
  for (const fault of read.faults) await check('configuration', () => Promise.reject(new ConfigError(fault, { code: 'invalid-config' })));
  await check('model', () => describeModel(settings, cwd, (text) => voice.note(text)));
  await check('saved queries', () => describeSaved(settings, cwd));
  if (settings.backend.value !== 'embedded') {
    await check('backend', () => tryBackend(settings, cwd));
    return allWell() ? exitCodes.done : exitCodes.wrongInput;
  }
  await check('engine', describeEngine);
  let tables: Settings['tables']['value'] = {};
  for (const [table, files] of Object.entries(settings.tables.value)) {
    const one = { [table]: files };
    if (await check(`table ${table}`, () => tryBackend(withData(settings, one, []), cwd, files))) tables = { ...tables, ...one };
  }
  if (settings.events.value.length > 0) await check('events', () => describeEvents(withData(settings, tables), effects));
  else if (Object.keys(settings.tables.value).length === 0) {
    await stdout.write("none  events         Name their files with --events 'events/*.ndjson.gz', or make some: sluice sample\n");
  }
  return allWell() ? exitCodes.done : exitCodes.wrongInput;
}

interface Checks {
  /** Tries something and tells how it went. Resolves with whether it went well. */
  readonly check: (what: string, run: () => Promise<string>) => Promise<boolean>;
  readonly allWell: () => boolean;
}

function openChecks({ stdout, signal }: Effects): Checks {
  let faults = 0;
  const tell = (mark: string, what: string, text: string) => {
    const [first, ...more] = text.split('\n').map((line) => `${sanitize(line)}\n`);
    return stdout.write(`${mark.padEnd(6)}${sanitize(what).padEnd(14)} ${first ?? ''}${more.map((line) => ' '.repeat(21) + line).join('')}`);
  };
  return {
    async check(what, run) {
      try {
        await tell('ok', what, await run());
        return true;
      } catch (error) {
        if (!(error instanceof SluiceError) || signal.aborted || error.code === 'output-unwritable') throw error;
        faults += 1;
        await tell('FAIL', what, error.hint === undefined ? error.message : `${error.message}\n${error.hint}`);
        return false;
      }
    },
    allWell: () => faults === 0,
  };
}

function withData(settings: Settings, tables: Settings['tables']['value'], events = settings.events.value): Settings {
  return { ...settings, tables: { ...settings.tables, value: tables }, events: { ...settings.events, value: events } };
}

async function describeModel(settings: Settings, cwd: string, warn: (text: string) => Promise<void>): Promise<string> {
  const warnings: string[] = [];
  const { cubes } = await openModel(settings.model.value, cwd, (text) => warnings.push(text));
  for (const warning of warnings) await warn(warning);
  const listed = cubes.filter((cube) => cube.public).length;
  return `${listed} ${plural(listed, 'cube')}, ${settings.model.value === undefined ? 'built in' : `of ${showPath(settings.model.value, cwd)}`}`;
}

async function describeSaved(settings: Settings, cwd: string): Promise<string> {
  const saved = await listSavedQueries(settings.queries.value);
  return `${saved.length} in ${showPath(settings.queries.value, cwd)}`;
}

async function describeEngine(): Promise<string> {
  const { openEngine } = await import('../../../run/embedded/engine.ts');
  await using engine = await openEngine({});
  const [row] = await engine.rows('SELECT version()');
  return `DuckDB ${String(row?.[0])} opens`;
}

/** Opening it looks at all of its files. */
async function tryBackend(settings: Settings, cwd: string, files: readonly string[] = []): Promise<string> {
  await using backend = await openBackend(settings, cwd);
  return files.length === 0 ? backend.name : files.map((file) => showPath(file, cwd)).join(', ');
}

/** Of raw events the built-in model knows what to ask, whatever the workspace's own is. */
async function describeEvents(settings: Settings, { cwd, now, signal }: Effects): Promise<string> {
  const { builtInModel } = await import('../../../plan/model/built-in-model.ts');
  await using session = openSession({ model: builtInModel, settings, now, cwd });
  const counted = await answerQuestion(session, questionOf({ measures: ['TrackedEvents.count'] }), { signal });
  const times = { dimension: 'TrackedEvents.utcTime', granularity: 'day' } as const;
  const days = await answerQuestion(session, questionOf({ measures: ['TrackedEvents.count'], timeDimensions: [times] }), { signal, fill: 'none' });
  const labels = days.values('TrackedEvents.utcTime.day');
  const count = String(counted.values('TrackedEvents.count')[0] ?? 0);
  const range = labels.length === 0 ? '' : `, ${String(labels[0]).slice(0, 10)} to ${String(labels.at(-1)).slice(0, 10)}`;
  const { rejected } = counted.provenance;
  const broken = rejected.count === 0 ? '' : `; ${rejected.count} ${plural(rejected.count, 'line')} could not be read, the first: ${rejected.examples[0]?.file ?? ''}:${rejected.examples[0]?.line ?? ''}`;
  return `${count} ${plural(Number(count), 'event')}${range}${broken}`;
}
