import type { Formula } from '../../../ask/notation/formula.ts';
import { readFormula } from '../../../ask/notation/parse-formula.ts';
import { cubeOf, shortNameOf } from '../../../ask/query/member-name.ts';
import type { CanonicalFilter, CanonicalQuery } from '../../../ask/query/query.ts';
import type { Catalog } from '../../../plan/model/catalog.ts';
import { memberLabel } from '../../../plan/model/member-label.ts';
import type { Cube, Measure, Template } from '../../../plan/model/model.ts';
import { emptyLast } from '../complete/rank-candidates.ts';
import { findNamed, type NamedMember } from './find-members.ts';
import type { DrillBy, DrillFacts } from '../../answer/drill-down.ts';

export interface DrillChoice extends NamedMember {
  readonly by: DrillBy;
}

/** Ways to drill into a figure, filtered by the typed text: time, the events, every dimension that is not fixed yet. */
export function drillChoices(
  { query }: DrillFacts,
  catalog: Catalog,
  typed: string,
  empty: ReadonlySet<string> = new Set(),
): readonly DrillChoice[] {
  const home = cubeOf((query.measures ?? query.dimensions ?? [])[0] ?? '');
  const fixed = new Set(query.dimensions);
  const all = catalog.names('dimension');
  const names = joinedOnce(home, catalog).flatMap((cube) => all.filter((name) => cubeOf(name) === cube));
  const members = emptyLast(names, empty).flatMap((name): readonly DrillChoice[] => {
    const found = catalog.find(name);
    if (found?.kind !== 'dimension' || fixed.has(name)) return [];
    const { member } = found;
    if (member.type === 'time') return [];
    return [
      {
        by: { kind: 'member', member: name },
        name: cubeOf(name) === home ? shortNameOf(name) : name,
        title: memberLabel(member) ?? member.shortTitle,
        description: member.description ?? '',
      },
    ];
  });
  const own: readonly DrillChoice[] = [
    ...(query.measures
      ? [{ by: { kind: 'time' } as const, name: 'time', title: 'Over time', description: 'The next finer buckets.' }]
      : []),
    { by: { kind: 'rows' }, name: 'events', title: 'Events', description: 'The rows themselves, the latest first.' },
  ];
  return findNamed([...own, ...(query.measures ? members : [])], typed);
}

/** A cube and those that give each of its rows at most one row: orders have a customer, who has a country. */
function joinedOnce(home: string, catalog: Catalog): readonly string[] {
  const names = [home];
  for (const name of names)
    for (const { cube, relationship } of catalog.cube(name)?.joins ?? [])
      if (relationship !== 'one_to_many' && !names.includes(cube) && catalog.cube(cube)?.public) names.push(cube);
  return names;
}

/**
 * The conditions of the rows that the measures count, as filters on members. Returns undefined if members cannot
 * express them, or if the measures count different rows.
 */
export function countedRows(
  { measures = [], formulas = {} }: Pick<CanonicalQuery, 'measures' | 'formulas'>,
  catalog: Catalog,
): readonly CanonicalFilter[] | undefined {
  const ofMeasure = (name: string) => {
    const found = catalog.find(name);
    return found?.kind === 'measure' ? toConditions(found.cube, found.member) : undefined;
  };
  /** The conditions of each measure of a formula, with those of its own. */
  const ofFormula = (formula: Formula): readonly (readonly CanonicalFilter[] | undefined)[] => {
    if (formula.kind === 'where')
      return ofFormula(formula.of).map((conditions) => conditions && [...conditions, ...formula.where]);
    if (formula.kind === 'measure') return [formula.change ? undefined : ofMeasure(formula.name)];
    if (formula.kind === 'negative') return ofFormula(formula.of);
    return formula.kind === 'operation' ? [formula.left, formula.right].flatMap(ofFormula) : [];
  };
  const conditions = measures.flatMap((name) => {
    const read = formulas[name] === undefined ? undefined : readFormula(formulas[name], cubeOf(name));
    if (!read) return [ofMeasure(name)];
    return read.ok ? ofFormula(read.value) : [undefined];
  });
  const [first] = conditions;
  return first && conditions.every((each) => each && JSON.stringify(each) === JSON.stringify(first))
    ? first
    : undefined;
}

/** Supports only filters such as `{CUBE}.event_type = 'pageview'` on the column of a dimension. */
function toConditions(
  cube: Cube,
  { filters, type, stage, rollingWindow }: Measure,
): readonly CanonicalFilter[] | undefined {
  if (stage || rollingWindow || ['number', 'string', 'boolean', 'time'].includes(type)) return undefined;
  const conditions: CanonicalFilter[] = [];
  for (const filter of filters) {
    const [, column, value] = /^(\.\w+)\s*=\s*'((?:[^']|'')*)'$/.exec(ownText(filter) ?? '') ?? [];
    const dimension = cube.dimensions.find(
      ({ expression }) => column !== undefined && expression.kind === 'sql' && ownText(expression.sql) === column,
    );
    if (!dimension || value === undefined) return undefined;
    conditions.push({
      member: `${cube.name}.${dimension.name}`,
      operator: 'equals',
      values: [value.replaceAll("''", "'")],
    });
  }
  return conditions;
}

/** The text after a reference to the cube itself. */
function ownText(template: Template): string | undefined {
  const [cube, text, ...others] = template;
  return cube?.kind === 'cube' && text?.kind === 'text' && others.length === 0 ? text.text : undefined;
}
