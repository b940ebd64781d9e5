import type { Notebook } from './notebook.ts';

/** A notebook as the text that it was read from; what was edited stands in its place, all else as it was to the byte. */
export function writeNotebook({ frontMatter, blocks }: Notebook): string {
  return frontMatter.source + blocks.map(({ source }) => source).join('');
}
