import { nearest } from '../nearest.ts';
import { type Issue, errorIssue } from '../outcome.ts';
import { granularities } from './granularity.ts';
import { quoted } from './quoted.ts';

const examples = 'Ranges read like "last 7 days", "this month", "week to date", "2024-03", "from 2024-03-01 to 2024-03-31" or "since 2024-03-01".';

/** The issue `unreadable-range` about text that reads as no range, with the phrase that it comes nearest to. */
export function unreadableRange(text: string): Issue {
  const near = text.length <= 60 ? nearest(text, phrases(/\d+/.exec(text)?.[0])) : undefined;
  const hint = near === undefined ? examples : `Did you mean "${near}"? ${examples}`;
  return errorIssue('unreadable-range', `${quoted(text)} does not read as a range of time.`, { hint });
}

/** The issue `unreadable-range` about text that stands where one day, one date or one instant must. */
export function unreadablePoint(text: string): Issue {
  const near = text.length <= 60 ? nearest(text, pointPhrases(/\d+/.exec(text)?.[0])) : undefined;
  const points = 'An end of a range reads like "2024-03-08", "2024-03-08T10:00", "yesterday", "3 days ago" or "now".';
  return errorIssue('unreadable-range', `${quoted(text)} does not read as an end of a range.`, {
    hint: near === undefined ? points : `Did you mean "${near}"? ${points}`,
  });
}

function pointPhrases(number: string | undefined): readonly string[] {
  const days = ['today', 'yesterday', 'tomorrow', 'now'];
  return [...days, ...granularities.flatMap((unit) => [`this ${unit}`, `last ${unit}`, `previous ${unit}`, `next ${unit}`, ...(number === undefined ? [] : [`${number} ${unit}s ago`])])];
}

function phrases(number: string | undefined): readonly string[] {
  const counted = number === undefined ? [] : ['last', 'past', 'next'].flatMap((word) => granularities.map((unit) => `${word} ${number} ${unit}s`));
  const running = granularities.flatMap((unit) => [`${unit} to date`, ...(number === undefined ? [] : [`from ${number} ${unit}s ago to now`])]);
  return [...pointPhrases(number), ...counted, ...running];
}
