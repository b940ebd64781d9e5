import { showText } from '../../../ask/text.ts';
import type { Effects } from '../../process/effects.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';

/** Says things on stderr, as much as the flags allow. */
export interface Reporter {
  /** What a reader should know. Silent with `--quiet`. */
  readonly note: (text: string) => Promise<void>;
  /** Only with `--verbose`. */
  readonly detail: (text: string) => Promise<void>;
  /** What must not be missed: also with `--quiet`. */
  readonly alert: (text: string) => Promise<void>;
}

/** `about` goes before everything that is said: what it is about, where it could be one of several things. */
export function toReporter({ quiet, verbose }: GlobalFlags, effects: Effects, about?: string): Reporter {
  const before = about === undefined ? '' : `${showText(about)}: `;
  const say = (text: string) => effects.stderr.write(`${before}${text.split('\n').map(showText).join('\n')}\n`);
  const silence = () => Promise.resolve();
  return { note: quiet ? silence : say, detail: verbose && !quiet ? say : silence, alert: say };
}
