import { toAttribute } from './svg-elements.ts';
import { escapeXml } from './escape-xml.ts';

export interface Gradient {
  readonly gradient: string;
  readonly stops: readonly { readonly offset: number; readonly color: string }[];
  readonly [corner: string]: unknown;
}

/** What parts of a picture refer to by an id. */
export interface Definitions {
  /** A reference to the shape that something is cut to: that of the group. */
  clip(shape: unknown, group: { readonly [property: string]: unknown }): string;
  gradient(gradient: Gradient): string;
  /** All that was defined. */
  write(): string;
}

/** Ids begin with that of the drawing, so that several drawings can stand in one page. */
export function openDefinitions(drawing: () => string): Definitions {
  const ids = new Map<string, string>();
  const define = (content: string): string => {
    if (!ids.has(content)) ids.set(content, `${drawing()}-${ids.size + 1}`);
    return `url(#${ids.get(content)})`;
  };
  return {
    clip(shape, { width, height }) {
      const path: unknown = typeof shape === 'function' ? shape(null) : undefined;
      const inside = path === undefined ? `<rect width="${toAttribute(width ?? 0)}" height="${toAttribute(height ?? 0)}"/>` : `<path d="${escapeXml(toAttribute(path))}"/>`;
      return define(`clipPath>${inside}</clipPath>`);
    },
    gradient: (gradient) => define(writeGradient(gradient)),
    write: () => (ids.size === 0 ? '' : `<defs>${[...ids].map(([content, id]) => `<${content.replace(/^\w+/, (tag) => `${tag} id="${escapeXml(id)}"`)}`).join('')}</defs>`),
  };
}

function writeGradient({ gradient, stops, ...corners }: Gradient): string {
  const tag = gradient === 'radial' ? 'radialGradient' : 'linearGradient';
  const names: Readonly<Record<string, string>> = gradient === 'radial' ? { x1: 'fx', y1: 'fy', r1: 'fr', x2: 'cx', y2: 'cy', r2: 'r' } : { x1: 'x1', y1: 'y1', x2: 'x2', y2: 'y2' };
  const places = Object.entries(names).filter(([corner]) => typeof corners[corner] === 'number').map(([corner, name]) => ` ${name}="${toAttribute(corners[corner])}"`).join('');
  return `${tag}${places}>${stops.map(({ offset, color }) => `<stop offset="${toAttribute(offset)}" stop-color="${escapeXml(color)}"/>`).join('')}</${tag}>`;
}
