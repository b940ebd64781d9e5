import { withoutStdout } from '../../output/stdout.ts';
import path from 'node:path';
import {
  type BinaryFormat,
  type FormatName,
  isBinaryFormat,
  isRowFormat,
  type RowFormat,
} from '../../../show/format-name.ts';
import { toNotes } from '../../../show/labels/notes.ts';
import { writeRows } from '../../../show/write-rows.ts';
import { listFunnelUsers } from '../../funnel/funnel-users.ts';
import { runFunnel } from '../../funnel/run-funnel.ts';
import { readOutputFile } from '../../output/output-file.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { Session } from '../../workspace/session.ts';
import type { FunnelRunFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter, tellRejected } from '../command/reporter.ts';
import { openWorkspace } from '../command/open-workspace.ts';
import { writeChunks, exitCodeFor, readFormats, tableOptions, writeAnswer } from './write-answer.ts';
import { readAsked } from './analysis-run.ts';
import { usageError } from '../../../ask/sluice-error.ts';

/** `sluice funnel run`: the figures of a funnel, or its users. */
export async function runFunnelRun({ args, flags: given, effects }: Invocation<FunnelRunFlags>): Promise<ExitCode> {
  const flags = withoutStdout(given);
  const invocation = { args, flags, effects };
  const formats = readFormats(
    flags.users === undefined || flags.format || flags.output ? flags : { ...flags, format: ['csv'] },
    effects.stdout.isTerminal,
  );
  if (flags.users !== undefined && flags.trend !== undefined)
    throw usageError(
      '--trend counts users, and --users lists them.',
      `Leave out --trend, and name the time of entry: --users ${flags.users},began=2024-W09`,
    );
  const userFormat = flags.users === undefined ? undefined : oneTextFormat(formats);
  const asked = readAsked('funnel', args[0], flags);
  const { session } = await openWorkspace(flags, effects);
  await using _closed = session;
  session.prepare();
  if (flags.users !== undefined && userFormat)
    return await writeUsers(session, asked, flags.users, userFormat, invocation);
  const { byEntry, trend, interval } = flags;
  const { result, all, names } = await runFunnel(session, asked.definition, {
    ...asked,
    byEntry,
    trend,
    interval,
    signal: effects.signal,
  });
  if (trend === undefined && flags.output === undefined && formats.every((format) => format === 'table')) {
    const { writeFunnelBars } = await import('../../../show/terminal/funnel-bars.ts');
    await effects.stdout.write(`${await writeFunnelBars({ names, ...all }, tableOptions(flags, effects))}\n`);
  }
  const chart = { reports: session.settings.reports.value };
  await writeAnswer(result, { formats, name: path.parse(args[0] ?? 'funnel').name, chart }, invocation);
  return exitCodeFor(result);
}

/** The single text format for users. They are streamed, and binary formats need all rows first. */
function oneTextFormat(formats: readonly FormatName[]): Exclude<RowFormat, BinaryFormat> {
  const [only, another] = formats;
  if (only && another === undefined && isRowFormat(only) && !isBinaryFormat(only)) return only;
  const message =
    another === undefined
      ? `Users are streamed, and ${only ?? ''} cannot be streamed.`
      : 'A list of users has one format.';
  const hint = 'Use csv, tsv, json or ndjson.';
  throw usageError(message, hint);
}

async function writeUsers(
  session: Session,
  asked: ReturnType<typeof readAsked>,
  who: string,
  format: Exclude<RowFormat, BinaryFormat>,
  { flags, effects }: Invocation<FunnelRunFlags>,
): Promise<ExitCode> {
  const { byEntry, output } = flags;
  const { signal } = effects;
  const users = await listFunnelUsers(session, asked.definition, who, { ...asked, byEntry, signal });
  const rows = { ...users, provenance: users.provenance() };
  if (output === undefined)
    await writeChunks(effects.stdout, writeRows(rows, format, { rawCells: flags.rawCsv, signal }), signal);
  else {
    const { writeFileWhole } = await import('../../../run/file/write-file.ts');
    const { packing } = readOutputFile(output);
    const chunks = writeRows(rows, format, { rawCells: flags.rawCsv, signal });
    await writeFileWhole(
      path.resolve(effects.cwd, output),
      packing ? (await import('../../../run/file/pack.ts')).pack(chunks, packing) : chunks,
      signal,
    );
  }
  const { rejected, ...told } = users.provenance();
  const voice = toReporter(flags, effects);
  await tellRejected(rejected, voice, effects.cwd);
  for (const { text } of toNotes({ ...told, rejected: { count: 0, examples: [] } })) await voice.note(text);
  return rejected.count > 0 ? exitCodes.partial : exitCodes.done;
}
