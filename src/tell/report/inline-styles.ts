/** Declarations by tag (`p`), by class (`.aside`), or both (`p.aside`), the later ones over the earlier. */
export type Styles = Readonly<Record<string, string>>;

/**
 * Markup with its styles in each element, for readers of mail that drop style sheets. Classes go; what else stands in a tag stays.
 * The markup has no `>` in attributes.
 */
export function inlineStyles(html: string, styles: Styles): string {
  return html.replace(/<([a-z][a-z0-9]*)((?:\s[^>]*?)?)(\s?\/?)>/g, (_, tag: string, attributes: string, end: string) => {
    const classes = (/\sclass="([^"]*)"/.exec(attributes)?.[1] ?? '').split(' ').filter((name) => name !== '');
    const found = [styles[tag], ...classes.flatMap((name) => [styles[`.${name}`], styles[`${tag}.${name}`]])].filter((style) => style !== undefined);
    const kept = attributes.replace(/\s(?:class|tabindex|role="group"|aria-label|data-[\w-]+|aria-describedby)(?:="[^"]*")?/g, '');
    return `<${tag}${kept}${found.length === 0 ? '' : ` style="${found.join(';')}"`}${end}>`;
  });
}
