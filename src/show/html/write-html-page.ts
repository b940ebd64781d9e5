import { createHash } from 'node:crypto';
import { type Theme, themes } from '../chart/palette.ts';
import { fontFamilies } from '../fonts/fonts.ts';
import { toShownXml } from '../labels/escape-xml.ts';
import { roomStyle } from './html-table.ts';

interface HtmlPage {
  /** Plain text. */
  readonly title: string;
  /** The whole style sheet. Style attributes have no effect. */
  readonly css: string;
  /** HTML markup. */
  readonly body: string;
}

/** A self-contained HTML document. Its policy forbids scripts, requests and all styles except its own. */
export function writeHtmlPage({ title, css, body }: HtmlPage): string {
  const style = `\n${css.trim()}\n`;
  const policy =
    "default-src 'none'; " +
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src data:; ` +
    "base-uri 'none'; form-action 'none'";
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

const quoted = fontFamilies
  .split(', ')
  .map((family) => (/[ ]/.test(family) ? `"${family}"` : family))
  .join(', ');

/** Pages use the colours of their charts. */
function declare({ background, text, quiet, grid }: Theme): string {
  return `--ground: ${background}; --text: ${text}; --quiet: ${quiet}; --line: ${grid};`;
}

/**
 * The style sheet of pages with charts and tables: light or dark as the system is, light on paper, readable on a phone.
 * The rules are those of the charts in the page, see `toAdaptiveSvg`.
 */
export function toPageStyle(
  { light, dark }: { readonly light: readonly string[]; readonly dark: readonly string[] } = { light: [], dark: [] },
): string {
  return `:root { color-scheme: light dark; ${declare(themes.light)} }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 45rem; background: var(--ground); color: var(--text); font: 1rem/1.5 ${quoted}; }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; font-weight: 600; line-height: 1.25; overflow-wrap: anywhere; }
figure { margin: 1.5rem 0; }
figure svg { display: block; max-width: 100%; height: auto; }
.narrow svg { width: 100%; }
figcaption, .aside, footer { color: var(--quiet); font-size: .875rem; overflow-wrap: anywhere; }
figcaption p, .aside { margin: .25rem 0; }
footer { margin-top: 2.5rem; padding-top: .75rem; border-top: 1px solid var(--line); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .125rem 1rem; margin: 0; }
dt, dd { margin: 0; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
caption { padding-bottom: .5rem; text-align: left; color: var(--quiet); }
th, td { padding: .25rem .75rem; text-align: left; vertical-align: top; font-weight: 400; border-bottom: 1px solid var(--line); }
thead th { font-weight: 600; border-bottom-width: 2px; }
th:first-child, td:first-child { padding-left: 0; }
tbody th, tbody td { overflow-wrap: anywhere; }
tbody :is(th, td):not(.number, .date) { min-width: 6rem; }
.number { text-align: right; white-space: nowrap; }
.date { white-space: nowrap; }
.sign { color: var(--quiet); }
${roomStyle}
summary { cursor: pointer; }
.narrow { display: none; }
${light.join('\n')}
@media screen and (max-width: 35rem) { .wide { display: none; } .narrow { display: block; } }
@media screen and (prefers-color-scheme: dark) {
:root { ${declare(themes.dark)} }
${dark.join('\n')}
}
@media print { body { padding: 0; max-width: none; } figure, tr { break-inside: avoid; } thead { display: table-header-group; } }`;
}
