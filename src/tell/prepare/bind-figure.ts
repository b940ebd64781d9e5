import { badWith, good, type Outcome } from '../../ask/outcome.ts';
import { shortNameOf } from '../../ask/query/member-name.ts';
import { oneOfHint } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { Column } from '../../plan/column.ts';
import { ownName } from '../notebook/front-matter.ts';
import { findParam, type ParamValues } from '../notebook/params.ts';
import { type FigurePath, nameWithAs, type QuoteFilter, readFigurePath } from '../notebook/quote.ts';
import {
  type BoundFigure,
  type FigurePick,
  figurePicks,
  type FigureSide,
  figureSides,
  type PreparedFailure,
  type PreparedFunnel,
  type PreparedQuestion,
  type PreparedUsage,
} from './prepared.ts';

/** What a figure needs beyond the words of its path. */
export interface FigureRequest {
  /** The percent change from the previous period. */
  readonly change?: boolean | undefined;
  /** The value of every row. */
  readonly every?: boolean | undefined;
}

interface Words {
  readonly pick: (typeof figurePicks)[number] | undefined;
  readonly side: FigureSide | undefined;
  /** The words that name the column. */
  readonly rest: readonly string[];
}

/**
 * The value that a path of a question cell refers to: `cell[.measure][.pick][.side]`. Issues: `unknown-figure`,
 * `several-measures`, `several-rows`, `no-total`, `no-change`.
 */
function bindQuestionFigure(
  path: FigurePath,
  { facts }: Pick<PreparedQuestion, 'facts'>,
  preference: FigureRequest,
): Outcome<BoundFigure> {
  const { columns, isComparison, isWhole } = facts;
  const words = splitWords(path.steps, columns);
  if (words.pick === 'rows' && words.side === undefined && words.rest.length === 0)
    return bound(path, { source: 'answer', column: undefined, pick: 'rows' });
  if (words.pick === 'rows')
    return badWith('unknown-figure', `${quote(path.text)} asks for the rows of a column: only the cell has rows.`, {
      hint: `Write ${writeFigure(path, ['rows'])}.`,
    });
  const column = findColumn(path, words.rest, columns);
  if (!column.ok) return column;
  const side = preference.change ? 'changePercent' : words.side;
  if (preference.change && words.side !== undefined && words.side !== 'changePercent')
    return noChange(`${quote(path.text)} already names a side of a comparison.`, `Remove ${words.side} or the filter.`);
  if (side !== undefined && column.value.kind !== 'measure')
    return noChange(`${quote(column.value.key)} is not a measure, so it has no change.`, 'Name a measure.');
  if (preference.every) return bound(path, { source: 'answer', column: column.value.key, pick: 'every' });
  const pick: FigurePick | undefined = isWhole ? 'only' : words.pick;
  if (pick === undefined) return severalRows(path, words.side, isComparison);
  if (side !== undefined) return bindSide(path, column.value, pick, side, facts);
  if (pick !== 'total')
    return checkPick(path, column.value, pick) ?? bound(path, { source: 'answer', column: column.value.key, pick });
  if (column.value.kind !== 'measure')
    return noTotal(`${quote(column.value.key)} is not a measure, so it has no total.`);
  if (column.value.additive && facts.isComplete && !isComparison)
    return bound(path, { source: 'answer', column: column.value.key, pick: 'total' });
  if (facts.filtersGroups)
    return noTotal(`The cell filters groups by their measures, so ${quote(column.value.key)} has no total.`);
  return bound(path, { source: 'total', column: column.value.key, pick: 'only' });
}

function bindSide(
  path: FigurePath,
  column: Column,
  pick: FigurePick,
  side: FigureSide,
  { isComparison, isWhole, filtersGroups }: PreparedQuestion['facts'],
): Outcome<BoundFigure> {
  if (pick !== 'only' && pick !== 'total' && pick !== 'first' && pick !== 'last')
    return noChange(`There is no ${side} of ${pick}.`, 'Use it with the total, or with the first or last row.');
  if (pick === 'first' || pick === 'last') {
    if (!isComparison)
      return noChange('A single row cannot be compared.', 'Make it a compare cell, or use the change of the total.');
    return bound(path, { source: 'answer', column: `${column.key}.${side}`, pick });
  }
  if (isComparison && isWhole) return bound(path, { source: 'answer', column: `${column.key}.${side}`, pick: 'only' });
  if (filtersGroups) return noTotal(`The cell filters groups by their measures, so ${quote(column.key)} has no total.`);
  return bound(path, { source: isComparison ? 'total' : 'compared', column: `${column.key}.${side}`, pick: 'only' });
}

