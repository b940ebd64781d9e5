import type { Annotation } from '../../ask/chart/annotation.ts';
import { plural } from '../../ask/text.ts';
import { type Column, inSentence, labelOf, type Value } from '../../plan/column.ts';
import { formatNumber, formatCount } from '../../shape/format/format-number.ts';
import type { Result } from '../../shape/result/result.ts';
import { orderBySize, type Slots, toSlots, withoutOthers } from './chart-grid.ts';
import type { ChartAxis, PlacedAnnotation } from './chart.ts';
import { toDrawable } from './column-roles.ts';
import { toDistinct, toName, toShownText } from './names.ts';
import { toTimePlaces } from './time-places.ts';

/** The axis of a chart, with the place of each row on it. */
export interface AxisPlaces {
  readonly axis: ChartAxis;
  /** −1 if a row has no place. */
  readonly places: Int32Array;
  readonly annotations: readonly PlacedAnnotation[];
  readonly notes: readonly string[];
}

/** The most bars that a reader takes in at a glance. */
const mostCategories = 20;

/** An axis of names without an order. */
export function toNamedAxis(title: string, labels: readonly string[]): ChartAxis {
  return {
    title,
    scale: 'category',
    ordered: false,
    labels,
    positions: labels.map((_, place) => place),
    ends: [],
    flags: labels.map(() => 0),
  };
}

/** An axis without a column: a single place for all rows. */
export function toSinglePlace(rowCount: number): AxisPlaces {
  return { axis: toNamedAxis('', ['']), places: new Int32Array(rowCount), annotations: [], notes: [] };
}

export function toTimeAxis(result: Result<object>, column: Column, annotations: readonly Annotation[]): AxisPlaces {
  const { codes, dictionary } = result.codes(column.key);
  const times = toTimePlaces(
    dictionary.flatMap((value) => (typeof value === 'string' ? [value] : [])),
    column,
    result.provenance.zone,
  );
  const placeOfCode = dictionary.map((value) => (typeof value === 'string' ? times.placeOf(value) : -1));
  const places = Int32Array.from(codes, (code) => placeOfCode[code] ?? -1);
  const flagsOfRow = result.marks.flags(column.key);
  const flags = times.positions.map(() => 0);
  places.forEach((place, row) => {
    if (place >= 0) flags[place] = (flags[place] ?? 0) | (flagsOfRow?.[row] ?? 0);
  });
  const lost = places.reduce((count, place) => (place < 0 ? count + 1 : count), 0);
  const { labels, positions, ends, ticks } = times;
  return {
    axis: {
      title: toShownText(labelOf(column)),
      scale: 'time',
      ordered: true,
      granularity: column.granularity,
      labels,
      positions,
      ends,
      flags,
      ticks,
    },
    places,
    annotations: placeAnnotations(annotations, times),
    notes:
      lost === 0
        ? []
        : [`${formatCount(lost, 'row has', 'rows have')} no time and ${plural(lost, 'is', 'are')} not drawn.`],
  };
}

/** Keeps annotations between the first place and the end of the last. */
function placeAnnotations(
  annotations: readonly Annotation[],
  { positions, ends, find }: ReturnType<typeof toTimePlaces>,
): readonly PlacedAnnotation[] {
  const first = positions[0];
  if (first === undefined) return [];
  const end = ends.at(-1) ?? (positions.at(-1) ?? first) + 1;
  return annotations
    .flatMap(({ date, title, kind }): PlacedAnnotation[] => {
      const found = find(date);
      if (!found || found.position < first || found.position >= end) return [];
      return [
        {
          position: found.position,
          date: found.label,
          title: toShownText(title),
          kind: kind === undefined ? undefined : toShownText(kind),
        },
      ];
    })
    .sort((a, b) => a.position - b.position);
}

/** If whole numbers span at most this many, the axis has places for the missing ones in between. */
const mostNumbers = 40;

