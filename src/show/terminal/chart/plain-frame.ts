type Part = Readonly<Record<string, unknown>>;

/** What a compiled chart says outright of an axis. */
export interface PlainAxis {
  readonly side: 'left' | 'right' | 'top' | 'bottom';
  /** Undefined where only the scene knows it. */
  readonly title: readonly string[] | undefined;
  readonly line: boolean;
  /** Whether the scene has it: its labels, or its title. */
  readonly drawn: boolean;
}

/** A legend of a scale whose colours stand for one name each; undefined where only the scene has it. */
export type PlainLegend =
  | { readonly title: readonly string[]; readonly scale: string; readonly filled: boolean; readonly shape: string }
  | undefined;

/** The part of what stands around a plot that need not be laid out in pixels to be known. Texts are as they came. */
export interface PlainFrame {
  /** Undefined where only the scene knows it. */
  readonly titles: { readonly title: readonly string[]; readonly subtitle: readonly string[] } | undefined;
  readonly axes: readonly PlainAxis[];
  readonly legends: readonly PlainLegend[];
  /** The scale of colours that each legend explains. */
  readonly legendScales: readonly (string | undefined)[];
}

/** Takes what is plain out of a compiled chart: Vega lays out the rest of it in half the time. */
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

/** What a legend may say without another text or another sign coming of it. */
const known =
  /^(?:fill|stroke|title.*|orient|direction|columns|offset|padding|symbol(?:Type|Size|Opacity|StrokeWidth|StrokeColor|FillColor)|label(?:Limit|Color|Font.*|Padding|Align|Baseline|Offset)|encode|rowPadding|columnPadding|aria|zindex|gradient.*)$/;

/** More names than these Vega leaves out. */
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

/** Of signs only how they are filled, which the colours tell. */
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

/** The lines of a text; undefined where it is an expression. */
function readTexts(text: unknown): readonly string[] | undefined {
  if (text === undefined || text === null) return [];
  const lines: readonly unknown[] = Array.isArray(text) ? text : [text];
  return lines.every((line) => typeof line === 'string') ? lines : undefined;
}

function listParts(value: unknown): readonly Part[] {
  return Array.isArray(value) ? value : [];
}