const stepMeasures = ['count', 'conversion', 'stepConversion', 'dropOff', 'medianSeconds', 'meanSeconds', 'p90Seconds'];

/** Like `bindQuestionFigure`, for a funnel cell: `cell.step.measure`, or `cell.measure.last`. */
function bindFunnelFigure(
  path: FigurePath,
  { funnel, facts }: Pick<PreparedFunnel, 'funnel' | 'facts'>,
  preference: FigureRequest,
): Outcome<BoundFigure> {
  if (preference.change)
    return noChange('A funnel cannot be compared with the previous period.', 'Leave the filter out.');
  const [first = '', second, ...more] = path.steps;
  const key = (measure: string) => `${funnel.name}.${measure}`;
  if (path.steps.length === 1 && first === 'rows')
    return bound(path, { source: 'answer', column: undefined, pick: 'rows' });
  const step = facts.steps.indexOf(first);
  if (step >= 0 && !facts.grouped && more.length === 0) {
    const measure = second ?? 'count';
    if (stepMeasures.includes(measure))
      return bound(path, { source: 'answer', column: key(measure), pick: 'only', row: step });
    return unknown(path, measure, stepMeasures);
  }
  if (stepMeasures.includes(first) && more.length === 0) {
    if (preference.every && second === undefined)
      return bound(path, { source: 'answer', column: key(first), pick: 'every' });
    if (second === undefined) return severalRows(path);
    const pick = figurePicks.find((name) => name === second);
    if (pick === 'max' || pick === 'min' || ((pick === 'first' || pick === 'last') && !facts.grouped))
      return bound(path, { source: 'answer', column: key(first), pick });
    return unknown(path, second, ['first', 'last', 'max', 'min']);
  }
  return unknown(path, first, facts.grouped ? stepMeasures : [...facts.steps, ...stepMeasures]);
}

/** Splits off the last words of a path that pick a value, unless a column has such a name. */
function splitWords(steps: readonly string[], columns: readonly Column[]): Words {
  let rest = [...steps];
  const take = <Word extends string>(words: readonly Word[]): Word | undefined => {
    const last = words.find((word) => word === rest.at(-1));
    if (last === undefined || (rest.length > 0 && columns.some((column) => isNamed(column, rest)))) return undefined;
    rest = rest.slice(0, -1);
    return last;
  };
  const side = take(figureSides);
  return { side, pick: take(figurePicks), rest };
}

function findColumn(path: FigurePath, rest: readonly string[], columns: readonly Column[]): Outcome<Column> {
  const measures = columns.filter(({ kind }) => kind === 'measure');
  const named = rest.length === 0 ? measures : columns.filter((column) => isNamed(column, rest));
  const [only, another] = named;
  if (only && !another) return good(only);
  const isUnique = (column: Column, name: (of: Column) => string) =>
    columns.filter((other) => name(other) === name(column)).length === 1;
  const uniqueName = (column: Column) =>
    isUnique(column, nameOf) ? nameOf(column) : isUnique(column, ({ member }) => member) ? column.member : column.key;
  const names = columns.map(uniqueName).filter(isWritable);
  if (rest.length > 0 && !only) return unknown(path, rest.join('.'), [...names, ...figurePicks]);
  if (!only)
    return badWith('unknown-figure', 'The cell has no measure.', {
      hint: `Name one of its columns, or rows: ${names.join(', ')}.`,
    });
  const further = (path.own ?? path.steps).slice(rest.length);
  const unique = named.map(uniqueName);
  const figures = unique.filter(isWritable).map((name) => writeFigure(path, [name, ...further]));
  const hints = [
    ...(figures.length > 0 ? [`Specify which: ${figures.join(', ')}.`] : []),
    ...(unique.every(isWritable) ? [] : [nameWithAs]),
  ];
  return badWith(
    'several-measures',
    `The cell has several ${rest.length === 0 ? 'measures' : `columns ${quote(rest.join('.'))}`}.`,
    { hint: hints.join(' ') },
  );
}

/** Whether a path of a figure can have this name: `sum(amount)` has brackets. */
function isWritable(name: string): boolean {
  return readFigurePath(name).ok;
}

function nameOf({ member }: Column): string {
  return shortNameOf(member);
}

function isNamed(column: Column, words: readonly string[]): boolean {
  const name = words.join('.');
  return name === column.key || name === column.member || name === nameOf(column);
}

