import { attachSpans, type Locate, type Located, toSpan } from '../../ask/document/located.ts';
import { bad, errorIssue, type Issue, type IssuePath, settle, type Span, warningIssue } from '../../ask/outcome.ts';
import { didYouMean, nearest, offer } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { ownName, readFrontMatter } from './front-matter.ts';
import type { Block, Cell, Notebook } from './notebook.ts';
import { type CellKind, cellKinds } from './cell-kinds.ts';
import { exampleParams, fillParams, findParam, type ParamValues, unknownParam } from './params.ts';
import { type FigurePath, readFigurePath, readQuotes } from './quote.ts';
import { parseCell, readCell } from './read-cell.ts';
import { findDeepMarkdown, type ProsePiece, splitMarkdown } from './split-markdown.ts';

/** Cells with figures. */
const answered: readonly CellKind[] = cellKinds.filter((kind) => kind !== 'annotations' && kind !== 'check');

/** The parts of `{{ report.… }}`. */
const ownParts = ['title', 'asOf', 'zone'] as const;

/**
 * Reports duplicate names, and unknown cells and parameters in prose and checks. `spanIn` gives the span of a stretch
 * of a block's source.
 */
function checkNames(
  { blocks }: Notebook,
  params: ParamValues,
  spanIn: (block: number, start: number, end: number) => Span,
): readonly Issue[] {
  const issues: Issue[] = [];
  const named = new Map<string, CellKind>();
  blocks.forEach((block, index) => {
    const name = block.kind === 'cell' ? nameOf(block) : undefined;
    if (block.kind !== 'cell' || name === undefined) return;
    const path = ['blocks', index, 'name'];
    if (named.has(name))
      issues.push(
        errorIssue('name-taken', `Two cells are named ${quote(name)}.`, {
          path,
          hint: 'Give each a different name.',
        }),
      );
    else if (params.has(name) || name === ownName)
      issues.push(
        errorIssue(
          'name-taken',
          `A cell cannot be named ${quote(name)}: ` +
            `${name === ownName ? 'that is the report itself' : 'a parameter has that name'}.`,
          { path, hint: 'Choose another name.' },
        ),
      );
    named.set(name, block.cell);
  });
  const names = [...named].filter(([, kind]) => answered.includes(kind)).map(([name]) => name);

  const check = (path: FigurePath, isProse: boolean): Issue | undefined => {
    if (names.includes(path.name)) return undefined;
    if (isProse && path.name === ownName) return checkOwn(path);
    if (isProse && params.has(path.name))
      return findParam(path.text, params) ? undefined : unknownParam(path.text, params);
    const all = isProse ? [...names, ...params.keys(), ownName] : names;
    const few = all.length === 0 ? 'Add `name:` to the cell: no cell has a name.' : `Use one of ${all.join(', ')}.`;
    return errorIssue('unknown-figure', `There is no ${isProse ? 'cell or parameter' : 'cell'} ${quote(path.name)}.`, {
      hint: didYouMean(path.name, all) ?? few,
    });
  };

  blocks.forEach((block, index) => {
    if (block.kind === 'prose') {
      for (const { path, start, end } of block.quotes) {
        const issue = check(path, true);
        if (issue) issues.push({ ...issue, span: spanIn(index, start, end) });
      }
    } else if (block.cell === 'check') {
      for (const { text, path } of figuresIn(block)) {
        const read = readFigurePath(text);
        const found = read.ok ? check(read.value, false) : read.issues[0];
        if (found) issues.push({ ...found, path: ['blocks', index, ...path] });
      }
    }
  });
  return issues;
}

