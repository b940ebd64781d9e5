import type { YAMLError } from 'yaml';
import { errorIssue, type Issue, warningIssue } from '../outcome.ts';
import { looksLikeJson, toBracketIssue } from './bracket-issue.ts';
import { toSpan } from './span.ts';
import { quote } from '../quote.ts';

interface Wording {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** What the YAML parser objects to, in plain words: one issue a place, and only the cause where nesting overwhelmed it. */
export function toYamlIssues(errors: readonly YAMLError[], text: string): readonly Issue[] {
  const cause = errors.find((error) => error.code === 'RESOURCE_EXHAUSTION');
  if (cause) return [toYamlIssue(cause, text)];
  const bracket = looksLikeJson(text) && errors.some(({ name }) => name === 'YAMLParseError') ? toBracketIssue(text) : undefined;
  if (bracket) return [bracket];
  const places = new Map<number, YAMLError>();
  for (const error of errors) if (!places.has(error.pos[0])) places.set(error.pos[0], error);
  return [...places.values()].map((error) => toYamlIssue(error, text));
}

function toYamlIssue(error: YAMLError, text: string): Issue {
  // What is missing at the end is shown behind the last word, not on the empty line below it.
  const last = text.trimEnd().length;
  const [start, end] = error.pos[0] > last ? [last, last] : error.pos;
  const { code, message, hint } = wordingOf(error, text.slice(start, end));
  const toIssue = error.name === 'YAMLWarning' ? warningIssue : errorIssue;
  return toIssue(code, message, { span: toSpan(text, start, Math.max(end, start + 1)), hint });
}

function wordingOf(error: YAMLError, found: string): Wording {
  switch (error.code) {
    case 'MULTIPLE_DOCS':
      return { code: 'several-documents', message: 'The text holds more than one document.', hint: 'Keep what stands before the second `---`.' };
    case 'TAB_AS_INDENT':
      return { code: 'yaml-tab', message: 'Tabs cannot indent YAML.', hint: 'Indent with spaces.' };
    case 'TAG_RESOLVE_FAILED':
      return { code: 'yaml-tag', message: `The tag ${quote(found.split(/\s/, 1)[0] ?? '')} means nothing here.`, hint: 'Leave it out.' };
    case 'RESOURCE_EXHAUSTION':
      return { code: 'too-deep', message: 'It is nested too deeply.' };
    case 'BLOCK_IN_FLOW':
      return { code: 'yaml-syntax', message: 'A comma or a bracket is missing before this.' };
    default:
      return { code: 'yaml-syntax', message: plainMessage(error.message) };
  }
}

function plainMessage(message: string): string {
  const closer = /must be sufficiently indented and end with an? (.)$|must end with an? (.)$/.exec(message);
  if (closer) return `A bracket is not closed: ${closer[1] ?? closer[2]} is missing here.`;
  if (/^Missing , or/.test(message)) return 'A comma or a colon is missing before this.';
  if (/^Missing ,/.test(message)) return 'A comma is missing before this.';
  if (/ at node end$/.test(message)) return 'A comma or a line break is missing before this.';
  if (/^Unexpected , in/.test(message)) return 'This comma is one too many.';
  if (/^Missing closing/.test(message)) return 'A quote is not closed.';
  return firstSentence(message);
}

function firstSentence(message: string): string {
  const sentence = message.split('\n', 1)[0]?.trim() ?? '';
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
