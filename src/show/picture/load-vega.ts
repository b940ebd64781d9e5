import { measuredFamily } from './fonts.ts';
import { textWidth } from './text-width.ts';

type Vega = Omit<typeof import('vega'), 'sceneVisit'> & VegaDrawing;
type VegaLite = typeof import('vega-lite');

/** What Vega's declarations leave out of its module. */
export interface VegaDrawing {
  /** How each kind of mark becomes the attributes of an SVG element. */
  readonly Marks: Readonly<Record<string, MarkDrawing>>;
  readonly textMetrics: { width: MeasureWidth };
  setRandom(random: () => number): void;
  randomLCG(seed: number): () => number;
  /** The children in the order in which they are drawn. */
  sceneVisit<Child>(parent: { readonly items?: readonly Child[] }, visitor: (child: Child) => void): void;
}

export interface MarkDrawing {
  readonly tag: string;
  /** All items are one element. */
  readonly nested: boolean;
  attr(emit: EmitAttribute, item: object): void;
  /** Of groups only. */
  background?(emit: EmitAttribute, item: object): void;
}

export type EmitAttribute = (name: string, value: unknown) => void;

type MeasureWidth = (item: MeasuredItem, text: unknown) => number;

interface MeasuredItem {
  readonly font?: unknown;
  readonly fontSize?: unknown;
  readonly fontWeight?: string | number | undefined;
  readonly limit?: number | undefined;
}

export interface LoadedVega {
  readonly vega: Vega;
  readonly vegaLite: VegaLite;
}

let loading: Promise<LoadedVega> | undefined;

/**
 * Vega and Vega-Lite, loaded when a chart is first drawn. Texts in the font that is brought along are measured in it. Left
 * to itself, Vega guesses, and where it finds a canvas it asks the machine's fonts. (The package holds a copy of Vega of
 * its own: nobody else's texts are measured by this.)
 */
export async function loadVega(): Promise<LoadedVega> {
  return (loading ??= load());
}

async function load(): Promise<LoadedVega> {
  const [module, vegaLite] = await Promise.all([import('vega'), import('vega-lite')]);
  const vega = module as unknown as Vega;
  const guess = vega.textMetrics.width;
  vega.textMetrics.width = (item, text) => {
    const { font, limit = 0 } = item;
    // Asked with a limit, Vega cuts the text, and to cut it measures: by this very function.
    const width = isMeasured(font) ? measure(item, text) : guess({ ...item, limit: 0 }, text);
    return limit > 0 ? Math.min(width, limit) : width;
  };
  return { vega, vegaLite };
}

export function isMeasured(font: unknown): boolean {
  return typeof font === 'string' && (font === measuredFamily || font.startsWith(`${measuredFamily},`));
}

function measure({ fontSize, fontWeight }: MeasuredItem, text: unknown): number {
  return text === null || text === undefined ? 0 : textWidth(String(text).trim(), { size: toFontSize(fontSize), weight: fontWeight });
}

/** Pixels; Vega's own default where nothing is said. */
export function toFontSize(size: unknown): number {
  return size === undefined || size === null ? 11 : Number(size) || 0;
}
