import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import type { CompileContext, HtmlExtension, Token } from 'micromark-util-types';
import type { Report, ReportBlock } from './report.ts';

/**
 * A remark for those who edit the text, and nothing beside it. Only the parser knows one: text that looks like it
 * stays.
 */
export const remark = /^<!--(?:(?!-->)[^])*-->\s*$/;

function holdBack(this: CompileContext, { type }: Token): undefined {
  if (type === 'htmlFlow') this.lineEndingIfNeeded();
  this.buffer();
}

function release(this: CompileContext, token: Token): undefined {
  const html = this.resume();
  if (!remark.test(this.sliceSerialize(token))) this.raw(html);
}

const withoutRemarks: HtmlExtension = {
  enter: { htmlFlow: holdBack, htmlText: holdBack },
  exit: { htmlFlow: release, htmlText: release },
};

/**
 * Markdown as HTML that loads nothing and runs nothing: HTML in it is text but for remarks, which are left out; links
 * lead to the web or by mail or nowhere at all, and of a picture its words stand there. Tables have headers; what may
 * be wider than the page can be moved with the keyboard.
 */
export function toProseHtml(markdown: string): string {
  return micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml(), withoutRemarks] })
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

type Told = Exclude<ReportBlock, { readonly kind: 'prose' }>;

/** A report in its order: prose as HTML, and what stands between. */
type Strand =
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
