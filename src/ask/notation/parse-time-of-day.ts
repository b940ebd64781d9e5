import type { Span } from '../outcome.ts';
import { weekdays } from '../time/range.ts';
import type { NameReach } from './parse-name.ts';
import type { ConditionNode, TestNode } from './syntax.ts';
import type { TokenReader } from './tokens.ts';

/** Whether hours or days of the week begin here: `between 9am and 5pm`, `on weekends`. */
export function startsTimeOfDay(reader: TokenReader): boolean {
  if (reader.isWord('between')) return takesClock(reader, 1) > 0;
  return reader.isWord('on') && toWeekdays(reader.peek(1).text) !== undefined;
}

/** Parses such a clause as a condition. Reports an issue and returns undefined on errors. */
export function parseTimeOfDay(reader: TokenReader): ConditionNode | undefined {
  const first = reader.take();
  if (first.text.toLowerCase() === 'on') return parseWeekdays(reader, first.span);
  const from = takeClock(reader);
  if (!reader.skip('and') || takesClock(reader, 0) === 0)
    return reader.miss('notation-between', '"and" and an hour', 'Write, for example, `between 9am and 5pm`.');
  const to = takeClock(reader);
  const span = reader.spanFrom(first);
  if (!Number.isInteger(from) || !Number.isInteger(to))
    return reader.complain(
      'notation-range',
      'The hours of a day are whole.',
      'Write, for example, `between 9am and 5pm`, or group by `hour of day`.',
      span,
    );
  if (from % 24 === to % 24)
    return reader.complain(
      'notation-range',
      'Both hours are the same.',
      'Write the hour that begins and the one that ends.',
      span,
    );
  return hoursBetween(from, to, span);
}

/** From the first hour to the begin of the second, also over midnight. */
function hoursBetween(from: number, to: number, span: Span): ConditionNode {
  const test = (operator: 'gte' | 'lt', hour: number) => testOf('hourOfDay', operator, [String(hour)], span);
  const parts = [...(from % 24 === 0 ? [] : [test('gte', from % 24)]), ...(to % 24 === 0 ? [] : [test('lt', to % 24)])];
  if (parts.length === 1) return parts[0]!;
  return { kind: from < to ? 'and' : 'or', parts, grouped: true };
}

function parseWeekdays(reader: TokenReader, span: Span): ConditionNode {
  const days: string[] = [];
  do days.push(...toWeekdays(reader.take().text)!);
  while (
    toWeekdays(reader.peek(1).text) !== undefined ? reader.skip(',') || reader.skip('and') || reader.skip('or') : false
  );
  return testOf('weekday', 'in', days, span);
}

function testOf(name: string, operator: TestNode['operator'], values: readonly string[], span: Span): TestNode {
  return {
    kind: 'test',
    name: { text: name, span },
    operator,
    sign: false,
    operatorSpan: span,
    values: values.map((value) => ({ value, span })),
  };
}

/** The days that a word names: `Saturday`, `Saturdays`, `weekends`, `weekdays`. */
function toWeekdays(word: string): readonly string[] | undefined {
  const lower = word.toLowerCase().replace(/s$/, '');
  if (lower === 'weekend') return weekdays.slice(5);
  if (lower === 'weekday') return weekdays.slice(0, 5);
  return (weekdays as readonly string[]).includes(lower) ? [lower] : undefined;
}

const clockPattern = /^(\d{1,2})(?::(\d\d))?(am|pm)?$/i;

/** The number of tokens of a clock: `9am`, `9 am`, `17:00`; 0 for others, also for a number alone. */
function takesClock(reader: TokenReader, ahead: number): number {
  const { kind, text } = reader.peek(ahead);
  const [, , minutes, half] = (kind === 'word' && clockPattern.exec(text)) || [];
  if (half !== undefined) return 1;
  const isHalfNext = /^[ap]m$/i.test(reader.peek(ahead + 1).text) && clockPattern.test(text);
  return isHalfNext ? 2 : minutes === undefined ? 0 : 1;
}

/** The hour of a clock, from 0 to 24, with a fraction for minutes; NaN if there is none. */
function takeClock(reader: TokenReader): number {
  const count = takesClock(reader, 0);
  return (
    toHour(
      reader
        .takeSeveral(count)
        .map(({ text }) => text)
        .join(''),
    ) ?? Number.NaN
  );
}

function toHour(clock: string): number | undefined {
  const [, hours, minutes = '0', half] = clockPattern.exec(clock) ?? [];
  const hour = Number(hours) + Number(minutes) / 60;
  if (hours === undefined || Number(minutes) > 59 || hour > (half ? 12.99 : 24) || (half && hour < 1)) return undefined;
  if (!half) return hour;
  return (hour >= 12 ? hour - 12 : hour) + (half.toLowerCase() === 'pm' ? 12 : 0);
}

/**
 * A test of `hour` or `day` with hours or weekdays: `hour between 9 and 17`, `hour >= 9am`, `day = Saturday`. Without
 * them, these words name buckets of time.
 */
export function withTimeParts(node: TestNode, names: Pick<NameReach, 'kindOf'>): ConditionNode {
  const word = node.name.text.toLowerCase();
  if (node.name.quoted || !/^(?:hour|day|hourofday|weekday)$/.test(word) || node.values.length === 0) return node;
  const isOwn = ['dimension', 'measure'].includes(names.kindOf(node.name.text) ?? '');
  if (isOwn && (word === 'hour' || word === 'day')) return node;
  const texts = node.values.map(({ value }) => String(value));
  if (word.startsWith('hour')) {
    const hours = texts.map(toHour);
    if (!hours.every((hour) => Number.isInteger(hour))) return node;
    const [from, to] = hours as number[];
    const isClock = texts.every((text) => /\D/.test(text));
    if (node.operator === 'between' && isClock && to !== undefined && from! % 24 !== to % 24)
      return hoursBetween(from!, to, node.name.span);
    const values = node.values.map(({ span }, index) => ({ span, value: String(hours[index]) }));
    return { ...node, name: { ...node.name, text: 'hourOfDay' }, values };
  }
  const days = texts.map(toWeekdays);
  if (!days.every((some) => some !== undefined)) return node;
  const isMany = texts.some((text) => /^weekend|^weekday/i.test(text));
  const several = { equals: 'in', notEquals: 'notIn' } as const;
  const operator = isMany && node.operator in several ? several[node.operator as keyof typeof several] : node.operator;
  const values = days.flatMap((some, index) => some.map((value) => ({ value, span: node.values[index]!.span })));
  return { ...node, name: { ...node.name, text: 'weekday' }, operator, values };
}
