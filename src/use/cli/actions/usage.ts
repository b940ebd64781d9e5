import { withoutStdout } from '../../output/stdout.ts';
import path from 'node:path';
import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { plural, quote } from '../../../ask/text.ts';
import { readZone } from '../../../ask/time/zone.ts';
import type { Chunks } from '../../../run/file/chunks.ts';
import { writeFileWhole } from '../../../run/file/write-file.ts';
import { type FormatName, isChartFormat, toFileExtension } from '../../../show/format-name.ts';
import { freezeMonth } from '../../../tell/usage/frozen-month.ts';
import { nameMonth } from '../../../tell/usage/month.ts';
import { toUsageTable, usageChart } from '../../../tell/usage/usage-answer.ts';
import { tellUncovered } from '../../../tell/usage/usage-notes.ts';
import { toSeriesResult } from '../../../tell/usage/usage-results.ts';
import { describeMissingGlyphs } from '../../chart/missing-glyphs.ts';
import type { Settings } from '../../config/settings.ts';
import type { Effects } from '../../process/effects.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { showPath } from '../../process/show-path.ts';
import { atPresent } from '../../report/at-present.ts';
import type { Envelope } from '../../report/envelope.ts';
import { renderReport } from '../../report/report-format.ts';
import { type AnsweredUsage, answerUsage, type UsageSurroundings } from '../../usage/answer-usage.ts';
import { freezeInto } from '../../usage/frozen-files.ts';
import { openLocalUsage } from '../../usage/open-local-usage.ts';
import { toUsageReport, writeUsage } from '../../usage/write-usage.ts';
import type { UsageSource } from '../../usage/usage-source.ts';
import { unwrap } from '../../workspace/refuse.ts';
import type { UsageFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openCommandSettings, openWorkspace, presentOf, remoteSurroundings } from '../command/open-workspace.ts';
import { makeOutputFolder } from '../../../run/file/make-folder.ts';
import { writeChunks } from '../command/output.ts';
import { readFormats } from './answer-settings.ts';
import { refuseAddress, toEnvelope, usageError } from './report-place.ts';
import { fileTableOptions, tableOptions, writeAnswer } from './write-answer.ts';

/** Those of an answer, and a letter. */
type UsageFormat = FormatName | 'eml';

/**
 * The formats that hold more than one table: titles, the month in progress, and what is to be known beside the figures.
 */
const pages = ['table', 'markdown', 'html', 'eml'] as const;

type UsagePage = (typeof pages)[number];

function isUsagePage(format: UsageFormat): format is UsagePage {
  return (pages as readonly string[]).includes(format);
}

/** The formats that the flags name, or the ending of the file to write; else a table. Throws `InvalidInputError`. */
function readUsageFormats(flags: UsageFlags, isTerminal: boolean): readonly UsageFormat[] {
  const { format, output } = flags;
  if (format === undefined)
    return output !== undefined && path.extname(output).toLowerCase() === '.eml'
      ? ['eml']
      : readFormats(flags, isTerminal);
  const others = format.filter((name) => name.trim().toLowerCase() !== 'eml');
  if (others.length === format.length) return readFormats(flags, isTerminal);
  if (others.length === 0) return ['eml'];
  if (output === undefined) throw usageError('Several formats need an output folder.', 'Add `-o FOLDER`.');
  return [...readFormats({ ...flags, format: others }, isTerminal), 'eml'];
}

function toUsageEnding(format: UsageFormat): string {
  return format === 'eml' ? '.eml' : toFileExtension(format);
}

