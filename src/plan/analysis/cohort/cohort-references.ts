import { toDefinitionSlug } from '../../../ask/analysis/definition-slug.ts';
import { allRules, type Cohort, type CohortRule } from '../../../ask/cohort/cohort.ts';
import { countedWords, type Funnel } from '../../../ask/funnel/funnel.ts';
import { errorIssue, type Issue } from '../../../ask/outcome.ts';
import { isCohortName } from '../../../ask/query/member-name.ts';
import type { Filter } from '../../../ask/query/query.ts';
import { didYouMean } from '../../../ask/suggest.ts';
import { quote } from '../../../ask/text.ts';
import type { ComputedSource, Cube, Model } from '../../model/model.ts';
import { isFunnelCube } from '../funnel/funnel-analysis.ts';
import { isCohortCube } from './cohort-members.ts';

/** The cohorts and funnels of a model, by name. */
interface KnownDefinitions {
  readonly cohorts: ReadonlyMap<string, Cube & { readonly source: ComputedSource<Cohort> }>;
  readonly funnels: ReadonlyMap<string, Cube & { readonly source: ComputedSource<Funnel> }>;
}

export function knownDefinitions({ cubes }: Pick<Model, 'cubes'>): KnownDefinitions {
  return {
    cohorts: new Map(cubes.filter(isCohortCube).map((cube) => [cube.name, cube])),
    funnels: new Map(cubes.filter(isFunnelCube).map((cube) => [cube.name, cube])),
  };
}

/** The names of the cohorts that a rule refers to, directly or through filters and funnels. */
function cohortsIn(rule: CohortRule, { funnels }: KnownDefinitions): readonly string[] {
  if (rule.kind === 'cohort') return [rule.name];
  if (rule.kind === 'did') return rule.match.where.flatMap(cohortsNamedBy);
  if (rule.kind !== 'reached') return [];
  const { where = [], steps = [], exclude = [] } = funnels.get(rule.funnel)?.source.definition ?? {};
  return [...where, ...[...steps, ...exclude].flatMap((match) => match.where)].flatMap(cohortsNamedBy);
}

function cohortsNamedBy(filter: Filter): readonly string[] {
  if ('and' in filter) return filter.and.flatMap(cohortsNamedBy);
  if ('or' in filter) return filter.or.flatMap(cohortsNamedBy);
  if (!isCohortName(filter.member)) return [];
  const name = filter.member.split('.')[2];
  return name === undefined ? (filter.values ?? []).map((value) => toDefinitionSlug(String(value))) : [name];
}

/**
 * The first cycle that leads from a rule of a cohort back to the cohort, such as `a`, `b`, `a`. Undefined if there is
 * none.
 */
function findCircle(cohort: Cohort, from: CohortRule, known: KnownDefinitions): readonly string[] | undefined {
  const left = new Set<string>();
  const follow = (rule: CohortRule, way: readonly string[]): readonly string[] | undefined => {
    for (const name of cohortsIn(rule, known)) {
      if (name === cohort.name) return [...way, name];
      const next = known.cohorts.get(name)?.source.definition;
      if (!next || left.has(name)) continue;
      left.add(name);
      for (const one of allRules(next.rule)) {
        const circle = follow(one, [...way, name]);
        if (circle) return circle;
      }
    }
    return undefined;
  };
  return follow(from, [cohort.name]);
}

/** Issues for unknown names in a cohort, and for a cycle that contains it. Paths lead into its file. */
export function checkReferences(cohort: Cohort, known: KnownDefinitions): readonly Issue[] {
  const issues: Issue[] = [];
  const unknown = (code: string, message: string, path: Issue['path'], word: string, names: readonly string[]) =>
    issues.push(
      errorIssue(code, message, {
        path,
        hint: didYouMean(word, names) ?? (names.length === 0 ? undefined : `Use one of ${names.join(', ')}.`),
      }),
    );
  for (const rule of allRules(cohort.rule)) {
    const circle = findCircle(cohort, rule, known);
    if (circle)
      issues.push(
        errorIssue('cohort-circle', `The cohort refers to itself: ${circle.join(' → ')}.`, {
          path: rule.path,
          hint: 'Remove one of these references.',
        }),
      );
    if (rule.kind === 'cohort' && !known.cohorts.has(rule.name))
      unknown('unknown-cohort', `There is no cohort ${quote(rule.name)}.`, rule.path, rule.name, [
        ...known.cohorts.keys(),
      ]);
    if (rule.kind !== 'reached') continue;
    const funnel = known.funnels.get(rule.funnel)?.source.definition;
    if (!funnel) {
      const path = [...rule.path, 'funnel'];
      unknown('unknown-funnel', `There is no funnel ${quote(rule.funnel)}.`, path, rule.funnel, [
        ...known.funnels.keys(),
      ]);
      continue;
    }
    if (funnel.by === 'session' || funnel.follow !== undefined)
      issues.push(
        errorIssue(
          'funnel-of-sessions',
          `The funnel ${quote(funnel.name)} follows ${countedWords(funnel).many}, not users.`,
          {
            path: [...rule.path, 'funnel'],
            hint: 'Name a funnel that follows users.',
          },
        ),
      );
    if (stepIndex(rule.step, funnel) === undefined)
      unknown(
        'unknown-step',
        `The funnel ${quote(funnel.name)}` +
          ` has no step ${typeof rule.step === 'number' ? rule.step : quote(rule.step ?? '')}.`,
        [...rule.path, 'step'],
        String(rule.step),
        funnel.steps.map(({ name }) => name),
      );
  }
  return issues;
}

/** Number of a step, from 1; undefined if there is no such step. */
export function stepIndex(step: string | number | undefined, { steps }: Pick<Funnel, 'steps'>): number | undefined {
  if (step === undefined) return steps.length;
  if (typeof step === 'number') return step <= steps.length ? step : undefined;
  const index = steps.findIndex(({ name }) => name === step);
  return index < 0 ? undefined : index + 1;
}
