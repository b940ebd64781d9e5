import type { YAMLError } from 'yaml';
import { errorIssue, type Issue, warningIssue } from '../outcome.ts';
import { toSpan } from './span.ts';

interface Wording {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** What the YAML parser objects to, in plain words: one issue a place, and only the cause where nesting overwhelmed it. */
export function toYamlIssues(errors: readonly YAMLError[], text: string): readonly Issue[] {
  const cause = errors.find((error) => error.code === 'RESOURCE_EXHAUSTION');
  if (cause) return [toYamlIssue(cause, text)];
  const places = new Map<number, YAMLError>();
  for (const error of errors) if (!places.has(error.pos[0])) places.set(error.pos[0], error);
  return [...places.values()].map((error) => toYamlIssue(error, text));
}

function toYamlIssue(error: YAMLError, text: string): Issue {
  const [start, end] = error.pos;
  const { code, message, hint } = wordingOf(error, text.slice(start, end));
  const toIssue = error.name === 'YAMLWarning' ? warningIssue : errorIssue;
  return toIssue(code, message, { span: toSpan(text, start, Math.max(end, start + 1)), hint });
}

function wordingOf(error: YAMLError, found: string): Wording {
  switch (error.code) {
    case 'DUPLICATE_KEY':
      return { code: 'duplicate-key', message: 'This key stands twice in the same mapping.', hint: 'Keep one of them.' };
    case 'MULTIPLE_DOCS':
      return { code: 'several-documents', message: 'The text holds more than one document.', hint: 'Keep what stands before the second `---`.' };
    case 'TAB_AS_INDENT':
      return { code: 'yaml-tab', message: 'Tabs cannot indent YAML.', hint: 'Indent with spaces.' };
    case 'BAD_ALIAS':
      return { code: 'yaml-alias', message: 'This alias has no anchor.', hint: 'An alias `*name` needs `&name` before it.' };
    case 'TAG_RESOLVE_FAILED':
      return { code: 'yaml-tag', message: `The tag ${found.split(/\s/, 1)[0]} means nothing here.`, hint: 'Leave it out.' };
    case 'RESOURCE_EXHAUSTION':
      return { code: 'too-deep', message: 'It is nested too deeply.' };
    default:
      return { code: 'yaml-syntax', message: firstSentence(error.message) };
  }
}

function firstSentence(message: string): string {
  const sentence = message.split('\n', 1)[0]?.trim() ?? '';
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
