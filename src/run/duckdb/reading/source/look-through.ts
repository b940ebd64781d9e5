import { lookAtFile } from '../../engine/file-identity.ts';
import { type EventSource, isText } from './event-source.ts';

/**
 * Files with more are not looked through: it would take seconds. Bytes as they lie there; plain text takes the least.
 */
export const [mostPlain, mostPacked] = [256 * 2 ** 20, 32 * 2 ** 20];

/** More files are looked at by the first one of each kind. */
export const mostLookedAt = 50;

/**
 * Looks through the files for one fact, once while they stay the same. A file that changes meanwhile is looked through
 * again the next time, and so is one that is read differently, because it was mended.
 */
export function lookThrough<Fact>(
  look: (sources: readonly EventSource[]) => Promise<Fact>,
): (sources: readonly EventSource[]) => Promise<Fact> {
  let last: { readonly key: string; readonly found: Promise<Fact> } | undefined;
  return async (sources) => {
    const key = JSON.stringify([sources, await marksOf(sources)]);
    if (last?.key !== key) {
      const found = look(sources);
      last = { key, found };
      found.catch(() => (last = undefined));
    }
    return last.found;
  };
}

async function marksOf(sources: readonly EventSource[]): Promise<readonly string[]> {
  const paths = sources.flatMap(pathsOf).slice(0, mostLookedAt);
  return Promise.all(paths.map((path) => lookAtFile(path).then(({ mark }) => mark)));
}

function pathsOf(source: EventSource): readonly string[] {
  return source.kind === 'cleaned' ? [source.path] : source.paths;
}

/** Whether looking through the files would take too long. */
export async function isMuch(sources: readonly EventSource[]): Promise<boolean> {
  let share = 0;
  for (const source of sources) {
    const isPlain = (isText(source) || source.kind === 'cleaned') && source.compression === 'none';
    for (const path of pathsOf(source)) share += (await lookAtFile(path)).bytes / (isPlain ? mostPlain : mostPacked);
  }
  return share > 1;
}
