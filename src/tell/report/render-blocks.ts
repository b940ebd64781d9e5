import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import type { CompileContext, HtmlExtension, Token } from 'micromark-util-types';
import type { Report, ReportBlock } from './report.ts';

/** A comment for editors of the text, alone in its block. The parser decides: text that looks like a comment stays. */
export const htmlComment = /^<!--(?:(?!-->)[^])*-->\s*$/;

function holdBack(this: CompileContext, { type }: Token): undefined {
  if (type === 'htmlFlow') this.lineEndingIfNeeded();
  this.buffer();
}

function release(this: CompileContext, token: Token): undefined {
  const html = this.resume();
  if (!htmlComment.test(this.sliceSerialize(token))) this.raw(html);
}

const withoutComments: HtmlExtension = {
  enter: { htmlFlow: holdBack, htmlText: holdBack },
  exit: { htmlFlow: release, htmlText: release },
};

/**
 * Markdown as HTML that loads and runs nothing. HTML in it is shown as text, and comments are removed. Links lead only
 * to the web or mail, and images become their alternative text. Tables have headers. Wide parts can be scrolled with
 * the keyboard.
 */
export function toProseHtml(markdown: string): string {
  return micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml(), withoutComments] })
    .replace(/<img src="[^"]*" alt="([^"]*)"[^>]*>/g, '$1')
    .replace(/<a href="">([^]*?)<\/a>/g, '$1')
    .replace(/<input type="checkbox" disabled=""( checked="")? \/>/g, (_, checked?: string) =>
      checked === undefined ? '☐' : '☑',
    )
    .replace(/<(t[hd]) align="right">/g, '<$1 class="number">')
    .replace(/<(t[hd]) align="\w+">/g, '<$1>')
    .replaceAll('<th', '<th scope="col"')
    .replaceAll('<th scope="col"ead', '<thead')
    .replaceAll('<table>', '<div class="table" role="group" aria-label="Table" tabindex="0">\n<table>')
    .replaceAll('</table>', '</table>\n</div>')
    .replaceAll('<pre>', '<pre tabindex="0">');
}

type NonProse = Exclude<ReportBlock, { readonly kind: 'prose' }>;

/** A part of a report in order: prose as HTML, or a block. */
type RenderedPiece =
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'block'; readonly block: NonProse; readonly index: number };

/** Renders all prose of a report as one text, so that links and footnotes work across cells. */
export function renderBlocks({ blocks }: Pick<Report, 'blocks'>): readonly RenderedPiece[] {
  const mark = freeWord(blocks.map((block) => (block.kind === 'prose' ? block.markdown : '')).join('\n'));
  const blocksInOrder: NonProse[] = [];
  const markdown = blocks
    .map((block) =>
      block.kind === 'prose' ? block.markdown : `\n\`\`\`${mark}-${blocksInOrder.push(block) - 1}\n\`\`\`\n`,
    )
    .join('\n');
  const parts = toProseHtml(markdown).split(
    new RegExp(`<pre[^>]*><code class="language-${mark}-(\\d+)"></code></pre>`),
  );
  return parts.flatMap((part, at): readonly RenderedPiece[] => {
    const block = at % 2 === 1 ? blocksInOrder[Number(part)] : undefined;
    if (block) return [{ kind: 'block', block, index: Number(part) }];
    return part.trim() === '' ? [] : [{ kind: 'html', html: part.trim() }];
  });
}

/** A word that does not occur in a text. */
function freeWord(text: string): string {
  let word = 'cell';
  while (text.includes(word)) word += 'x';
  return word;
}
