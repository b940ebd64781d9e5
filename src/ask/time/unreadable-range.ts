import { didYouMean } from '../did-you-mean.ts';
import { type Issue, errorIssue } from '../outcome.ts';
import { granularities } from './granularity.ts';
import { quote } from '../quote.ts';

const rangeExamples = 'Ranges read like "last 7 days", "this month", "week to date", "2024-03", "from 2024-03-01 to 2024-03-31" or "since 2024-03-01".';
const pointExamples = 'An end of a range reads like "2024-03-08", "2024-03-08T10:00", "yesterday", "3 days ago" or "now".';

/** The issue `unreadable-range` about text that reads as no range, with the phrase that it comes nearest to. */
export function unreadableRange(text: string): Issue {
  return errorIssue('unreadable-range', `${quote(text)} does not read as a range of time.`, { hint: withNearest(text, phrases, rangeExamples) });
}

/** The issue `unreadable-range` about text that stands where one day, one date or one instant must. */
export function unreadablePoint(text: string): Issue {
  return errorIssue('unreadable-range', `${quote(text)} does not read as an end of a range.`, { hint: withNearest(text, pointPhrases, pointExamples) });
}

/** Phrases are offered with the number that the text has. Nobody means a phrase by a long text. */
function withNearest(text: string, phrasesWith: (number: string | undefined) => readonly string[], examples: string): string {
  const near = text.length <= 60 ? didYouMean(text, phrasesWith(/\d+/.exec(text)?.[0])) : undefined;
  return near === undefined ? examples : `${near} ${examples}`;
}

function pointPhrases(number: string | undefined): readonly string[] {
  const days = ['today', 'yesterday', 'tomorrow', 'now'];
  return [...days, ...granularities.flatMap((unit) => [`this ${unit}`, `last ${unit}`, `previous ${unit}`, `next ${unit}`, ...(number === undefined ? [] : [`${number} ${unit}s ago`, `${number} ${unit}s from now`])])];
}

function phrases(number: string | undefined): readonly string[] {
  const counted = number === undefined ? [] : ['last', 'past', 'next'].flatMap((word) => granularities.map((unit) => `${word} ${number} ${unit}s`));
  const running = granularities.flatMap((unit) => [`${unit} to date`, ...(number === undefined ? [] : [`from ${number} ${unit}s ago to now`])]);
  return [...pointPhrases(number), ...counted, ...running];
}
