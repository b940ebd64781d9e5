import { showText, plural } from '../../../ask/text.ts';
import type { RejectedLines } from '../../../run/backend.ts';
import { encodingHint } from '../../../run/duckdb/reading/formats/unfit-file.ts';
import type { Effects } from '../../process/effects.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { showPath } from '../../process/show-path.ts';

/** Prints messages on stderr, depending on the flags. */
export interface Reporter {
  /** For useful information. Silent with `--quiet`. */
  readonly note: (text: string) => Promise<void>;
  /** Printed only with `--verbose`. */
  readonly detail: (text: string) => Promise<void>;
  /** For messages that must not be missed: printed even with `--quiet`. */
  readonly alert: (text: string) => Promise<void>;
}

/** `about` is a prefix of all messages; it names the subject if there are several. */
export function toReporter({ quiet, verbose }: GlobalFlags, effects: Effects, about?: string): Reporter {
  const before = about === undefined ? '' : `${showText(about)}: `;
  const say = (text: string) => effects.stderr.write(`${before}${text.split('\n').map(showText).join('\n')}\n`);
  const silence = () => Promise.resolve();
  return { note: quiet ? silence : say, detail: verbose && !quiet ? say : silence, alert: say };
}

/** Reports each line that could not be read, even with `--quiet`. */
export async function tellRejected(
  { count, examples }: RejectedLines,
  voice: Reporter,
  cwd: string,
  consequence = ' (exit code 5)',
): Promise<void> {
  if (count === 0) return;
  for (const { file, line, reason } of examples) await voice.alert(`${showPath(file, cwd)}:${line}: ${reason}`);
  if (count > examples.length) await voice.alert(`… and ${count - examples.length} more`);
  const hint = encodingHint(examples);
  if (hint !== undefined) await voice.alert(`  hint: ${hint}`);
  await voice.alert(`${count} ${plural(count, 'line is', 'lines are')} not counted${consequence}`);
}
