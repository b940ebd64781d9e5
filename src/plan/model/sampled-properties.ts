import { eachValue, hasPropertyName, writePropertyName } from '../../ask/query/property-name.ts';
import type { PropertyProfile } from './property-members.ts';
import { numberPattern, timePattern } from './property-sql.ts';

/** The property values of an event as JSON texts. Other values are ignored. */
interface SampledEvent {
  readonly further: unknown;
  readonly ofEvent: unknown;
  readonly ofUser: unknown;
}

/** A property of a sample. `lists`: the number of its values that are lists. */
interface SampledProperty extends PropertyProfile {
  readonly lists: number;
}

interface Seen {
  readonly path: readonly string[];
  events: number;
  numbers: number;
  booleans: number;
  times: number;
  lists: number;
  example: string;
}

const deepest = 6;

/** The number of values of a list that are looked at. */
const mostValues = 10;
const numberText = new RegExp(`^${numberPattern}$`);
const timeText = new RegExp(`^${timePattern()}$`);

/** The properties of a sample of events, the most frequent first. Their types are guesses until all events are read. */
export function tallyProperties(events: readonly SampledEvent[]): readonly SampledProperty[] {
  const seen = new Map<string, Seen>();
  const look = (value: unknown, path: readonly string[]): void => {
    if (value === null || value === undefined || value === '') return;
    if (typeof value === 'object' && !Array.isArray(value)) {
      if (path.length < deepest)
        for (const [key, inner] of Object.entries(value)) if (hasPropertyName([key])) look(inner, [...path, key]);
      return;
    }
    if (Array.isArray(value) && path.length > 0 && path.length < deepest && !path.includes(eachValue))
      for (const one of value.slice(0, mostValues)) look(one, [...path, eachValue]);
    const written = typeof value === 'string' ? value : JSON.stringify(value);
    const name = writePropertyName(path);
    const known = seen.get(name) ?? { path, events: 0, numbers: 0, booleans: 0, times: 0, lists: 0, example: written };
    known.events += 1;
    if (Array.isArray(value)) known.lists += 1;
    if (numberText.test(written)) known.numbers += 1;
    if (timeText.test(written)) known.times += 1;
    if (written === 'true' || written === 'false') known.booleans += 1;
    seen.set(name, known);
  };
  for (const { further, ofEvent, ofUser } of events) {
    look(parsed(further), []);
    look(parsed(ofEvent), []);
    look(parsed(ofUser), ['customUserProps']);
  }
  return [...seen.values()]
    .filter(({ path }) => path.length > 0)
    .sort((one, other) => other.events - one.events)
    .map(({ path, events: count, numbers, booleans, times, lists, example }) => ({
      path,
      events: count,
      numbers,
      times,
      type: numbers === count ? 'number' : booleans === count ? 'boolean' : 'string',
      large: 0,
      rounded: 0,
      scale: undefined,
      wholeDigits: 0,
      example,
      lists,
    }));
}

/** The engine accepts some texts that are not valid JSON. */
function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
