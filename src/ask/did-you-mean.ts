import { nearest } from './nearest.ts';
import { quote } from './quote.ts';

/** The hint that offers a name: `Did you mean "week"?` */
export function offer(name: string): string {
  return `Did you mean ${quote(name)}?`;
}

/** The hint that offers the candidate nearest to a mistyped word; undefined where none is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const near = nearest(word, candidates);
  return near === undefined ? undefined : offer(near);
}
