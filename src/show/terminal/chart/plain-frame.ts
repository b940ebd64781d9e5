/** A part of a Vega specification. */
export type Part = Readonly<Record<string, unknown>>;

/** The properties of an axis that a compiled chart declares. */
export interface PlainAxis {
  readonly side: 'left' | 'right' | 'top' | 'bottom';
  /** Undefined if only the scene has it. */
  readonly title: readonly string[] | undefined;
  readonly line: boolean;
  /** The scene contains it: its labels or its title. */
  readonly drawn: boolean;
}

/** The legend of a scale with one name per colour; undefined if only the scene has it. */
export type PlainLegend =
  | { readonly title: readonly string[]; readonly scale: string; readonly filled: boolean; readonly shape: string }
  | undefined;

/** The parts around a plot that are known without a layout. Texts are not sanitized. */
export interface PlainFrame {
  /** Undefined if only the scene has them. */
  readonly titles: { readonly title: readonly string[]; readonly subtitle: readonly string[] } | undefined;
  readonly axes: readonly PlainAxis[];
  readonly legends: readonly PlainLegend[];
  /** The colour scale of each legend. */
  readonly legendScales: readonly (string | undefined)[];
}

/** Removes the known parts from a compiled chart, which halves Vega's layout time. */
export function takeFrame(spec: Part): { readonly rest: Part; readonly frame: PlainFrame } {
  const { title, axes, legends, ...others } = spec;
  const titles = readTitles(title);
  const ownAxes = listParts(axes).filter(({ labels, grid }) => labels !== false || grid !== true);
  const plainAxes = ownAxes.map(readAxis);
  const scales = listParts(spec['scales']);
  const plainLegends = listParts(legends).map((legend) => readLegend(legend, scales));
  return {
    rest: {
      ...others,
      ...(titles === undefined && { title }),
      axes: ownAxes
        .filter((_, index) => plainAxes[index]?.drawn)
        .map((axis) => ({
          ...axis,
          ticks: false,
          domain: false,
          grid: false,
          zindex: 0,
          ...(readTexts(axis['title']) && { title: undefined }),
        })),
      legends: listParts(legends).filter((_, index) => plainLegends[index] === undefined),
    },
    frame: { titles, axes: plainAxes, legends: plainLegends, legendScales: listParts(legends).map(scaleOf) },
  };
}

function readTitles(title: unknown): PlainFrame['titles'] {
  const { text, subtitle } =
    typeof title === 'object' && title !== null && !Array.isArray(title)
      ? (title as Part)
      : { text: title, subtitle: undefined };
  const texts = readTexts(text);
  const below = readTexts(subtitle);
  return texts && below && { title: texts, subtitle: below };
}

function readAxis({ orient, title, domain, labels }: Part): PlainAxis {
  const texts = readTexts(title);
  return {
    side: orient === 'right' || orient === 'top' || orient === 'bottom' ? orient : 'left',
    title: texts,
    line: domain !== false,
    drawn: labels !== false || texts === undefined,
  };
}

/** Properties of a legend that change neither its texts nor its signs. */
const known = new RegExp(
  `^(?:${[
    'fill|stroke|title.*|orient|direction|columns|offset|padding|encode|rowPadding|columnPadding|aria|zindex|gradient.*',
    'symbol(?:Type|Size|Opacity|StrokeWidth|StrokeColor|FillColor)',
    'label(?:Limit|Color|Font.*|Padding|Align|Baseline|Offset)',
  ].join('|')})$`,
);

/** Vega omits names beyond this number. */
const mostNames = 30;

function readLegend(legend: Part, scales: readonly Part[]): PlainLegend {
  const scale = scaleOf(legend);
  const title = readTexts(legend['title']);
  const { domain, type } = scales.find(({ name }) => name === scale) ?? {};
  const few = Array.isArray(domain) && domain.length <= mostNames && domain.every((name) => typeof name === 'string');
  if (
    scale === undefined ||
    title === undefined ||
    type !== 'ordinal' ||
    !few ||
    (legend['fill'] !== undefined && legend['stroke'] !== undefined)
  )
    return undefined;
  const shape = legend['symbolType'] ?? 'circle';
  if (
    typeof shape !== 'string' ||
    !Object.keys(legend).every((key) => known.test(key)) ||
    !isPlainEncode(legend['encode'])
  )
    return undefined;
  return { title, scale, filled: legend['fill'] !== undefined, shape };
}

/** True if only the fill of the signs is encoded, which the colours tell. */
function isPlainEncode(encode: unknown): boolean {
  if (encode === undefined) return true;
  const { symbols, ...others } = encode as Part;
  const update = (symbols as Part | undefined)?.['update'] ?? {};
  return (
    Object.keys(others).length === 0 &&
    Object.keys(update).every((key) => ['opacity', 'fillOpacity', 'strokeOpacity', 'fill', 'stroke'].includes(key))
  );
}

function scaleOf({ fill, stroke }: Part): string | undefined {
  return typeof fill === 'string' ? fill : typeof stroke === 'string' ? stroke : undefined;
}

/** The lines of a text; undefined if it is an expression. */
function readTexts(text: unknown): readonly string[] | undefined {
  if (text === undefined || text === null) return [];
  const lines: readonly unknown[] = Array.isArray(text) ? text : [text];
  return lines.every((line) => typeof line === 'string') ? lines : undefined;
}

export function listParts(value: unknown): readonly Part[] {
  return Array.isArray(value) ? value : [];
}
