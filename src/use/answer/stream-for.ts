import { type FormatName, isBinaryFormat, isRowFormat } from '../../show/format-name.ts';
import type { StreamOptions } from './answer-question.ts';

/** How rows are wanted that are written in these formats; undefined if some format needs the whole answer. */
export function streamFor(
  formats: readonly FormatName[],
  { withProvenance }: { readonly withProvenance?: boolean | undefined },
): StreamOptions | undefined {
  if (withProvenance || !formats.every(isRowFormat)) return undefined;
  return { typed: formats.some(isBinaryFormat) };
}
