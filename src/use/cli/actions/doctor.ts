import { SluiceError } from '../../../ask/sluice-error.ts';
import { readZone } from '../../../ask/time/zone.ts';
import type { OpenedSettings } from '../../config/open-settings.ts';
import type { Setting } from '../../config/setting.ts';
import type { TokenSource } from '../../config/token-source.ts';
import { answerQuestion } from '../../answer-question.ts';
import { questionOf } from '../../question.ts';
import { listSavedQueries } from '../../saved-queries.ts';
import { showPath } from '../../show-path.ts';
import { version } from '../../version.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';
import { openWorkspace, type OpenedWorkspace } from '../open-workspace.ts';
import type { Invocation } from '../invocation.ts';
import { exitCodeOf } from '../report-error.ts';
import { sanitize } from '../../../show/terminal/sanitize.ts';

/** `sluice doctor`: every setting with its origin, then what works and what does not. Fails where something does not. */
export async function runDoctor({ flags, effects }: Invocation<object>): Promise<ExitCode> {
  const opened = await openWorkspace(flags, effects);
  await using _closed = opened.session;
  const settings = writeSettings(opened, effects.cwd);
  await effects.stdout.write(`sluice ${version} on Node ${process.versions.node}\nworkspace ${sanitize(opened.root)}${opened.file === undefined ? ', no configuration' : `, configured by ${opened.file}`}\n\n${settings}\n`);
  let code: ExitCode = exitCodes.done;
  const check = async (what: string, run: () => Promise<string>): Promise<boolean> => {
    try {
      await effects.stdout.write(`ok    ${what.padEnd(14)} ${sanitize(await run())}\n`);
      return true;
    } catch (error) {
      if (!(error instanceof SluiceError) || effects.signal.aborted) throw error;
      if (code === exitCodes.done) code = exitCodeOf(error);
      await effects.stdout.write(`FAIL  ${what.padEnd(14)} ${sanitize(error.message)}\n${error.hint === undefined ? '' : `      ${''.padEnd(14)} ${sanitize(error.hint)}\n`}`);
      return false;
    }
  };
  await check('time zone', () => Promise.resolve(checkZone(opened)));
  await check('saved queries', () => describeSaved(opened, effects.cwd));
  const { backend, events, tables } = opened.settings;
  const hasData = events.value.length > 0 || Object.keys(tables.value).length > 0;
  if (!hasData && backend.value === 'embedded') {
    await effects.stdout.write("none  events         Name their files with --events 'events/*.ndjson.gz', or make some: sluice sample\n");
    await check('engine', () => describeEngine());
    return code;
  }
  if (events.value.length > 0) await check('events', () => describeEvents(opened, effects.signal));
  else await check('engine', () => describeEngine());
  return code;
}

function writeSettings({ settings }: OpenedSettings, cwd: string): string {
  const lines = Object.entries(settings).map(([name, setting]: [string, Setting<unknown>]) => [name, showValue(setting.value, cwd), setting.origin] as const);
  const width = Math.max(...lines.map(([name]) => name.length));
  const values = Math.min(44, Math.max(...lines.map(([, value]) => value.length)));
  return lines.map(([name, value, origin]) => `  ${name.padEnd(width)}  ${value.padEnd(values)}  ${sanitize(origin)}\n`).join('');
}

function showValue(value: unknown, cwd: string): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '-';
  if (typeof value === 'string') return sanitize(value.startsWith('/') ? showPath(value, cwd) : value);
  if (Array.isArray(value)) return value.map((one: unknown) => showValue(one, cwd)).join(', ');
  if (isToken(value)) return value.kind === 'variable' ? 'set' : sanitize(value.kind === 'file' ? `in ${showPath(value.file, cwd)}` : `from ${value.command}`);
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value);
    return entries.length === 0 ? '-' : entries.map(([key, one]) => `${sanitize(key)}: ${showValue(one, cwd)}`).join(', ');
  }
  return String(value);
}

function isToken(value: unknown): value is TokenSource {
  return value !== null && typeof value === 'object' && 'kind' in value;
}

function checkZone({ settings }: OpenedSettings): string {
  const zone = readZone(settings.timezone.value);
  if (zone.ok) return zone.value;
  const [issue] = zone.issues;
  throw new SluiceError(issue?.message ?? 'no zone', { code: 'unknown-zone', hint: issue?.hint });
}

async function describeSaved({ settings }: OpenedSettings, cwd: string): Promise<string> {
  const saved = await listSavedQueries(settings.queries.value);
  return `${saved.length} in ${showPath(settings.queries.value, cwd)}`;
}

async function describeEngine(): Promise<string> {
  const { openEngine } = await import('../../../run/embedded/engine.ts');
  await using engine = await openEngine({});
  const [row] = await engine.rows('SELECT version()');
  return `DuckDB ${String(row?.[0])} opens`;
}

async function describeEvents({ session }: OpenedWorkspace, signal: AbortSignal): Promise<string> {
  const counted = await answerQuestion(session, questionOf({ measures: ['TrackedEvents.count'] }), { signal });
  const times = { dimension: 'TrackedEvents.utcTime', granularity: 'day' } as const;
  const days = await answerQuestion(session, questionOf({ measures: ['TrackedEvents.count'], timeDimensions: [times] }), { signal, fill: 'none' });
  const labels = days.values('TrackedEvents.utcTime.day');
  const count = String(counted.values('TrackedEvents.count')[0] ?? 0);
  const range = labels.length === 0 ? '' : `, ${String(labels[0]).slice(0, 10)} to ${String(labels.at(-1)).slice(0, 10)}`;
  const { rejected } = counted.provenance;
  const broken = rejected.count === 0 ? '' : `; ${rejected.count} lines could not be read, the first: ${rejected.examples[0]?.file ?? ''}:${rejected.examples[0]?.line ?? ''}`;
  return `${count} events${range}${broken}`;
}
