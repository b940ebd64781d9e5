/** One drawing that is light or dark as its page is. */
export interface AdaptiveSvg {
  /** Light where there is no style sheet. */
  readonly svg: string;
  /** CSS rules for where it is light, or printed. */
  readonly light: readonly string[];
  /** CSS rules for where it is dark. The same colours give the same rules, so that a page with many charts has few. */
  readonly dark: readonly string[];
}

const colour = / (fill|stroke|stop-color)="([^"]*)"/g;

/**
 * Two drawings of one chart, light and dark, as one: its colours are those of the light one, and a style sheet turns
 * them.
 * Drawings that differ in more than colours stand both in the page, one of them hidden.
 */
export function toAdaptiveSvg(light: string, dark: string): AdaptiveSvg {
  if (
    light.replace(colour, '') !== dark.replace(colour, '') ||
    light.match(colour)?.length !== dark.match(colour)?.length
  ) {
    return {
      svg: markRoot(light, 'when-light') + markRoot(dark, 'when-dark'),
      light: ['.when-dark{display:none}'],
      dark: ['.when-light{display:none}', '.when-dark{display:inline}'],
    };
  }
  const turned = Array.from(dark.matchAll(colour), ([, , value]) => value as string);
  const rules = new Map<string, string>();
  let at = 0;
  const svg = light.replace(/<\w+[^>]*>/g, (tag) => {
    const classes: string[] = [];
    for (const [, property, before] of tag.matchAll(colour)) {
      const after = turned[at] as string;
      at += 1;
      if (after === before) continue;
      const name = `${property === 'stop-color' ? 'stop' : property}-${toName(before as string)}-${toName(after)}`;
      classes.push(name);
      rules.set(name, `.${name}{${property}:${after}}`);
    }
    return classes.length === 0 ? tag : tag.replace(/\/?>$/, (end) => ` class="${classes.join(' ')}"${end}`);
  });
  return { svg, light: [], dark: [...rules.keys()].sort().map((name) => rules.get(name) as string) };
}

function markRoot(svg: string, name: string): string {
  return svg.replace('<svg ', `<svg class="${name}" `);
}

/** A colour as part of the name of a class. */
function toName(paint: string): string {
  return paint.toLowerCase().replace(/[^a-z0-9]+/g, '');
}
