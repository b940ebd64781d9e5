import { errorIssue, type Issue } from '../outcome.ts';
import { toSpan } from './span.ts';

/** Whether a text means to be JSON: it begins with a bracket. */
export function looksLikeJson(text: string): boolean {
  return /^\ufeff?\s*[{[]/.test(text);
}

/**
 * The first bracket or quote that spoils a broken JSON text: one that is not closed, one that is closed by another
 * kind, or one that closes nothing. Undefined where all of them match.
 */
export function toBracketIssue(text: string): Issue | undefined {
  const open: { readonly at: number; readonly closer: string }[] = [];
  for (const { 0: found, index, groups } of text.matchAll(tokens)) {
    if (found.startsWith('"')) {
      if (groups?.['close'] === undefined) {
        return errorIssue('unclosed-quote', 'This quote is not closed.', { span: toSpan(text, index, index + found.length), hint: 'Write " behind the text.' });
      }
    } else if (found === '{' || found === '[') {
      open.push({ at: index, closer: found === '{' ? '}' : ']' });
    } else {
      const last = open.pop();
      if (last?.closer !== found) return wrongCloser(text, index, last);
    }
  }
  const last = open.at(-1);
  if (!last) return undefined;
  const missing = open.map(({ closer }) => closer).toReversed().join('');
  const hint = `Write ${missing.length > 20 ? `the ${missing.length} missing brackets` : missing} at the end.`;
  return errorIssue('unclosed-bracket', 'This bracket is not closed.', { span: toSpan(text, last.at, last.at + 1), hint });
}

/** Texts in quotes, which end at the line's end at the latest, and brackets outside of them. */
const tokens = /"(?:[^"\\\r\n]|\\[^\r\n])*(?<close>")?|[{}[\]]/g;

function wrongCloser(text: string, at: number, last: { readonly at: number; readonly closer: string } | undefined): Issue {
  const span = toSpan(text, at, at + 1);
  if (!last) return errorIssue('unopened-bracket', `This ${text[at]} closes nothing.`, { span, hint: 'Leave it out.' });
  const { line, column } = toSpan(text, last.at, last.at + 1);
  const message = `The ${text[last.at]} of line ${line}, column ${column} is not closed before this ${text[at]}.`;
  return errorIssue('unclosed-bracket', message, { span, hint: `Write ${last.closer} before it.` });
}
