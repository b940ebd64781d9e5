import { suggestedRanges } from '../../../ask/notation/words.ts';
import { granularities } from '../../../ask/time/granularity.ts';
import type { Catalog } from '../../../plan/model/catalog.ts';
import type { Candidate, CandidateKind } from './rank-candidates.ts';

// The words of the notation that completion offers, with their meanings.

/** Candidates of one kind, with or without titles. */
function words(
  kind: CandidateKind,
  list: readonly (string | readonly [text: string, title: string])[],
): readonly Candidate[] {
  return list.map((each) => {
    const [text, title] = typeof each === 'string' ? [each, ''] : each;
    return { text, label: text, title, description: '', kind };
  });
}

/** Words that begin a clause or join conditions; the parser decides which of them fit. */
export const clauses: readonly Candidate[] = words('clause', [
  ['by', 'group by dimensions, or by time'],
  ['where', 'filter by a condition'],
  ['top', 'descending'],
  ['bottom', 'ascending'],
  ['and', 'and also'],
  ['or', 'or'],
  ['order by', 'in this order'],
  ['desc', 'descending'],
  ['asc', 'ascending'],
  ['segment', 'filter by a segment'],
  ['limit', 'maximum number of rows'],
  ['offset', 'skip the first rows'],
  ['compare', 'compare two time ranges'],
  ['with other', 'a row for all groups beyond the limit'],
  ['vs', 'with another time range'],
  ['with', 'second time range'],
  ['to', 'to the end of the range'],
  ['in', 'in a time zone'],
]);

/** Suffixes that change the measure before them: windows, shares and similar. */
export const changes: readonly Candidate[] = words('change', [
  ['rolling 7 days', 'over the 7 days that end with the bucket'],
  ['rolling 28 days', 'over the 28 days that end with the bucket'],
  ['cumulative', 'from the start of the range'],
  ['moving average 7', 'mean of 7 buckets'],
  ['share', 'percent of all groups'],
  ['avg per user', 'mean over the users who have any'],
  ['median per user', 'median of the users who have any'],
  ['p90 per user', '90th percentile of the users who have any'],
  ['max per user', 'greatest value of a user'],
  ['min per user', 'least value of a user'],
  ['sum per user', 'sum over the users who have any'],
  ['/', 'divided by another measure'],
  ['as', 'call it'],
]);

/** The rest of a partly typed window: `rolling`, `rolling 28`, `moving average`. */
export function offerWindows(before: string): readonly Candidate[] {
  const [, which = '', count] = /\b(rolling|moving\s+(?:average|avg|mean))\s+(?:(\d+)\s+)?$/i.exec(before) ?? [];
  if (which === '') return [];
  if (count !== undefined)
    return words(
      'number',
      granularities.toReversed().map((unit) => `${unit}${count === '1' ? '' : 's'}`),
    );
  const lengths =
    which.toLowerCase() === 'rolling'
      ? ['7 days', '28 days', '30 days', '24 hours', '12 months']
      : ['7', '3', '28', '12'];
  return words('number', lengths);
}

/** Earlier ranges to compare with, after `vs` and `compare with`. */
export const earlierRanges: readonly Candidate[] = words('range', [
  ['previous', 'the stretch before'],
  ['previous by weekday', 'the stretch before, weekday under weekday'],
  ['a week before', ''],
  ['a month before', ''],
  ['a year before', ''],
  ['a year before by weekday', 'weekday under weekday'],
]);

export function comparesNext(before: string): boolean {
  return /\b(?:vs|versus|compare(?:\s+(?:with|to))?)\s+$/i.test(before);
}

export const standardBuckets: readonly Candidate[] = granularities.map((granularity) =>
  toBucket(granularity, granularity),
);

function toBucket(granularity: string, title: string): Candidate {
  return {
    text: granularity,
    label: granularity,
    title: `one row per ${title}`,
    description: '',
    kind: 'granularity',
  };
}

/** Granularities that can stand alone: those of the cube's usual time, and the standard ones. */
export function bucketsOf({ find, timeMemberOf }: Catalog, cube: string): readonly Candidate[] {
  const found = find(timeMemberOf(cube) ?? '');
  const own = (found?.kind === 'dimension' && found.member.granularities) || [];
  return [...own.map(({ name, title }) => toBucket(name, title)), ...standardBuckets];
}

export const ranges: readonly Candidate[] = words('range', suggestedRanges);

/** Completes a partly typed range: `last 14 …`, `from 2024-03-01 to …`. */
export function offerRanges(typed: string): readonly Candidate[] {
  const counted = /^(last|past|previous|next)\s+(\d+)(?:\s|$)/i.exec(typed);
  if (counted)
    return words(
      'range',
      granularities.toReversed().map((unit) => `${counted[1]} ${counted[2]} ${unit}${counted[2] === '1' ? '' : 's'}`),
    );
  const single = /^(last|previous|this|next)\s+\D*$/i.exec(typed);
  const units = single
    ? words(
        'range',
        granularities.slice(3).map((unit) => `${single[1]} ${unit}`),
      )
    : [];
  const ended = /^(from\s+.+\s+to)(?:\s|$)/i.exec(typed);
  if (ended)
    return words(
      'range',
      ['today', 'yesterday', 'now'].map((end) => `${ended[1]} ${end}`),
    );
  const since = /^since(?:\s|$)/i.test(typed)
    ? words('range', ['since yesterday', 'since last week', 'since last month'])
    : [];
  return [...units, ...since, ...ranges];
}

export const numbers: readonly Candidate[] = words('number', ['10', '5', '20', '50', '100', '1000']);

const operators = {
  text: words('operator', [
    ['=', 'is'],
    ['!=', 'is not'],
    ['~', 'contains'],
    ['!~', 'does not contain'],
    ['^=', 'begins with'],
    ['$=', 'ends with'],
    ['matches', 'matches a regular expression'],
    ['in (', 'is one of'],
    ['not in (', 'is none of'],
    ['is set', 'has a value'],
    ['is not set', 'has no value'],
  ]),
  number: words('operator', [
    ['=', 'is'],
    ['!=', 'is not'],
    ['>', 'is more than'],
    ['>=', 'is at least'],
    ['<', 'is less than'],
    ['<=', 'is at most'],
    ['between', 'is between'],
    ['is set', 'has a value'],
    ['is not set', 'has no value'],
  ]),
  time: words('operator', [
    ['in', 'is in a time range'],
    ['not in', 'is outside a time range'],
    ['before', 'is before a day'],
    ['after', 'is after a day'],
    ['on', 'is on a day'],
    ['between', 'is between two days'],
    ['is set', 'has a value'],
    ['is not set', 'has no value'],
  ]),
  boolean: words('operator', [
    ['=', 'is'],
    ['!=', 'is not'],
    ['is set', 'has a value'],
    ['is not set', 'has no value'],
  ]),
} as const;

/** Operators for a value of this type. */
export function offerOperators(type: string | undefined): readonly Candidate[] {
  if (type === 'string' || type === undefined) return operators.text;
  return operators[type as keyof typeof operators] ?? operators.number;
}
