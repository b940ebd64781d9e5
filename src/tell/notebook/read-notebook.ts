import { attachSpans, type Locate, type Located } from '../../ask/document/located.ts';
import { offer } from '../../ask/did-you-mean.ts';
import { toSpan } from '../../ask/document/span.ts';
import { nearest } from '../../ask/nearest.ts';
import { bad, errorIssue, settle, warningIssue, type Issue } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import { checkNames } from './check-names.ts';
import { fillParams } from './fill-params.ts';
import { cellKinds, type Block, type Notebook } from './notebook.ts';
import { parseCell, readCell } from './read-cell.ts';
import { readFrontMatter } from './read-front-matter.ts';
import { exampleParams } from './read-param-values.ts';
import { readQuotes } from './read-quotes.ts';
import { findDeepMarkdown, splitMarkdown, type ProsePiece } from './split-markdown.ts';

/** A notebook, and of one with errors what could be read of it, so that what else is wrong can be told with them; undefined where that is nothing. */
export type ReadNotebook = Located<Notebook> & { readonly whatIsThere?: Notebook | undefined };

/**
 * A notebook's text, or all that is wrong with it by itself: its front matter, the YAML of its cells, what its prose quotes and its
 * names. Whether its queries can be asked shows when it is bound (`prepareReport`). Paths lead through `blocks`:
 * `['blocks', 3, 'query', 'filters', 0]`; paths that begin otherwise lead into the front matter. Never throws.
 */
export function readNotebook(text: string, options: { readonly file?: string | undefined } = {}): ReadNotebook {
  const head = readFrontMatter(text);
  const deep = findDeepMarkdown(text, head.frontMatter.source.length);
  if (deep !== undefined) {
    const span = toSpan(text, deep, deep + 1);
    const issue = errorIssue('too-deep', 'The Markdown is nested too deeply.', { span, hint: 'Nest at most 64 quotes and lists.' });
    return { ...bad([issue]), source: text, file: options.file, locate: () => span };
  }
  const pieces = splitMarkdown(text, head.frontMatter.source.length);
  const examples = exampleParams(head.frontMatter.params);
  const { title, description } = head.frontMatter;
  const titles = fillParams({ title, description }, examples.values);
  const issues: Issue[] = [...head.issues, ...attachSpans([...examples.issues, ...titles.issues], head.locate)];
  const locators: Locate[] = [];
  const blocks = pieces.map((piece, index): Block => {
    const source = text.slice(piece.start, piece.end);
    if (piece.kind === 'prose') {
      const read = readQuotes(text, piece.start, piece.texts);
      issues.push(...read.issues, ...likelyCells(text, piece));
      locators.push(() => toSpan(text, piece.start, piece.end));
      return { kind: 'prose', source, quotes: read.quotes };
    }
    const { data, issues: found, locate } = parseCell(text, piece);
    locators.push(locate);
    issues.push(...found);
    if (data !== undefined && !found.some(({ severity }) => severity === 'error')) {
      issues.push(...readCell(piece.cell, data, examples.values).issues.map((issue) => withSpan(issue, index, locate)));
    }
    return { kind: 'cell', cell: piece.cell, source, data };
  });
  const locate: Locate = ([first, index, ...rest], part) => (
    first === 'blocks' && typeof index === 'number' ? locators[index]?.(rest, part) : head.locate([...(first === undefined ? [] : [first]), ...(index === undefined ? [] : [index]), ...rest], part)
  );
  const notebook = { frontMatter: head.frontMatter, blocks };
  issues.push(...checkNames(notebook, examples.values, (index, start, end) => toSpan(text, (pieces[index]?.start ?? 0) + start, (pieces[index]?.start ?? 0) + end)));
  // Where the front matter is broken, its parameters are not known; what names one that stands there may be right.
  const isUnsure = head.issues.some(({ severity }) => severity === 'error');
  const known = isUnsure ? issues.filter((issue) => !namesWhatStands(issue, text, head.frontMatter.source)) : issues;
  return { ...settle(notebook, attachSpans(known, locate)), whatIsThere: notebook, source: text, file: options.file, locate };
}

function withSpan(issue: Issue, index: number, locate: Locate): Issue {
  return { ...issue, path: ['blocks', index, ...issue.path], span: issue.span ?? locate(issue.path, issue.code === 'unknown-key' ? 'key' : 'value') };
}

/** A fence with a word that is nearly the name of a cell, around what looks like one. */
function likelyCells(text: string, { fences }: ProsePiece): readonly Issue[] {
  return fences.flatMap(({ word, start, body }) => {
    const meant = nearest(word, cellKinds);
    if (meant === undefined || !/^(?:query|from|funnel|expect|marks|months?):/m.test(body)) return [];
    const at = text.indexOf(word, start);
    return [warningIssue('no-cell', `${quote(word)} is no kind of cell, so that this is shown as it is.`, { span: toSpan(text, at, at + word.length), hint: offer(meant) })];
  });
}

/** Whether an issue denies a name that is a key of the front matter. */
function namesWhatStands({ code, span, message }: Issue, text: string, frontMatter: string): boolean {
  if (code !== 'unknown-param' && code !== 'unknown-figure') return false;
  const name = /\{\{\s*(\w+)/.exec(text.slice(span?.start, span?.end))?.[1] ?? /"(\w+)/.exec(message)?.[1];
  return name !== undefined && new RegExp(`^\\s*${name}\\s*:`, 'm').test(frontMatter);
}
