import { refuseBytes, withoutStdout } from '../../output/stdout.ts';
import path from 'node:path';
import { plural, quote } from '../../../ask/text.ts';
import type { Chunks } from '../../../run/file/byte-source.ts';
import { writeFileWhole } from '../../../run/file/write-file.ts';
import { type FormatName, isChartFormat } from '../../../show/format-name.ts';
import { nameMonth } from '../../../tell/usage/month.ts';
import { toUsageTable, usageChart } from '../../../tell/usage/usage-answer.ts';
import { toSeriesResult } from '../../../tell/usage/usage-results.ts';
import { describeMissingGlyphs } from '../../chart/missing-glyphs.ts';
import type { Effects } from '../../process/effects.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { showPath } from '../../process/show-path.ts';
import type { Voice } from '../../process/voice.ts';
import { toReportEnding, type RenderOptions, renderReport } from '../../report/report-format.ts';
import { printingOf } from '../../report/run/report-deliveries.ts';
import type { AnsweredUsage } from '../../usage/answer-usage.ts';
import type { FreezeOutcome } from '../../usage/frozen-files.ts';
import { runUsage as countUsage } from '../../usage/run-usage.ts';
import { toUsageReport, writeUsage } from '../../usage/write-usage.ts';
import type { UsageFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/reporter.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';
import { makeOutputFolder } from '../../../run/file/make-folder.ts';
import { writeChunks, readFormats, fileTableOptions, tableOptions, writeAnswer } from './write-answer.ts';
import { refuseAddress, toEnvelope } from '../../report/run/report-place.ts';
import { usageError } from '../../../ask/sluice-error.ts';

/** Formats of reports that answers lack. */
const ofReports = ['pdf', 'eml'] as const;

type UsageFormat = FormatName | (typeof ofReports)[number];

/** Formats that hold several tables: titles, the month in progress, and notes. */
const pages = ['table', 'markdown', 'html', ...ofReports] as const;

type UsagePage = (typeof pages)[number];

function isUsagePage(format: UsageFormat): format is UsagePage {
  return (pages as readonly string[]).includes(format);
}

/** The formats of the flags, or of the output file's extension; default: a table. Throws `InvalidInputError`. */
function readUsageFormats(flags: UsageFlags, isTerminal: boolean): readonly UsageFormat[] {
  const { format, output } = flags;
  const named = (format ?? [path.extname(output ?? '').slice(1)]).map((name) => name.trim().toLowerCase());
  const found = ofReports.filter((name) => named.includes(name));
  if (found.length === 0) return readFormats(flags, isTerminal);
  const others = named.filter((name) => !(ofReports as readonly string[]).includes(name));
  if (output === undefined && others.length + found.length > 1)
    throw usageError('Several formats need an output folder.', 'Add `-o FOLDER`.');
  if (output === undefined) refuseBytes(found[0] ?? 'eml', 'usage', { isTerminal });
  return [...(others.length === 0 ? [] : readFormats({ ...flags, format: others }, isTerminal)), ...found];
}

/** `sluice usage`. */
export async function runUsage({ args, flags: given, effects }: Invocation<UsageFlags>): Promise<ExitCode> {
  const flags = withoutStdout(given);
  if (flags.output !== undefined) refuseAddress(flags.output);
  const formats = readUsageFormats(flags, effects.stdout.isTerminal);
  const envelope = await toEnvelope(flags, formats);
  const months = readMonths(flags.months);
  const { timezone, month, forecast, allowStale } = flags;
  const workspace = await openCommandWorkspace(flags, effects);
  const headers = { envelope, printing: printingOf(workspace) };
  if (formats.includes('pdf')) await (await import('../../report/print-pdf.ts')).findBrowser(headers.printing);
  const answered = await countUsage(workspace, {
    month,
    months,
    groups: args.length > 0 ? args : undefined,
    forecast,
    timezone,
    freeze: flags.freeze,
    allowStale,
  });
  if (answered.froze) await tellFreeze(answered, answered.froze, toReporter(flags, effects), effects.cwd);
  for (const format of formats) {
    if (isUsagePage(format)) {
      const chunks = await toPage(answered, format, headers, flags, effects);
      if (flags.output === undefined) await writeChunks(effects.stdout, chunks, effects.signal);
      else
        await writeFileWhole(await placeOf(flags.output, format, formats.length > 1, effects), chunks, effects.signal);
    } else {
      // Charts show the series of the page; other formats contain all figures.
      const { usage, provenance, frozen } = answered;
      const result = isChartFormat(format)
        ? toSeriesResult(usage, provenance)
        : toUsageTable(usage, provenance, frozen);
      await writeAnswer(
        result,
        { formats: [format], name: 'usage', amongOthers: formats.length > 1, chart: usageChart },
        { args, flags, effects },
      );
    }
  }
  const voice = toReporter(flags, effects);
  const { failures, footnotes, alerts } = answered.answer;
  for (const text of [...failures, ...alerts]) await voice.alert(text);
  if (!formats.every(isUsagePage)) for (const text of footnotes) await voice.note(text);
  return failures.length > 0 || answered.provenance.rejected.count > 0 ? exitCodes.partial : exitCodes.done;
}

async function toPage(
  answered: AnsweredUsage,
  format: UsagePage,
  headers: Omit<RenderOptions, 'base'>,
  flags: UsageFlags & GlobalFlags,
  effects: Effects,
): Promise<Chunks> {
  if (format === 'table' || format === 'markdown')
    return writeUsage(
      answered.answer,
      format,
      flags.output === undefined ? tableOptions({ ...flags, all: true }, effects) : fileTableOptions(flags),
    );
  const { main, missing = [] } = await renderReport(toUsageReport(answered, flags), format, {
    ...headers,
    base: undefined,
  });
  if (missing.length > 0) await toReporter(flags, effects).alert(describeMissingGlyphs(missing));
  return [main];
}

async function placeOf(output: string, format: UsagePage, several: boolean, { cwd }: Effects): Promise<string> {
  const target = path.resolve(cwd, output);
  if (!several) return target;
  await makeOutputFolder(target);
  return path.join(target, `usage${toReportEnding(format)}`);
}

function readMonths(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const months = Number(text);
  if (Number.isInteger(months) && months >= 1 && months <= 120) return months;
  const message = `--months must be a number from 1 to 120, not ${quote(text)}.`;
  throw usageError(message);
}

/** Reports the result of a freeze. */
async function tellFreeze(
  { usage }: AnsweredUsage,
  { file, before, month, added }: FreezeOutcome,
  voice: Voice,
  cwd: string,
): Promise<void> {
  const name = nameMonth(month.month);
  const known = new Map(usage.groups.flatMap(({ failed }) => failed).map((project) => [project.id, project.name]));
  const missing =
    month.missing.length === 0
      ? ''
      : ` It lacks ${month.missing.map((id) => known.get(id) ?? id).join(', ')}. ` +
        'Freeze it again when they can be counted.';
  const issued = before?.asOf.slice(0, 10) ?? '';
  if (before === undefined) await voice.note(`${name} is frozen in ${showPath(file, cwd)}.${missing}`);
  else if (added.length === 0)
    await voice.note(`${name} was already frozen on ${issued} and is not changed.${missing}`);
  else {
    const names = added.map((project) => project.name).join(', ');
    await voice.note(
      `${name} was frozen on ${issued} without ${names}, which ${plural(added.length, 'is', 'are')} added.${missing}`,
    );
  }
}
