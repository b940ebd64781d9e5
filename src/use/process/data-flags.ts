import { shellWord } from '../../ask/text.ts';
import type { GlobalFlags } from './global-flags.ts';

/** Flags that decide which data answer a question, and how they are read. */
const names = {
  events: '--events',
  encoding: '--encoding',
  map: '--map',
  preset: '--preset',
  store: '--store',
  timezone: '--timezone',
  asOf: '--as-of',
  knownAt: '--known-at',
  backend: '--backend',
  project: '--project',
  host: '--host',
  config: '--config',
} as const satisfies Partial<Record<keyof GlobalFlags, string>>;

/** These flags as a shell takes them, so that a command answers from the same data; empty if none is set. */
export function writeDataFlags(flags: GlobalFlags): string {
  return Object.entries(names)
    .flatMap(([key, flag]) =>
      [flags[key as keyof typeof names] ?? []].flat().map((value) => `${flag} ${shellWord(value)}`),
    )
    .join(' ');
}
