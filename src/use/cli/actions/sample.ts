import path from 'node:path';
import { mkdir, stat } from 'node:fs/promises';
import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { readWrittenTime } from '../../../ask/time/read-written-time.ts';
import { writeSample } from '../../../run/sample/write-sample.ts';
import { samplePath } from '../../sample-files.ts';
import { showPath } from '../../show-path.ts';
import type { SampleFlags } from '../command-flags.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';
import { toVoice } from '../narrate.ts';
import { openCommandSettings } from '../open-workspace.ts';
import type { Invocation } from '../invocation.ts';
import { plural } from '../../../ask/plural.ts';
import { quote } from '../../../ask/quote.ts';

/** `sluice sample`. The same flags give the same bytes. */
export async function runSample({ flags, effects }: Invocation<SampleFlags>): Promise<ExitCode> {
  const { root } = await openCommandSettings(flags, effects);
  const voice = toVoice(flags, effects);
  checkDay(flags.to);
  const file = flags.out === undefined ? samplePath(root, flags.to) : path.resolve(effects.cwd, flags.out);
  const shown = showPath(file, effects.cwd);
  if (flags.ifMissing && (await isThere(file))) {
    await voice.detail(`${shown} is there already.`);
    return exitCodes.done;
  }
  if (flags.out === undefined) await mkdir(path.dirname(file), { recursive: true });
  await writeSample({ seed: flags.seed, events: flags.count, days: flags.days, to: flags.to }, file, effects.signal);
  await voice.note(`Wrote ${flags.count} ${plural(flags.count, 'event')} of ${flags.days} ${plural(flags.days, 'day')} until ${flags.to} to ${shown}.`);
  await voice.note(flags.out === undefined ? 'Try: sluice query \'pageViewsCount by docPath last 30 days top 10\'' : `Try: sluice query 'count by eventType' --events ${shown}`);
  return exitCodes.done;
}

function checkDay(text: string): void {
  const written = readWrittenTime(text);
  if (written?.ok && written.value.unit === 'day') return;
  const message = `\`--to\` takes a day, not ${quote(text)}.`;
  const hint = 'Write it as 2026-10-20.';
  throw new InvalidInputError(message, [errorIssue('invalid-date', message, { hint })], { hint });
}

function isThere(file: string): Promise<boolean> {
  return stat(file).then(() => true, () => false);
}
