import { type Locate, toSpan } from '../../ask/document/located.ts';
import { readQueryFlags } from '../../ask/notation/read-flags.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import type { AnalysisName } from '../../plan/analysis/analysis-names.ts';
import { toUsualQuestion } from '../../plan/analysis/computed-cubes.ts';
import type { NamedDefinition } from '../../plan/analysis.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import type { ComputedSource, Cube } from '../../plan/model/model.ts';
import { type Asking, type Question, toQuestion } from '../answer/question.ts';
import { defineIn, type DefinitionText, putDefinition, readInline } from '../workspace/inline-definition.ts';
import { findDefined } from '../workspace/find-defined.ts';
import { unwrap } from '../workspace/refuse.ts';
import type { Session } from '../workspace/session.ts';
import { valueOrThrow } from '../workspace/with-fresh-model.ts';

/** The name or file name of a definition of the workspace, or a definition as an object with the keys of its file. */
export type Definition = string | object;

/** Options for asking a definition. */
export interface AnalysisAsked {
  /** Date range, such as `last 30 days` or `2026-01-01..2026-03-31`. */
  readonly range?: string | undefined;
  /** IANA name of the time zone of periods and days. Defaults to the configured time zone. */
  readonly timezone?: string | undefined;
  /** Conditions that events must also meet: `docHost = www.example.com`. */
  readonly where?: readonly string[] | undefined;
  /** The text that the definition was read from, for error positions. */
  readonly written?: DefinitionText | undefined;
}

/** A session in which a definition can be asked by its name. */
interface DefinedSession {
  readonly session: Session;
  readonly name: string;
}

/** Adds a definition to the session, unless the workspace already has it. Throws `InvalidInputError`. */
export async function withDefinition(
  session: Session,
  analysis: AnalysisName,
  definition: Definition,
  { where = [], written }: Pick<AnalysisAsked, 'where' | 'written'>,
): Promise<DefinedSession> {
  if (typeof definition === 'string' && where.length === 0) return { session, name: definition };
  const found = typeof definition === 'string' ? findDefined(session.model, analysis, definition) : undefined;
  if (found instanceof InvalidInputError) throw found;
  const given = found
    ? (found.source as ComputedSource<NamedDefinition>).definition
    : valueOrThrow(await readInline(analysis, definition as object, written));
  const whole = where.length === 0 ? given : await narrowed(given, where);
  return { session: defineIn(session, await putDefinition(analysis, whole)), name: whole.name };
}

/** Adds conditions to a definition. */
async function narrowed(definition: NamedDefinition, where: readonly string[]): Promise<NamedDefinition> {
  const { readConditionText } = await import('../../ask/analysis/event-match.ts');
  const more = where.map((text) => unwrap(readConditionText(text), 'The condition', { source: `--where "${text}"` }));
  const { where: own = [] } = definition as { readonly where?: readonly unknown[] };
  return { ...definition, where: [...own, ...more] } as NamedDefinition;
}

/**
 * The text of the flags or code that gave a definition, followed by the conditions of `where`, and the positions in it.
 */
function writtenIn(cube: Cube, { where = [], written }: AnalysisAsked): Question['definedIn'] {
  const { where: all = [] } = (cube.source as ComputedSource).definition as { readonly where?: readonly unknown[] };
  let source = written?.source ?? '';
  const spans = where.map((text) => {
    source += `${source === '' ? '' : ' '}--where "${text}"`;
    return toSpan(source, source.length - text.length - 1, source.length - 1);
  });
  if (source === '') return undefined;
  const locate: Locate = ([, , key, index, ...rest], part) => {
    const path = index === undefined ? [key ?? ''] : [key ?? '', index, ...rest];
    const more = key === 'where' ? spans[Number(index) - all.length + where.length] : undefined;
    return more ?? written?.locate(path, part);
  };
  return { text: { source }, locate };
}

/** Asks everything that a definition computes, over the requested range. */
export function askDefinition(analysis: AnalysisName, name: string, asked: AnalysisAsked): Asking {
  const { range, timezone } = asked;
  return (model) => {
    const cube = findDefined(model, analysis, name);
    if (cube instanceof InvalidInputError) return { ok: false, error: cube };
    const { query, chart } = toUsualQuestion(cube);
    const read = readQueryFlags(
      { range, timezone },
      { over: query, members: toCatalog(model), defaultCube: cube.name },
    );
    const question = toQuestion(read, `The ${analysis} ${quote(cube.name)}`);
    if (!question.ok) return question;
    const definedIn = writtenIn(cube, asked);
    return { ok: true, value: { ...question.value, saved: { ...question.value.saved, chart }, definedIn } };
  };
}
