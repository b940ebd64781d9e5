import { sanitize } from '../../../show/labels/sanitize.ts';
import type { Setting, Settings, TokenSource } from '../../config/settings.ts';
import { wrapWords } from '../../../show/labels/wrap-words.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { classOf } from '../../process/report-error.ts';
import { showPath } from '../../process/show-path.ts';
import { textWidth } from '../../process/text-width.ts';
import type { Finding } from '../../setup/check.ts';
import { type Examination, examine } from '../../setup/examine.ts';
import { openDownload } from '../../workspace/open-download.ts';
import { version } from '../../workspace/version.ts';
import { withSample } from '../../workspace/with-sample.ts';
import { withFileColumns } from '../../workspace/workspace.ts';
import type { DoctorFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/reporter.ts';
import { readCommandSettings, remoteSurroundings } from '../command/open-workspace.ts';

interface ShownSetting {
  readonly name: string;
  readonly value: string;
  readonly origin: string;
}

/** Names in a configuration file that differ from the internal ones. */
const names: Readonly<Record<string, string>> = {
  platformUrl: 'platform.url',
  platformProject: 'platform.project',
  token: 'platform token',
  tokenHeader: 'platform.tokenHeader',
  cubeUrl: 'cube.url',
  cubeToken: 'cube token',
  clickhousePassword: 'clickhouse password',
  usageGroups: 'usage.groups',
  usageMonths: 'usage.months',
  usageFrozen: 'usage.frozen',
  usageExclude: 'usage.exclude',
  usageOptional: 'usage.optional',
};

/** Every setting with its value and origin, for people. Shows the origin of tokens, never their values. */
function listSettings(settings: Settings, cwd: string): readonly ShownSetting[] {
  return Object.entries(settings).map(([name, { value, origin }]: [string, Setting<unknown>]) => ({
    name: names[name] ?? name,
    value: showValue(value, cwd),
    origin: sanitize(origin),
  }));
}

/** One line for each setting. */
function writeSettings(settings: Settings, cwd: string): string {
  const lines = listSettings(settings, cwd);
  const width = Math.max(...lines.map(({ name }) => name.length));
  const values = Math.min(44, Math.max(...lines.map(({ value }) => value.length)));
  return lines
    .map(({ name, value, origin }) => `  ${name.padEnd(width)}  ${value.padEnd(values)}  ${origin}\n`)
    .join('');
}

function showValue(value: unknown, cwd: string): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '-';
  if (typeof value === 'string') return sanitize(value.startsWith('/') ? showPath(value, cwd) : value);
  if (Array.isArray(value)) return value.map((one: unknown) => showValue(one, cwd)).join(', ');
  if (isToken(value))
    return value.kind === 'variable'
      ? 'set'
      : value.kind === 'given'
        ? 'given'
        : sanitize(value.kind === 'file' ? `in ${showPath(value.file, cwd)}` : `from ${value.command}`);
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value);
    return entries.length === 0
      ? '-'
      : entries.map(([key, one]) => `${sanitize(key)}: ${showValue(one, cwd)}`).join(', ');
  }
  return String(value);
}

function isToken(value: unknown): value is TokenSource {
  return value !== null && typeof value === 'object' && 'kind' in value;
}

/**
 * `sluice doctor`: prints every setting with its origin, then the findings of all checks; a failed check does not stop
 * the others.
 */
export async function runDoctor({ flags, effects }: Invocation<DoctorFlags>): Promise<ExitCode> {
  const { cwd, env, now, signal, stdout } = effects;
  const voice = toReporter(flags, effects);
  const read = await readCommandSettings(flags, effects);
  for (const warning of read.warnings) await voice.note(warning);
  const { settings: sampled, note, asOf } = await withSample(read, cwd);
  if (note !== undefined) await voice.note(note);
  const download = openDownload(sampled, remoteSurroundings(flags, effects, read.root));
  const { settings, notes } = await withFileColumns(sampled, flags, { cwd, download, clock: now });
  for (const columns of notes) await voice.note(columns);
  const examination: Examination = {
    settings,
    faults: read.faults,
    root: read.root,
    cwd,
    env,
    signal,
    isSample: note !== undefined,
    now: asOf === undefined ? now : () => asOf,
    warn: (text) => voice.note(text),
  };
  const findings = [];
  const isJson = flags.format === 'json';
  if (!isJson) {
    await stdout.write(
      `sluice ${version} on Node ${process.versions.node}\nworkspace ${sanitize(read.root)}` +
        `${read.file === undefined ? ', no configuration' : `, configured by ${sanitize(read.file)}`}\n\n` +
        `${writeSettings(settings, cwd)}\n`,
    );
  }
  for await (const finding of examine(examination)) {
    findings.push(finding);
    if (!isJson) await stdout.write(writeFinding(finding, textWidth(flags, effects)));
  }
  if (isJson)
    await stdout.write(
      writeFindingsJson({
        version,
        node: process.versions.node,
        root: read.root,
        file: read.file,
        settings,
        cwd,
        findings,
      }),
    );
  const fault = findings.find(({ verdict }) => verdict === 'fails');
  return fault === undefined ? exitCodes.done : classOf(fault.error);
}

const marks = { ok: 'ok', fails: 'FAIL', none: 'none' } as const;

const indent = 21;

/**
 * A finding for people: its mark, its subject, and hints below, wrapped to `width`. Its text is not wrapped, because it
 * may be a drawing.
 */
function writeFinding({ what, verdict, text, hint }: Finding, width: number): string {
  const hints = (hint ?? '')
    .split('\n')
    .flatMap((line) => wrapWords(sanitize(line), width - indent, { longWords: 'keep' }));
  const [first = '', ...more] = [...text.split('\n').map(sanitize), ...(hint === undefined ? [] : hints)];
  return `${marks[verdict].padEnd(6)}${sanitize(what).padEnd(14)} ${first}\n${more.map((line) => `${' '.repeat(indent)}${line}\n`).join('')}`;
}

interface DoctorReport {
  readonly version: string;
  readonly node: string;
  readonly root: string;
  readonly file: string | undefined;
  readonly settings: Settings;
  readonly cwd: string;
  readonly findings: readonly Finding[];
}

/** The report as JSON. Shows the origin of tokens, never their values. */
function writeFindingsJson({ version, node, root, file, settings, cwd, findings }: DoctorReport): string {
  const report = {
    ok: findings.every(({ verdict }) => verdict !== 'fails'),
    version,
    node,
    workspace: root,
    config: file ?? null,
    settings: Object.fromEntries(
      listSettings(settings, cwd).map(({ name, value, origin }) => [name, { value, origin }]),
    ),
    checks: findings.map(({ what, verdict, text, hint, error }) => ({
      what,
      verdict,
      text,
      hint: hint ?? null,
      code: error?.code ?? null,
      kind: error?.kind ?? null,
    })),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}
