import { isPlainObject } from '../../ask/document/check-argument.ts';
import { attachSpans, type Locate, toSpan } from '../../ask/document/located.ts';
import { parseYaml } from '../../ask/document/parse-yaml.ts';
import { readValue } from '../../ask/document/read-value.ts';
import { completeNames } from '../../ask/notation/full-names.ts';
import type { NotationOptions } from '../../ask/notation/read-notation.ts';
import { bad, errorIssue, good, type Issue, type Outcome } from '../../ask/outcome.ts';
import { isFilterValue } from '../../ask/query/query-schema.ts';
import { shiftBy } from './front-matter.ts';
import type { CellKind } from './cell-kinds.ts';
import { cellSchemas } from './cell-schemas.ts';
import type { CellContent } from './notebook.ts';
import { fillParams, type ParamValues } from './params.ts';
import type { CellPiece } from './split-markdown.ts';

interface ParsedCell {
  /** Parameters are not filled in. Undefined if the YAML is invalid. */
  readonly data: unknown;
  readonly issues: readonly Issue[];
  /** Spans refer to the whole text. */
  readonly locate: Locate;
}

/** Parses the YAML of a cell. */
export function parseCell(text: string, { cell, bodyStart, bodyEnd, start, end, closed }: CellPiece): ParsedCell {
  const body = text.slice(bodyStart, bodyEnd);
  const shift = shiftBy(text, bodyStart);
  const parsed = parseYaml(body, { asWritten: isFilterValue });
  const fence = toSpan(text, start, text.slice(start, end).search(/\r?\n|$/) + start);
  const locate: Locate = (path, part) => shift(parsed.locate(path, part)) ?? fence;
  const open = closed
    ? []
    : [
        errorIssue('unclosed-cell', `This ${cell} cell is not closed.`, {
          span: fence,
          hint: 'Write the same fence on a separate line after it.',
        }),
      ];
  if (parsed.ok)
    return {
      data: parsed.value,
      issues: [
        ...open,
        ...attachSpans(parsed.issues, parsed.locate).map((issue) => ({ ...issue, span: shift(issue.span) })),
      ],
      locate,
    };
  const isEmpty = parsed.issues.every(({ code }) => code === 'empty-document');
  // Only usage has no required keys.
  if (isEmpty)
    return {
      data: {},
      issues:
        cell === 'usage'
          ? open
          : [...open, errorIssue('empty-document', `This ${cell} cell is empty.`, { span: fence })],
      locate,
    };
  return {
    data: undefined,
    issues: [...open, ...explainBraces(parsed.issues, body).map((issue) => ({ ...issue, span: shift(issue.span) }))],
    locate,
  };
}

/** In YAML, an unquoted `{{` begins a mapping, and the parser's message would mislead. */
function explainBraces(issues: readonly Issue[], body: string): readonly Issue[] {
  const seen = new Set<number>();
  return issues.flatMap((issue) => {
    const { span } = issue;
    if (!span) return [issue];
    const lineStart = body.lastIndexOf('\n', span.start - 1) + 1;
    const line = /^[^\n]*/.exec(body.slice(lineStart))?.[0] ?? '';
    const brace = /\{\{[^{}]*\}\}/.exec(line);
    if (!brace) return [issue];
    if (seen.has(lineStart)) return [];
    seen.add(lineStart);
    const at = lineStart + brace.index;
    return [
      errorIssue('param-unquoted', 'A parameter must be in quotes in YAML.', {
        path: issue.path,
        span: toSpan(body, at, at + brace[0].length),
        hint: `Write "${brace[0]}".`,
      }),
    ];
  });
}

/**
 * Reads the content of a cell with parameters filled in. Issues have paths into its data. `names` resolve short names;
 * without them, any name is accepted.
 */
export function readCell(
  cell: CellKind,
  data: unknown,
  params: ParamValues,
  names: NotationOptions = {},
): Outcome<CellContent> {
  const filled = fillParams(data, params);
  // An unknown parameter has no value, but other issues can still be reported.
  const outcome = readContent(cell, filled.data, names);
  if (filled.issues.length > 0)
    return bad([
      ...filled.issues,
      ...outcome.issues.filter((issue) => !filled.issues.some(({ path }) => isSame(path, issue.path))),
    ]);
  return outcome;
}

/** Reads the content of a cell. Names in its query may be short, as in a query file; so may those in its conditions. */
export function readContent(cell: CellKind, data: unknown, names: NotationOptions): Outcome<CellContent> {
  if (cell === 'query' && typeof data === 'string')
    return bad([
      errorIssue('wrong-type', 'A query cell has YAML, and the question is under `query`.', {
        path: [],
        hint: `Write \`query: ${data.split('\n', 1)[0]}\`.`,
      }),
    ]);
  const outcome = readValue(withWholeNames(data, names), cellSchemas[cell]);
  return outcome.ok ? good({ cell, ...outcome.value } as CellContent, outcome.issues) : outcome;
}

function withWholeNames(data: unknown, names: NotationOptions): unknown {
  if (!isPlainObject(data) || !isPlainObject(data['query'])) return data;
  return { ...data, query: completeNames(data['query'], names) };
}

function isSame(one: Issue['path'], other: Issue['path']): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}