/** `sluice usage`. */
export async function runUsage({ args, flags: given, effects }: Invocation<UsageFlags>): Promise<ExitCode> {
  const flags = withoutStdout(given);
  if (flags.output !== undefined) refuseAddress(flags.output);
  const formats = readUsageFormats(flags, effects.stdout.isTerminal);
  const envelope = await toEnvelope(flags, formats);
  const months = readMonths(flags.months);
  await using opened = await openUsage(flags, effects);
  const { source, surroundings } = opened;
  const answered = await answerUsage(
    source,
    { month: flags.month, months, groups: args.length > 0 ? args : undefined, show: 'table', forecast: flags.forecast },
    surroundings,
  );
  if (flags.freeze) await freeze(answered, surroundings, flags, effects);
  for (const format of formats) {
    if (isUsagePage(format)) {
      const chunks = await toPage(answered, format, envelope, flags, effects);
      if (flags.output === undefined) await writeChunks(effects.stdout, chunks, effects.signal);
      else
        await writeFileWhole(await placeOf(flags.output, format, formats.length > 1, effects), chunks, effects.signal);
    } else {
      // A picture is that of the page; other formats have all figures.
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
  envelope: Envelope | undefined,
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
    base: undefined,
    envelope,
  });
  if (missing.length > 0) await toReporter(flags, effects).alert(describeMissingGlyphs(missing));
  return [main];
}

async function placeOf(output: string, format: UsagePage, several: boolean, { cwd }: Effects): Promise<string> {
  const target = path.resolve(cwd, output);
  if (!several) return target;
  await makeOutputFolder(target);
  return path.join(target, `usage${toUsageEnding(format)}`);
}

interface OpenedUsage extends AsyncDisposable {
  readonly source: UsageSource;
  readonly surroundings: UsageSurroundings;
}

/** The platform is asked project by project, and none of them need be configured for single questions. */
async function openUsage(flags: UsageFlags & GlobalFlags, effects: Effects): Promise<OpenedUsage> {
  const { cwd, signal } = effects;
  const known = await openCommandSettings(flags, effects);
  const { settings: configured, root, warnings } = known;
  const zone = unwrap(readZone(flags.timezone ?? configured.timezone.value), 'The zone');
  // A zone that a flag names means what the same zone means in the configuration.
  const settings: Settings = { ...configured, timezone: { ...configured.timezone, value: zone } };
  if (settings.backend.value === 'platform') {
    for (const warning of warnings) await toReporter(flags, effects).note(warning);
    const present = presentOf(flags, effects) ?? effects.now;
    const now = () => present(zone);
    const { openPlatformUsage } = await import('../../usage/open-platform-usage.ts');
    const source = await openPlatformUsage(settings, { remote: remoteSurroundings(flags, effects, root), cwd, now });
    return {
      source,
      surroundings: { settings, time: { now: now(), zone }, cwd, signal },
      [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
    };
  }
  const { session: opened } = await openWorkspace(flags, effects, { opened: known });
  const session = atPresent(opened, opened.now(zone));
  return {
    source: openLocalUsage(session),
    surroundings: { settings: session.settings, time: { now: session.now(zone), zone }, cwd, signal },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

function readMonths(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const months = Number(text);
  if (Number.isInteger(months) && months >= 1 && months <= 120) return months;
  const message = `--months must be a number from 1 to 120, not ${quote(text)}.`;
  throw new InvalidInputError(message, [errorIssue('usage', message)]);
}

/** A month is issued once: what was frozen stays, and what could not be counted then is added when it can be. */
async function freeze(
  { usage, provenance }: AnsweredUsage,
  { settings, cwd, signal }: UsageSurroundings,
  flags: UsageFlags & GlobalFlags,
  effects: Effects,
): Promise<void> {
  const voice = toReporter(flags, effects);
  const { reported, open } = usage.plan;
  const name = nameMonth(reported.month);
  const refuse = (message: string, hint: string) =>
    new InvalidInputError(message, [errorIssue('cannot-freeze', message, { hint })], { hint });
  if (open?.month === reported.month)
    throw refuse(`${name} is not over and cannot be frozen.`, 'Freeze it next month.');
  const uncovered = flags.allowStale ? undefined : tellUncovered(usage);
  if (uncovered !== undefined) {
    const hint = 'Freeze it when later events are loaded. If there will be none, add --allow-stale.';
    throw refuse(`${name} is not frozen. ${uncovered}`, hint);
  }
  const fresh = freezeMonth(usage, { asOf: provenance.asOf, source: provenance.source });
  const { file, before, month, added } = await freezeInto(settings.usageFrozen.value, fresh, cwd, signal);
  const missing =
    month.missing.length === 0
      ? ''
      : ` It lacks ${month.missing.join(', ')}. Freeze it again when they can be counted.`;
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
