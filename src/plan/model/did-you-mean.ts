import { nearest } from '../../ask/nearest.ts';

/** The name that an unknown one most likely meant, as a hint. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const near = nearest(word, candidates);
  return near === undefined ? undefined : `Did you mean \`${near}\`?`;
}
