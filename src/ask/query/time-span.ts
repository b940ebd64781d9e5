import { columnProperty, functions, later, propertyPathSource } from './property-name.ts';

/**
 * Names of figures of the time between two times: `avg(hours(props.started_at..props.finished_at))`. The time passes
 * from the first to the second.
 */
export interface TimeSpan {
  /** undefined for a short name. */
  readonly cube: string | undefined;
  /** `avg`, `p90`; all functions but `distinct`. */
  readonly compute: string;
  readonly unit: SpanUnit;
  /** Short names of a time dimension or a property. */
  readonly from: string;
  readonly to: string;
}

export type SpanUnit = keyof typeof spanUnits;

/** In milliseconds. Months have no fixed length. */
export const spanUnits = {
  milliseconds: 1,
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 604_800_000,
} as const;

const units = Object.keys(spanUnits).join('|');
const operand = `(?:[a-zA-Z0-9_]+|${propertyPathSource})`;

/** The short names as a pattern. */
export const timeSpanSource = String.raw`(?!distinct)${functions}\((?:${units})\(${operand}\.\.${operand}\)\)`;

const pattern = later(
  String.raw`^(?=(?:\w+\.)?${timeSpanSource}$)(?:(\w+)\.)?(\w+)\((\w+)\((${operand})\.\.(${operand})\)\)$`,
);

/** Splits such a name, with or without its cube; undefined for other names. */
export function readTimeSpan(name: string): TimeSpan | undefined {
  // A cheap test first: most names have no dots beside each other.
  const [, cube, compute, unit, from, to] = (name.includes('..') && pattern().exec(name)) || [];
  if (compute === undefined || from === undefined || to === undefined) return undefined;
  return { cube, compute, unit: unit as SpanUnit, from, to };
}

export function writeTimeSpan({ cube, compute, unit, from, to }: TimeSpan): string {
  return `${cube === undefined ? '' : `${cube}.`}${compute}(${unit}(${from}..${to}))`;
}

/** The names of the two times, for a figure of the time between them; other names as they are. */
export function endsOf(name: string): readonly string[] {
  const span = readTimeSpan(name);
  return span ? [span.from, span.to] : [name];
}

const closedText = String.raw`'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*"`;
const unitWord = units.replaceAll(/s(?=\||$)/g, 's?');
const written = String.raw`(?:${closedText}|\S(?:[^]*?\S)?)`;
const writtenForms = [
  later(String.raw`^(?<to>${written})\s+-\s+(?<from>${written})(?:\s+in\s+(?<unit>${unitWord}))?$`),
  later(String.raw`^(?<unit>${unitWord})\s+(?:between|from)\s+(?<from>${written})\s+(?:and|to)\s+(?<to>${written})$`),
  later(String.raw`^(?<unit>${units})\((?<from>${written})\.\.(?<to>${written})\)$`),
];

/**
 * The operand of a function as people write it: `finished_at - started_at in hours`, `hours from started_at to
 * finished_at`. Without a unit, seconds. `unquoted` reads a quoted name.
 */
export function readWrittenSpan(
  text: string,
  unquoted: (quoted: string) => string,
): Pick<TimeSpan, 'unit' | 'from' | 'to'> | undefined {
  for (const form of writtenForms) {
    const { unit = 'seconds', from, to } = form().exec(text)?.groups ?? {};
    if (from === undefined || to === undefined) continue;
    const ends = [from, to].map((name) => {
      if (/^\w+$/.test(name) || /^props\./.test(name)) return name;
      return columnProperty(/^['"]/.test(name) ? unquoted(name) : name.replaceAll(/\s+/g, ' '));
    });
    const [first, second] = ends;
    if (first === undefined || second === undefined) return undefined;
    return { unit: `${unit.toLowerCase().replace(/s$/, '')}s` as SpanUnit, from: first, to: second };
  }
  return undefined;
}
