import { spanUnits, type TimeSpan } from '../../ask/query/time-span.ts';
import { quote, withinSentence } from '../../ask/text.ts';
import { memberLabel } from './member-label.ts';
import type { Cube, Dimension, Measure, Template, UncountedRows } from './model.ts';
import { asTime, functionLabel, numberForm } from './property-members.ts';
import { text } from './property-sql.ts';

/**
 * A figure of the time that passes from one time to another, in a unit. undefined if one is no time, and where times
 * are not instants or have several values in a row.
 */
export function spanMeasure(
  cube: Cube,
  { compute, unit, from: first, to: second }: TimeSpan,
  one: Dimension,
  other: Dimension,
): Measure | undefined {
  const [from, to] = [one, other].map(asTime);
  if (!from || !to || !['events', 'sessions', 'users'].includes(cube.source.kind) || from.of || to.of) return undefined;
  if (from.expression.kind !== 'sql' || to.expression.kind !== 'sql') return undefined;
  const [begin, end] = [from.expression.sql, to.expression.sql];
  const label = (time: Dimension) =>
    time.times ? time.shortTitle : withinSentence(memberLabel(time) ?? time.shortTitle);
  const shortTitle = `${functionLabel(compute)} ${label(to)} − ${label(from)} (${unit})`;
  const areTexts = [from, to].every(({ times }) => times && !times.areNumbers);
  const between: Template = areTexts ? betweenTexts(begin, end) : microseconds(begin, end);
  const number: Template = [...between, text(` / ${spanUnits[unit] * 1000}`)];
  return {
    name: `${compute}(${unit}(${first}..${second}))`,
    title: `${cube.title} ${shortTitle}`,
    shortTitle,
    label: shortTitle,
    description: `The time from ${from.shortTitle} to ${to.shortTitle}, in ${unit}, where both are times.`,
    ...numberForm(compute, number),
    uncounted: from.times && to.times ? [withOneTime(from, to, begin, end)] : [from, to].flatMap(noTimes),
    filters: [],
    drillMembers: [],
    public: false,
    ...readingNote(from, to),
    ...((one.sampled ?? other.sampled) && { sampled: true }),
  };
}

/** How numbers are read, and that a time without a zone may be local, which matters beside one that is not. */
function readingNote(from: Dimension, to: Dimension): Pick<Measure, 'rounded'> {
  const numbers = [from, to].flatMap(({ times }) => (times?.areNumbers ? (times.others ?? []) : []));
  const local = [from, to].filter(({ times }) => times?.isLocal).map(({ shortTitle }) => quote(shortTitle));
  const sentences = [
    ...numbers,
    ...(local.length === 1 ? [`Times of ${local[0]} without a zone are read as UTC.`] : []),
  ];
  return sentences.length > 0 ? { rounded: sentences.join(' ') } : {};
}

function microseconds(begin: Template, end: Template): Template {
  return [text('(epoch_us('), ...end, text(') - epoch_us('), ...begin, text('))')];
}

/** Two dates are whole days apart, also if a clock changes between them. */
function betweenTexts(begin: Template, end: Template): Template {
  const isDate = (time: Template): Template => [text('length('), ...textOf(time), text(') = 10')];
  const inUtc = (time: Template): Template => [{ kind: 'time-of-text', days: 'UTC' }, ...time.slice(1)];
  return [
    ...[text('(CASE WHEN '), ...isDate(begin), text(' AND '), ...isDate(end), text(' THEN ')],
    ...microseconds(inUtc(begin), inUtc(end)),
    ...[text(' ELSE '), ...microseconds(begin, end), text(' END)')],
  ];
}

/** The text that is read as a time. */
function textOf(time: Template): Template {
  return time.slice(1, -1);
}

/** Rows of which a text is no time. */
function noTimes({ name, times }: Dimension): readonly UncountedRows[] {
  if (!times || times.areNumbers) return [];
  const sql = [text('('), ...textOf(times.sql), text(') IS NOT NULL AND '), ...times.sql, text(' IS NULL')];
  return [{ sql, what: `events whose ${name} is not a time` }];
}

function withOneTime(from: Dimension, to: Dimension, begin: Template, end: Template): UncountedRows {
  const [one, other] = [from, to].map(({ shortTitle }) => shortTitle);
  return {
    sql: [text('(('), ...begin, text(') IS NULL) <> (('), ...end, text(') IS NULL)')],
    what: `events with only one of the times ${one} and ${other}`,
  };
}
