import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import type { CompileContext, HtmlExtension, Token } from 'micromark-util-types';

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
