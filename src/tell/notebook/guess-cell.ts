import { valueAt } from '../../ask/document/located.ts';
import { keysOf } from '../../ask/document/read-value.ts';
import type { NotationOptions } from '../../ask/notation/read-notation.ts';
import type { Issue, IssuePath } from '../../ask/outcome.ts';
import { querySchema } from '../../ask/query/query-schema.ts';
import { nearest } from '../../ask/suggest.ts';
import type { CellContent } from './notebook.ts';
import type { CellKind } from './cell-kinds.ts';
import { fillParams, type ParamValues } from './params.ts';
import { cellSchemas } from './cell-schemas.ts';
import { readContent } from './read-cell.ts';

/** The rest of a cell with mistakes, without the mistaken parts. */
export interface GuessedCell {
  readonly content: CellContent;
  /** Only unknown keys were ignored. Keys that nearly match a known one were read as it. */
  readonly isCertain: boolean;
  /** Issues found only after the first ones were ignored. */
  readonly issues: readonly Issue[];
  /** Maps a path in the content to the path in the cell as written. */
  readonly toWritten: (path: IssuePath) => IssuePath;
}

interface Rename {
  /** Path of its mapping in the content. */
  readonly at: IssuePath;
  readonly written: string;
  readonly known: string;
}

/**
 * Guesses the content of an invalid cell, so that its other issues can be reported in the same run. Undefined if
 * nothing remains to check.
 */
export function guessCell(
  cell: CellKind,
  data: unknown,
  params: ParamValues,
  names: NotationOptions = {},
): GuessedCell | undefined {
  const filled = fillParams(data, params);
  const guess = structuredClone(filled.data);
  const renames: Rename[] = [];
  const later: Issue[] = [];
  let isCertain = filled.issues.length === 0;
  const toWritten = (path: IssuePath) => renames.reduceRight(undoRename, path);
  for (const { path } of filled.issues) if (!prune(guess, path)) return undefined;
  // Each round removes a part, so the loop ends.
  for (let round = 0; ; round += 1) {
    const outcome = readContent(cell, guess, names);
    if (outcome.ok) return { content: outcome.value, isCertain, issues: later, toWritten };
    const unknown = outcome.issues.filter(({ code }) => code === 'unknown-key');
    // Other issues may only follow from unknown keys.
    if (round > 0 && isCertain)
      later.push(
        ...(unknown.length > 0 ? unknown : outcome.issues).map((issue) => ({ ...issue, path: toWritten(issue.path) })),
      );
    for (const { path } of unknown) {
      const rename = renameKey(guess, path, cell);
      if (rename) renames.push(rename);
      else if (!prune(guess, path)) return undefined;
    }
    const [first] = outcome.issues;
    if (unknown.length > 0) continue;
    isCertain = false;
    if (!first || !prune(guess, first.path)) return undefined;
  }
}

/** Renames an unknown key to the likely one, if it is free. */
function renameKey(data: unknown, path: IssuePath, cell: CellKind): Rename | undefined {
  const at = path.slice(0, -1);
  const written = path.at(-1);
  const mapping = valueAt(data, at);
  const keys =
    at.length === 0
      ? keysOf(cellSchemas[cell])
      : at.length === 1 && at[0] === 'query'
        ? keysOf(querySchema)
        : undefined;
  if (typeof written !== 'string' || !keys || !isMapping(mapping)) return undefined;
  const known = nearest(
    written,
    keys.filter((key) => !Object.hasOwn(mapping, key)),
  );
  if (known === undefined) return undefined;
  mapping[known] = mapping[written];
  delete mapping[written];
  return { at, written, known };
}

function undoRename(path: IssuePath, { at, written, known }: Rename): IssuePath {
  const isBelow = path[at.length] === known && at.every((step, index) => path[index] === step);
  return isBelow ? path.with(at.length, written) : path;
}

/** Removes the part at a path, or the smallest removable part around it. False if that would be everything. */
function prune(data: unknown, path: IssuePath): boolean {
  if (path.length === 0) return false;
  const above = path.slice(0, -1);
  const key = String(path.at(-1));
  const mapping = valueAt(data, above);
  if (!isMapping(mapping) || !Object.hasOwn(mapping, key)) return prune(data, above);
  delete mapping[key];
  return true;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
