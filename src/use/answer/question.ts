import type { Locate, Located } from '../../ask/document/located.ts';
import { readNotation } from '../../ask/notation/read-notation.ts';
import type { Issue } from '../../ask/outcome.ts';
import { defaultCube } from '../../ask/query/member-name.ts';
import type { Query } from '../../ask/query/query.ts';
import type { SavedQuery } from '../../ask/query/saved-query.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import type { Model } from '../../plan/model/model.ts';
import { type DrawnText, valueOf } from '../workspace/refuse.ts';

/** A query on its way to be answered, with what it takes to point at what is wrong with it. */
export interface Question {
  readonly saved: SavedQuery;
  /** What messages call it: `The query in queries/top-pages.yaml`. */
  readonly what: string;
  /** The text that it was read from, if any. */
  readonly text: DrawnText;
  /** Where parts of the query stand in the text. */
  readonly locate: Locate;
  readonly warnings: readonly Issue[];
}

const nowhere: Locate = () => undefined;

/** A question that a program put together. */
export function questionOf(query: Query): Question {
  return { saved: { query }, what: 'The query', text: {}, locate: nowhere, warnings: [] };
}

/** A question in one line, its short names looked up in the model. Throws `InvalidInputError`. */
export function questionInLine(line: string, model: Model): Question {
  return questionInText(readLine(line, model), 'The question');
}

/** A query that was read out of a line or flags. Throws `InvalidInputError`. */
export function questionInText(read: Located<Query>, what: string): Question {
  return { saved: { query: valueOf(read, what, read) }, what, text: { source: read.source, file: read.file }, locate: read.locate, warnings: read.issues };
}

function readLine(line: string, model: Model): Located<Query> {
  return readNotation(line, { members: toCatalog(model), defaultCube: defaultCubeOf(model) });
}

/** Where short names are looked up first. */
export function defaultCubeOf(model: Model): string {
  return (model.cubes.find((cube) => cube.name === defaultCube) ?? model.cubes.find((cube) => cube.public) ?? model.cubes[0])?.name ?? defaultCube;
}
