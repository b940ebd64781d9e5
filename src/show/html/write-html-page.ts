import { createHash } from 'node:crypto';
import { toShownXml } from '../labels/escape-xml.ts';

export interface HtmlPage {
  /** Text. */
  readonly title: string;
  /** The whole style sheet; attributes of style have no effect. */
  readonly css: string;
  /** Markup. */
  readonly body: string;
}

/**
 * One HTML document that needs nothing else: its policy lets it run no script, ask nobody for anything, and use no
 * style but the one that it holds.
 */
export function writeHtmlPage({ title, css, body }: HtmlPage): string {
  const style = `\n${css.trim()}\n`;
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src data:; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${toShownXml(title)}</title>
<style>${style}</style>
</head>
<body>
${body.trim()}
</body>
</html>
`;
}
