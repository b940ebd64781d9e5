import { isPropertyName, spellProperty } from '../query/property-name.ts';
import { shortNameOf } from '../query/member-name.ts';
import type { GranularityName } from '../time/granularity.ts';

export type MemberKind = 'measure' | 'dimension' | 'time' | 'segment' | 'unknown';

/** A resolved name, by its full name. */
export interface ResolvedName {
  readonly name: string;
  /** `unknown` if there is no catalog. */
  readonly kind: MemberKind;
  /** Set if the name is a bucket of time, such as `utcTime.day`. */
  readonly granularity?: GranularityName | undefined;
}

/** What a place of a line takes; undefined allows any member that can be compared or ordered by. */
export type Wanted = 'measure' | 'group' | 'segment';

/**
 * Why a name does not fit its place, if it does not. `text`: how it was written. `isNumber`: whether it is a property
 * that has a sum.
 */
export function wrongKind(
  { name, kind, granularity }: ResolvedName,
  wanted: Wanted | undefined,
  text: string,
  isNumber = false,
) {
  if (kind === 'unknown') return undefined;
  const place = {
    measure: 'Write measures first, or use `-m`.',
    segment: `Write \`segment ${text}\`, or \`--segment ${text}\`.`,
    dimension: `Write \`by ${text}\`, or \`-d ${text}\`.`,
    time: 'Write `by day`, or `-t utcTime:day`.',
  }[kind];
  const is = {
    measure: 'is a measure',
    segment: 'is a segment',
    dimension: 'is a dimension',
    time: 'is a time dimension',
  }[kind];
  if (wanted === 'measure' && kind !== 'measure')
    return { is: `${is}, not a measure`, hint: kind === 'dimension' ? (measureHint(name, isNumber) ?? place) : place };
  if (wanted === 'segment' && kind !== 'segment')
    return { is: `${is}, not a segment`, hint: 'Write conditions as `where eventType = pageview`.' };
  if (wanted === 'group' && (kind === 'measure' || kind === 'segment'))
    return { is: `${is}, not a dimension`, hint: place };
  if (wanted === undefined && kind === 'segment')
    return { is: `${is}, which cannot be compared or ordered by`, hint: place };
  return granularity !== undefined && kind !== 'time' ? { is: 'has no granularity', hint: undefined } : undefined;
}

/** How to compute a figure of a property. */
function measureHint(name: string, isNumber: boolean): string | undefined {
  const property = shortNameOf(name);
  if (!isPropertyName(property)) return undefined;
  const [sum, avg, distinct] = ['sum', 'avg', 'distinct'].map((compute) => spellProperty(`${compute}(${property})`));
  const figures = isNumber ? `\`${sum}\`, \`${avg}\` or \`${distinct}\`` : `\`${distinct}\``;
  return `Write ${figures}, or group by it: \`by ${spellProperty(property)}\`.`;
}
