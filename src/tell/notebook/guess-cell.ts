import { valueAt } from '../../ask/document/located.ts';
import { keysOf, readValue } from '../../ask/document/read-value.ts';
import type { Issue, IssuePath } from '../../ask/outcome.ts';
import { querySchema } from '../../ask/query/query-schema.ts';
import { nearest } from '../../ask/suggest.ts';
import type { CellContent } from './notebook.ts';
import type { CellKind } from './cell-kinds.ts';
import { fillParams, type ParamValues } from './params.ts';
import { cellSchemas } from './cell-schemas.ts';

/** What is left of a cell with mistakes when these are passed over. */
export interface GuessedCell {
  readonly content: CellContent;
  /** Nothing was passed over but unknown keys; those that are nearly known ones were read as these. */
  readonly sure: boolean;
  /** What shows only behind the cell's first mistakes. */
  readonly issues: readonly Issue[];
  /** Where a part of the content stands in the cell as it was written. */
  readonly toWritten: (path: IssuePath) => IssuePath;
}

interface Rename {
  /** Where its mapping stands in the content. */
  readonly at: IssuePath;
  readonly written: string;
  readonly known: string;
}

/**
 * A cell that cannot be used as what it most likely means, so that what is wrong with the rest of it can be told in
 * the same go.
 * Undefined where nothing is left to say something of.
 */
export function guessCell(cell: CellKind, data: unknown, params: ParamValues): GuessedCell | undefined {
  const filled = fillParams(data, params);
  const guess = structuredClone(filled.data);
  const renames: Rename[] = [];
  const later: Issue[] = [];
  let sure = filled.issues.length === 0;
  const toWritten = (path: IssuePath) => renames.reduceRight(undoRename, path);
  for (const { path } of filled.issues) if (!prune(guess, path)) return undefined;
  // Each round takes something away, so that there is a last one.
  for (let round = 0; ; round += 1) {
    const outcome = readValue(guess, cellSchemas[cell]);
    if (outcome.ok) return { content: { cell, ...outcome.value } as CellContent, sure, issues: later, toWritten };
    const unknown = outcome.issues.filter(({ code }) => code === 'unknown-key');
    // While keys are unknown, what else is wrong may only follow from that.
    if (round > 0 && sure)
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
    sure = false;
    if (!first || !prune(guess, first.path)) return undefined;
  }
}

/** Gives an unknown key the name that was meant, where there is one and it is free. */
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

/** Takes away the part at a path, or the smallest part around it that can be. False: that would be all. */
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
