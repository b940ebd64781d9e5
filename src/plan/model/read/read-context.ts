import { didYouMean } from '../../../ask/suggest.ts';
import { titleize, toSnakeCase } from '../identifier.ts';
import type { Template } from '../model.ts';
import { readTemplate } from '../template.ts';
import { capitalize } from '../../../ask/text.ts';
import type { WholeCube } from './extend-cubes.ts';
import { type Findings, leaveOut, partKey, report, reportError, type Site } from './site.ts';

/** State shared by the readers of a cube's parts. */
export interface ReadContext {
  readonly cube: WholeCube;
  readonly title: string;
  /** Names of all cubes of the model. */
  readonly cubes: ReadonlySet<string>;
  readonly findings: Findings;
  /** Every SQL text that was read, for checks that need the whole model. */
  readonly texts: SqlText[];
}

/** SQL of a model, and its purpose. */
export interface SqlText {
  readonly cube: string;
  /** The member that it defines; undefined for joins. */
  readonly member: string | undefined;
  /** The joined cube; undefined for members. */
  readonly join?: string | undefined;
  /** True if it may refer to measures: only the SQL of measures that are not aggregates. */
  readonly mayHoldMeasures: boolean;
  /** True if it must refer to a measure of another cube. */
  readonly mustHoldMeasure?: boolean;
  /** Name for messages: `the measure's filter`. */
  readonly role: string;
  readonly template: Template;
  readonly site: Site;
}

/** Reads one SQL text. If it is invalid, reports the issues and returns an empty template. */
export function readSql(
  text: string,
  site: Site,
  about: Pick<SqlText, 'member' | 'join' | 'mayHoldMeasures' | 'mustHoldMeasure' | 'role'>,
  context: ReadContext,
): Template {
  if (text.trim() === '') {
    reportError(context.findings, site, 'missing-sql', `The SQL of ${about.role} is empty.`);
    return [];
  }
  const outcome = readTemplate(text, {
    cube: context.cube.name,
    alsoKnownAs: context.cube.ancestors,
    cubes: context.cubes,
    path: site.path,
    values: context.findings.values,
  });
  if (!outcome.ok) {
    const [issue] = outcome.issues;
    if (issue !== undefined && outcome.issues.every(({ code }) => code === 'not-supported')) {
      leaveOut(
        context.findings,
        site,
        partKey(context.cube.name, about.member, about.join),
        partName(about),
        issue.message,
        issue.hint,
      );
    } else {
      report(context.findings, site, outcome.issues);
    }
    return [];
  }
  context.texts.push({ ...about, cube: context.cube.name, template: outcome.value, site });
  return outcome.value;
}

/** Name for messages: `The measure "total"`. A filter is named by its measure. */
export function partName({ role }: Pick<SqlText, 'role'>): string {
  return capitalize(role.replace(/^a filter of /, ''));
}

interface Described {
  readonly name: string;
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly public?: boolean | string | null | undefined;
  readonly shown?: boolean | null | undefined;
}

/** The names of a member of any kind. As in Cube, a member's title follows its cube's title. */
export function readNames(written: Described, context: ReadContext, listed = true) {
  const shortTitle = written.title ?? titleize(written.name);
  return {
    name: written.name,
    title: `${context.title} ${shortTitle}`,
    shortTitle,
    description: written.description ?? undefined,
    public: isListed(written, listed),
  };
}

/** Expressions are not evaluated. */
export function isListed({ public: own, shown }: Pick<Described, 'public' | 'shown'>, usual = true): boolean {
  return typeof own === 'string' ? usual : (own ?? shown ?? usual);
}

/**
 * Reads a known word, also in camelCase; otherwise adds an issue with the nearest one. Calls `leave` if the word
 * resembles none of them.
 */
export function readWord<T extends string>(
  word: string,
  known: readonly T[],
  what: string,
  site: Site,
  findings: Findings,
  leave?: (reason: string) => void,
): T | undefined {
  const snake = toSnakeCase(word);
  const found = known.find((candidate) => candidate === word || candidate === snake);
  if (found !== undefined) return found;
  const near = didYouMean(snake, known);
  if (near === undefined && leave) {
    leave(`"${word}" is not a supported ${what}.`);
    return undefined;
  }
  const hint = near ?? `Use one of ${known.join(', ')}.`;
  reportError(findings, site, 'unknown-type', `"${word}" is not a valid ${what}.`, hint);
  return undefined;
}