function checkPick(path: FigurePath, column: Column, pick: FigurePick): Outcome<BoundFigure> | undefined {
  const adds = pick === 'sum' || pick === 'mean' || pick === 'max' || pick === 'min';
  if (adds && (column.kind !== 'measure' || column.type !== 'number'))
    return badWith('unknown-figure', `${quote(column.key)} has no ${pick}.`, { hint: 'Use first or last.' });
  if (pick === 'sum' && !column.additive)
    return noTotal(
      `The rows of ${quote(column.key)} cannot be added up.`,
      `Use ${writeFigure(path, [shortNameOf(column.member), 'total'])}, which is computed separately.`,
    );
  return undefined;
}

type BoundParts = Omit<Extract<BoundFigure, { readonly kind: 'column' }>, 'kind' | 'path' | 'cell'>;

function bound(path: FigurePath, parts: BoundParts): Outcome<BoundFigure> {
  return good({ kind: 'column', path, cell: path.name, ...parts });
}

function severalRows(path: FigurePath, side?: FigureSide, isComparison = false): Outcome<never> {
  const steps = path.own ?? path.steps;
  const withPick = (pick: FigurePick) => writeFigure(path, [...steps.slice(0, -1), pick, ...steps.slice(-1)]);
  const picks = isComparison ? (['total', 'first', 'last'] as const) : (['total'] as const);
  const figures =
    side === undefined
      ? `${writeFigure(path, steps)}.total, .first, .last, .max, .min or .mean`
      : picks.map(withPick).join(', ');
  return badWith('several-rows', `The result that ${quote(path.text)} names has several rows.`, {
    hint: `Specify which value: ${figures}.`,
  });
}

/** A figure of the cell, as it is written where the path stands. */
function writeFigure({ name, own }: FigurePath, steps: readonly string[]): string {
  return (own ? steps : [name, ...steps]).join('.');
}

function noTotal(message: string, hint = 'Query the total in a separate cell.'): Outcome<never> {
  return badWith('no-total', message, { hint });
}

function noChange(message: string, hint: string): Outcome<never> {
  return badWith('no-change', message, { hint });
}

function unknown(path: FigurePath, word: string, known: readonly string[]): Outcome<never> {
  return badWith('unknown-figure', `${quote(path.name)} has no ${quote(word)}.`, {
    hint: oneOfHint(word, known),
  });
}

/** Where figures are looked up. */
export interface FigureScope {
  /** Cells by name; undefined for a cell with issues. */
  readonly cells: ReadonlyMap<string, PreparedQuestion | PreparedFunnel | PreparedUsage | PreparedFailure | undefined>;
  readonly params: ParamValues;
  /** Facts about the report by path: `report.title`. */
  readonly own: ReadonlyMap<string, string>;
  readonly usageFigures: readonly string[] | undefined;
}

/**
 * The figure that a path names. Undefined if its cell cannot be asked or its name is unknown; both are reported
 * elsewhere. Issues: those of `bindQuestionFigure`.
 */
export function bindFigure(
  path: FigurePath,
  scope: FigureScope,
  preference: FigureRequest & { readonly filter?: QuoteFilter | undefined },
): Outcome<BoundFigure> | undefined {
  const known = path.name === ownName ? scope.own.get(path.text) : undefined;
  if (known !== undefined) return good({ kind: 'known', path, text: known, value: known });
  const param = findParam(path.text, scope.params);
  if (param) {
    if (preference.filter !== undefined)
      return badWith('unknown-filter', `${quote(path.text)} is a parameter, and parameters have no filters.`, {
        hint: 'Leave the filter out.',
      });
    const text = param.words ?? param.text;
    return good({ kind: 'known', path, text, value: typeof param.value === 'number' ? param.value : text });
  }
  const cell = scope.cells.get(path.name);
  if (!cell) return undefined;
  // The figures of a failed cell are unknown.
  if (cell.kind === 'failure')
    return good({ kind: 'column', path, cell: path.name, source: 'answer', column: undefined, pick: 'only' });
  if (cell.kind === 'question') return bindQuestionFigure(path, cell, preference);
  if (cell.kind === 'funnel') return bindFunnelFigure(path, cell, preference);
  return bindUsageFigure(path, scope.usageFigures, preference);
}

function bindUsageFigure(
  path: FigurePath,
  known: readonly string[] | undefined,
  preference: FigureRequest,
): Outcome<BoundFigure> {
  const name = path.steps.join('.');
  if (preference.every || (preference.change && !/[cC]hange/.test(name)))
    return badWith('no-change', `${quote(path.text)} is not supported.`, {
      hint: `Use ${writeFigure(path, ['change'])}.`,
    });
  if (known && !known.includes(name))
    return badWith('unknown-figure', `${quote(path.name)} has no ${quote(name)}.`, {
      hint: oneOfHint(name, known),
    });
  return good({ kind: 'usage', path, cell: path.name, name });
}
