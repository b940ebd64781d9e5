import type { Report, ReportBlock } from './report.ts';
import { toProseHtml } from './prose-to-html.ts';

type Told = Exclude<ReportBlock, { readonly kind: 'prose' }>;

/** A report in its order: prose as HTML, and what stands between. */
export type Strand =
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'block'; readonly block: Told; readonly index: number };

/**
 * The prose of a report is read as one text, so that its links and footnotes find what they refer to behind a cell,
 * too.
 */
export function renderBlocks({ blocks }: Pick<Report, 'blocks'>): readonly Strand[] {
  const mark = freeWord(blocks.map((block) => (block.kind === 'prose' ? block.markdown : '')).join('\n'));
  const told: Told[] = [];
  const markdown = blocks
    .map((block) => (block.kind === 'prose' ? block.markdown : `\n\`\`\`${mark}-${told.push(block) - 1}\n\`\`\`\n`))
    .join('\n');
  const parts = toProseHtml(markdown).split(
    new RegExp(`<pre[^>]*><code class="language-${mark}-(\\d+)"></code></pre>`),
  );
  return parts.flatMap((part, at): readonly Strand[] => {
    const block = at % 2 === 1 ? told[Number(part)] : undefined;
    if (block) return [{ kind: 'block', block, index: Number(part) }];
    return part.trim() === '' ? [] : [{ kind: 'html', html: part.trim() }];
  });
}

/** A word that does not stand in a text. */
function freeWord(text: string): string {
  let word = 'cell';
  while (text.includes(word)) word += 'x';
  return word;
}