/** An axis of numbers in ascending order. */
export function toNumberAxis(result: Result<object>, column: Column): AxisPlaces {
  const { codes, dictionary } = result.codes(column.key);
  const numbers = dictionary.map(toDrawable);
  const positions = withGaps([...new Set(numbers.filter((number) => number !== null))].sort((a, b) => a - b));
  const places = new Map(positions.map((position, place) => [position, place]));
  const placeOfCode = numbers.map((number) => (number === null ? -1 : (places.get(number) ?? -1)));
  const placeOfRow = Int32Array.from(codes, (code) => placeOfCode[code] ?? -1);
  const lost = placeOfRow.reduce((count, place) => (place < 0 ? count + 1 : count), 0);
  return {
    axis: {
      title: toShownText(labelOf(column)),
      scale: 'number',
      ordered: true,
      format: column.format,
      labels: positions.map((position) => formatNumber(position, column.format)),
      positions,
      ends: [],
      flags: positions.map(() => 0),
    },
    places: placeOfRow,
    annotations: [],
    notes:
      lost === 0
        ? []
        : [
            `${formatCount(lost, 'row has', 'rows have')} no ${toShownText(inSentence(column))}` +
              ` and ${plural(lost, 'is', 'are')} not drawn.`,
          ],
  };
}

function withGaps(numbers: readonly number[]): readonly number[] {
  const [first = 0] = numbers;
  const span = (numbers.at(-1) ?? first) - first;
  return span <= mostNumbers && numbers.length > 0 && numbers.every(Number.isInteger)
    ? Array.from({ length: span + 1 }, (_, index) => first + index)
    : numbers;
}

interface CategoryOptions {
  /** Categories are ordered by this measure. */
  readonly measure: Column;
  /** Gather surplus categories into one. */
  readonly gathers: boolean;
  /** Draw the categories in their given order. */
  readonly keepsOrder: boolean;
}

/** An axis of names, the largest first. Names beyond `mostCategories` are gathered into one, or omitted with a note. */
export function toCategoryAxis(
  result: Result<object>,
  column: Column,
  { measure, gathers, keepsOrder }: CategoryOptions,
): AxisPlaces {
  const { codes, dictionary } = result.codes(column.key);
  const rowGroups = withoutOthers(result, [column], codes);
  const { groups, othersRow } = rowGroups;
  const { order, hasNegative } = orderBySize(rowGroups, result.values(measure.key), {
    groupCount: dictionary.length,
    additive: measure.additive,
    most: mostCategories,
  });
  const slots = toSlots(order, dictionary.length, mostCategories, { gathers, hasOthers: othersRow !== undefined });
  const shown = keepsOrder ? [...slots.shown].sort((a, b) => a - b) : slots.shown;
  const slotOf = slots.slotOf.slice();
  shown.forEach((code, slot) => {
    slotOf[code] = slot;
  });
  const names = shown.map((code) => toName(dictionary[code] as Value, column));
  const other = nameOthers(result, [column], othersRow);
  return {
    axis: {
      ...toNamedAxis(toShownText(labelOf(column)), toDistinct(slots.other === undefined ? names : [...names, other])),
      other: slots.other,
    },
    places: Int32Array.from(groups, (code) => (code < 0 ? slots.other : slotOf[code]) ?? -1),
    annotations: [],
    notes: describeCut(slots, {
      title: labelOf(column),
      added: othersRow !== undefined && gathers ? other : undefined,
      gathers,
      hasNegative,
    }),
  };
}

const otherLabel = 'Other';

/** The name of all others: that of the answer, which no group has, if there is one. */
export function nameOthers(result: Result<object>, columns: readonly Column[], row: number | undefined): string {
  const named = columns
    .map((column) => ({ column, value: row === undefined ? null : (result.values(column.key)[row] ?? null) }))
    .find(({ value }) => value !== null);
  return named ? toName(named.value, named.column) : otherLabel;
}

interface CutOptions {
  readonly title: string;
  readonly gathers: boolean;
  /** The name of the others of the answer, if the rest is added to them. */
  readonly added?: string | undefined;
  readonly which?: 'largest' | 'first' | undefined;
  /** The largest are those farthest from 0. */
  readonly hasNegative?: boolean | undefined;
}

/** The note for an axis that does not show every category by itself. */
export function describeCut(
  { shown, left }: Slots,
  { title, gathers, added, which = 'largest', hasNegative = false }: CutOptions,
): readonly string[] {
  if (left === 0) return [];
  const rest = gathers
    ? `the other ${formatNumber(left)} ${added === undefined ? `together are ${otherLabel}` : `are added to ${added}`}`
    : `${formatNumber(left)} are left out${which === 'first' ? '' : ', because this measure cannot be added up'}`;
  const cut = `the ${which} ${formatNumber(shown.length)} of ${formatNumber(shown.length + left)}`;
  return [`${toShownText(title)}: ${cut}${hasNegative && which === 'largest' ? ' by absolute value' : ''}; ${rest}.`];
}
