import type { core } from 'zod';
import { didYouMean } from '../did-you-mean.ts';
import { errorIssue, type Issue, type IssuePath } from '../outcome.ts';
import { describeKind, describeValue, listOf } from './describe-value.ts';
import { quote } from '../quote.ts';
import { plural } from '../plural.ts';

interface Known {
  readonly input: unknown;
  readonly keys: readonly string[];
}

/** One issue of a schema as a sentence and a hint. Keys that are unknown become an issue each. */
export function wordIssue(issue: core.$ZodIssue, path: IssuePath, known: Known): readonly Issue[] {
  const name = nameOf(path);
  const found = describeValue(known.input);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => errorIssue('unknown-key', `Unknown key ${quote(key)}.`, {
        path: [...path, key], hint: nearestHint(key, known.keys, `Known here: ${known.keys.join(', ')}.`),
      }));
    case 'invalid_type':
      if (known.input === undefined) return [errorIssue('missing-key', `${name} is missing.`, { path })];
      return [mustBe([describeKind(issue.expected)], path, known.input)];
    case 'invalid_value': {
      const allowed = issue.values.map(String);
      if (known.input === undefined) return [errorIssue('missing-key', `${name} is missing.`, { path, hint: `It can be ${listOf(allowed)}.` })];
      const hint = typeof known.input === 'string' ? nearestHint(known.input, allowed) : `It can be ${listOf(allowed)}.`;
      return [errorIssue('unknown-value', `${name} cannot be ${found}.`, { path, hint })];
    }
    case 'too_small':
      return [errorIssue('out-of-range', `${name} must ${atLeast(issue)}, not ${amountOf(known.input)}.`, { path })];
    case 'too_big':
      return [errorIssue('out-of-range', `${name} must ${atMost(issue)}, not ${amountOf(known.input)}.`, { path })];
    case 'invalid_key':
      return [errorIssue('unknown-key', `${quote(String(path.at(-1) ?? ''))} is no key that can stand here.`, { path })];
    default:
      return [errorIssue('invalid-value', `${name} cannot be ${found}.`, { path })];
  }
}

/** Found one kind of value where others are wanted. */
export function mustBe(kinds: readonly string[], path: IssuePath, input: unknown): Issue {
  const wanted = [...new Set(kinds)];
  return errorIssue('wrong-type', `${nameOf(path)} must be ${listOf(wanted)}, not ${describeValue(input)}.`, {
    path, hint: conversionHint(wanted, input),
  });
}

function conversionHint(wanted: readonly string[], input: unknown): string | undefined {
  if (wanted.includes('text') && (typeof input === 'number' || typeof input === 'boolean')) return `Put it in quotes: \`"${input}"\`.`;
  if (wanted.includes('a list') && ['string', 'number', 'boolean'].includes(typeof input) && input !== '') return `Write a list: \`[${String(input)}]\`.`;
  if (typeof input === 'string' && /^\d+$/.test(input) && wanted.some((kind) => kind.endsWith('number'))) return `Leave out the quotes: \`${input}\`.`;
  return undefined;
}

/** How messages speak of the value at a path: `"limit"`, `Entry 2 of "measures"`. */
function nameOf(path: IssuePath): string {
  const last = path.at(-1);
  if (last === undefined) return 'The whole';
  if (typeof last === 'string') return quote(last);
  const list = path.at(-2);
  return `Entry ${last + 1}${typeof list === 'string' ? ` of ${quote(list)}` : ''}`;
}

/** `Did you mean "week"?`, or what could stand here. */
export function nearestHint(word: string, allowed: readonly string[], otherwise = `It can be ${listOf(allowed)}.`): string | undefined {
  if (allowed.length === 0) return undefined;
  return didYouMean(word, allowed) ?? otherwise;
}

function atLeast(issue: core.$ZodIssueTooSmall): string {
  if (issue.origin === 'array') return `have at least ${issue.minimum} ${plural(Number(issue.minimum), 'entry', 'entries')}`;
  if (issue.origin === 'string') return issue.minimum === 1 ? 'say something' : `have at least ${issue.minimum} characters`;
  return `be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
}

function atMost(issue: core.$ZodIssueTooBig): string {
  if (issue.origin === 'array') return `have at most ${issue.maximum} ${plural(Number(issue.maximum), 'entry', 'entries')}`;
  if (issue.origin === 'string') return `have at most ${issue.maximum} ${plural(Number(issue.maximum), 'character')}`;
  return `be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`;
}

function amountOf(input: unknown): string {
  if (Array.isArray(input)) return String(input.length);
  if (typeof input === 'string') return input === '' ? 'be empty' : `${input.length}`;
  return String(input);
}
