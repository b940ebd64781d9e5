import path from 'node:path';
import { formatCount } from '../../../shape/format/format-number.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import { makeSample } from '../../sample/make-sample.ts';
import { samplePath } from '../../workspace/with-sample.ts';
import type { SampleFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/reporter.ts';
import { openCommandSettings } from '../command/open-workspace.ts';
import { openProgress } from '../command/progress.ts';

/** `sluice sample`. The same flags give the same bytes. */
export async function runSample({ flags, effects }: Invocation<SampleFlags>): Promise<ExitCode> {
  const { output = flags.out } = flags;
  const { root } = await openCommandSettings(flags, effects);
  const voice = toReporter(flags, effects);
  const { count, seed, days: asked, to, vocabulary, ifMissing } = flags;
  const request = { events: count, seed, days: asked, to, vocabulary, file: output, ifMissing };
  const { file, days, written } = await withProgress();
  const shown = showPath(file, effects.cwd);
  if (!written) {
    await voice.detail(`${shown} already exists.`);
    return exitCodes.done;
  }
  await voice.note(`Wrote ${formatCount(count, 'event')} of ${formatCount(days, 'day')} until ${to} to ${shown}.`);
  await voice.note(
    output === undefined
      ? "Try: sluice query 'pageViewsCount by docPath last 30 days top 10'"
      : `Try: sluice query 'count by eventType' --events ${shown}`,
  );
  return exitCodes.done;

  async function withProgress() {
    await using progress = openProgress(flags, effects);
    const name = showPath(output === undefined ? samplePath(root, to) : path.resolve(effects.cwd, output), effects.cwd);
    const onProgress = (events: number) =>
      progress.update(`${name}: ${Math.floor((100 * events) / count)} % of ${formatCount(count, 'event')}`);
    return await makeSample({ root, cwd: effects.cwd, signal: effects.signal }, { ...request, onProgress });
  }
}
