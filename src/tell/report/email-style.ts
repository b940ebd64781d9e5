import { themes } from '../../show/chart/palette.ts';

const { text, quiet, grid, background } = themes.light;
const heading = `margin:28px 0 8px;font-weight:600;line-height:1.3;color:${text}`;

/** The style of emails: mail clients support neither variables nor grids. */
export const emailStyle: Styles = {
  body: `margin:0;padding:0;background:${background};color:${text};font-family:'Segoe UI','Helvetica Neue',Arial,sans-serif;font-size:15px;line-height:1.5`,
  '.email': 'max-width:640px;width:100%;border-collapse:collapse;table-layout:fixed',
  '.sideways': 'overflow-x:auto;max-width:100%',
  '.around': 'padding:0;border:0;text-align:left',
  '.page': 'padding:24px 16px;border:0;text-align:left;font-size:15px;overflow-wrap:anywhere',
  h1: `${heading};margin-top:0;font-size:26px;line-height:1.2`,
  h2: `${heading};font-size:19px`,
  h3: `${heading};font-size:16px`,
  h4: `${heading};font-size:15px`,
  p: 'margin:0 0 12px',
  ul: 'margin:0 0 12px;padding-left:22px',
  ol: 'margin:0 0 12px;padding-left:22px',
  a: 'color:#0059a0',
  blockquote: `margin:0 0 12px;padding-left:12px;border-left:3px solid ${grid};color:${quiet}`,
  pre: 'margin:0 0 12px;padding:10px 12px;background:#f5f7f9;white-space:pre-wrap;font-family:Menlo,Consolas,monospace;font-size:13px',
  code: 'font-family:Menlo,Consolas,monospace;font-size:13px',
  hr: `border:0;border-top:1px solid ${grid};margin:24px 0`,
  table: 'border-collapse:collapse;font-size:13px;margin:4px 0 8px',
  caption: `text-align:left;padding-bottom:4px;color:${quiet}`,
  th: `padding:4px 10px 4px 0;text-align:left;font-weight:600;vertical-align:bottom;border-bottom:1px solid ${grid}`,
  td: `padding:4px 10px 4px 0;vertical-align:top;border-bottom:1px solid ${grid}`,
  'th.row': 'font-weight:400;vertical-align:top',
  '.text': 'min-width:96px',
  // Cells inherit from the layout, which may break words anywhere.
  thead: 'overflow-wrap:normal',
  '.number': 'text-align:right',
  'td.number': 'white-space:nowrap',
  '.date': 'white-space:nowrap',
  '.sign': `color:${quiet}`,
  '.aside': `margin:0 0 4px;color:${quiet};font-size:13px`,
  '.source': `margin:2px 0 20px;color:${quiet};font-size:12px`,
  '.lead': `margin:0 0 6px;color:${quiet};font-size:17px`,
  '.part': 'margin:12px 0 6px;font-weight:600',
  '.picture': 'display:block;width:100%;max-width:608px;height:auto;border:0',
  '.figure': 'display:inline-block;min-width:160px;max-width:100%;padding:8px 24px 8px 0;vertical-align:top',
  '.up': 'color:#00674b',
  '.down': 'color:#a34700',
  '.name': `color:${quiet};font-size:13px`,
  '.value': 'font-size:26px;font-weight:600;line-height:1.25',
  '.alert': 'margin:16px 0;padding:10px 14px;border-left:4px solid #d55e00;background:#f5f7f9',
  '.bad': 'color:#a34700;font-weight:600',
};

/** Declarations by tag (`p`), class (`.aside`), or both (`p.aside`). Later ones override earlier ones. */
type Styles = Readonly<Record<string, string>>;

/**
 * Moves styles into each element, for mail clients that drop style sheets. Classes and accessibility attributes are
 * removed. Attributes in the markup must not contain `>`.
 */
export function inlineStyles(html: string, styles: Styles): string {
  return html.replace(
    /<([a-z][a-z0-9]*)((?:\s[^>]*?)?)(\s?\/?)>/g,
    (_, tag: string, attributes: string, end: string) => {
      const classes = (/\sclass="([^"]*)"/.exec(attributes)?.[1] ?? '').split(' ').filter((name) => name !== '');
      const found = [styles[tag], ...classes.flatMap((name) => [styles[`.${name}`], styles[`${tag}.${name}`]])];
      const style = new Map(
        found.flatMap((style) => style?.split(';').map((each) => [each.split(':', 1)[0], each] as const) ?? []),
      );
      const kept = attributes.replace(
        /\s(?:class|role="group"|aria-label|data-[\w-]+|aria-describedby)(?:="[^"]*")?/g,
        '',
      );
      return `<${tag}${kept}${style.size === 0 ? '' : ` style="${[...style.values()].join(';')}"`}${end}>`;
    },
  );
}
