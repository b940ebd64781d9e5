import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { plural } from '../../../ask/text.ts';
import { checkSample } from '../../../run/sample/check-sample.ts';
import { usualSample } from '../../../run/sample/sample-events.ts';
import { writeSample } from '../../../run/sample/write-sample.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import { samplePath } from '../../sample/sample-files.ts';
import type { SampleFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openCommandSettings } from '../command/open-workspace.ts';
import { openProgress } from '../command/progress.ts';

/** `sluice sample`. The same flags give the same bytes. */
export async function runSample({ flags, effects }: Invocation<SampleFlags>): Promise<ExitCode> {
  const { output = flags.out } = flags;
  const { root } = await openCommandSettings(flags, effects);
  const voice = toReporter(flags, effects);
  const { count, seed, to, vocabulary, days = Math.max(1, Math.min(usualSample.days, count)) } = flags;
  const sample = { seed, events: count, days, to, vocabulary };
  checkSample(sample);
  const file = output === undefined ? samplePath(root, to) : path.resolve(effects.cwd, output);
  const shown = showPath(file, effects.cwd);
  if (flags.ifMissing && (await isThere(file))) {
    await voice.detail(`${shown} already exists.`);
    return exitCodes.done;
  }
  if (output === undefined) await mkdir(path.dirname(file), { recursive: true });
  {
    await using progress = openProgress(flags, effects);
    const onProgress = (events: number) =>
      progress.update(
        `${shown}: ${Math.floor((100 * events) / count)} % of ${formatNumber(count)} ${plural(count, 'event')}`,
      );
    const write = /\.arrow$/i.test(file)
      ? (await import('../../sample/write-sample-arrow.ts')).writeSampleArrow
      : writeSample;
    await write({ ...sample, onProgress }, file, effects.signal);
  }
  await voice.note(
    `Wrote ${formatNumber(count)} ${plural(count, 'event')} of ${formatNumber(days)} ${plural(days, 'day')} until ${to} to ${shown}.`,
  );
  await voice.note(
    output === undefined
      ? "Try: sluice query 'pageViewsCount by docPath last 30 days top 10'"
      : `Try: sluice query 'count by eventType' --events ${shown}`,
  );
  return exitCodes.done;
}

function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