/** The name of a cell, even if the rest is invalid. */
function nameOf({ data }: Cell): string | undefined {
  const name = data !== null && typeof data === 'object' && 'name' in data ? data.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

function checkOwn({ text, steps }: FigurePath): Issue | undefined {
  if (steps.length === 1 && ownParts.some((part) => part === steps[0])) return undefined;
  return errorIssue('unknown-figure', `There is no ${quote(text)}.`, {
    hint: `Use one of ${ownParts.map((part) => `${ownName}.${part}`).join(', ')}.`,
  });
}

/** The figures that a check names, as written. */
function figuresIn({ data }: Cell): readonly { readonly text: string; readonly path: IssuePath }[] {
  const expect =
    data !== null && typeof data === 'object' && 'expect' in data && Array.isArray(data.expect) ? data.expect : [];
  return expect.flatMap((one: unknown, index) =>
    ['figure', 'every', 'of'].flatMap((key) => {
      const text =
        one !== null && typeof one === 'object' ? (one as Readonly<Record<string, unknown>>)[key] : undefined;
      return typeof text === 'string' && text.trim() !== '' && !(key === 'of' && text === 'previous')
        ? [{ text, path: ['expect', index, key] }]
        : [];
    }),
  );
}

/**
 * A notebook. If there are errors, `whatIsThere` is the part that could be read, to find further issues; undefined if
 * nothing could.
 */
export type ReadNotebook = Located<Notebook> & { readonly whatIsThere?: Notebook | undefined };

/**
 * Reads the text of a notebook, or reports all issues that do not depend on its surroundings: in front matter, the YAML
 * of cells, quotes and names. `prepareReport` checks whether its queries can be asked. Paths go through `blocks`:
 * `['blocks', 3, 'query', 'filters', 0]`; other paths refer to the front matter. Never throws.
 */
export function readNotebook(text: string, options: { readonly file?: string | undefined } = {}): ReadNotebook {
  const head = readFrontMatter(text);
  const deep = findDeepMarkdown(text, head.frontMatter.source.length);
  if (deep !== undefined) {
    const span = toSpan(text, deep, deep + 1);
    const issue = errorIssue('too-deep', 'The Markdown is nested too deeply.', {
      span,
      hint: 'Nest at most 64 quotes and lists.',
    });
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
  const locate: Locate = ([first, index, ...rest], part) =>
    first === 'blocks' && typeof index === 'number'
      ? locators[index]?.(rest, part)
      : head.locate([...(first === undefined ? [] : [first]), ...(index === undefined ? [] : [index]), ...rest], part);
  const notebook = { frontMatter: head.frontMatter, blocks };
  issues.push(
    ...checkNames(notebook, examples.values, (index, start, end) =>
      toSpan(text, (pieces[index]?.start ?? 0) + start, (pieces[index]?.start ?? 0) + end),
    ),
  );
  // If the front matter is broken, its parameters are unknown, so references to them may be valid.
  const isHeadInvalid = head.issues.some(({ severity }) => severity === 'error');
  const known = isHeadInvalid
    ? issues.filter((issue) => !rejectsWrittenKey(issue, text, head.frontMatter.source))
    : issues;
  return {
    ...settle(notebook, attachSpans(known, locate)),
    whatIsThere: notebook,
    source: text,
    file: options.file,
    locate,
  };
}

function withSpan(issue: Issue, index: number, locate: Locate): Issue {
  return {
    ...issue,
    path: ['blocks', index, ...issue.path],
    span: issue.span ?? locate(issue.path, issue.code === 'unknown-key' ? 'key' : 'value'),
  };
}

/** Warns of a fence with nearly the name of a cell, if its content looks like one. */
function likelyCells(text: string, { fences }: ProsePiece): readonly Issue[] {
  return fences.flatMap(({ word, start, body }) => {
    const meant = nearest(word, cellKinds);
    if (meant === undefined || !/^(?:query|from|funnel|expect|marks|months?):/m.test(body)) return [];
    const at = text.indexOf(word, start);
    return [
      warningIssue('no-cell', `${quote(word)} is not a kind of cell, so this block is shown unchanged.`, {
        span: toSpan(text, at, at + word.length),
        hint: offer(meant),
      }),
    ];
  });
}

/** True if an issue rejects a name that is a key of the front matter. */
function rejectsWrittenKey({ code, span, message }: Issue, text: string, frontMatter: string): boolean {
  if (code !== 'unknown-param' && code !== 'unknown-figure') return false;
  const name = /\{\{\s*(\w+)/.exec(text.slice(span?.start, span?.end))?.[1] ?? /"(\w+)/.exec(message)?.[1];
  return name !== undefined && new RegExp(`^\\s*${name}\\s*:`, 'm').test(frontMatter);
}
