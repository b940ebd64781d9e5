import { analysisOfLine } from '../../../ask/analysis-line/read-analysis-line.ts';
import { cubeOf, shortNameOf } from '../../../ask/query/member-name.ts';
import { memberLabel } from '../../../plan/model/member-label.ts';
import { findNamed, type NamedMember } from '../question/find-members.ts';
import type { OpenWorkspace } from './state.ts';

/** An entry of the catalog that can be asked. */
interface CatalogEntry extends NamedMember {
  readonly kind: 'report' | 'saved query' | 'measure' | 'dimension' | 'time' | 'segment';
  /** Its text in a line of notation. */
  readonly written: string;
  /** Full name of a dimension whose values can be looked up. */
  readonly member?: string | undefined;
}

const order = ['report', 'saved query', 'measure', 'time', 'dimension', 'segment'] as const;

/**
 * All entries of the workspace that match the typed text, members of the home cube first. Members without values in any
 * event are listed only with `all`, or once text is typed.
 */
export function catalogEntries(workspace: OpenWorkspace, typed: string, all = true): readonly CatalogEntry[] {
  const { catalog, home, savedQueries, reports, empty } = workspace;
  const members = catalog.names().flatMap((full): readonly CatalogEntry[] => {
    const found = catalog.find(full);
    if (!found) return [];
    const { member } = found;
    const written = cubeOf(full) === home ? shortNameOf(full) : full;
    const isTime = found.kind === 'dimension' && found.member.type === 'time';
    const title = found.kind === 'segment' ? member.title : memberTitle(found.member);
    const thing = { name: written, title, description: member.description ?? '', written };
    if (found.kind !== 'dimension') return [{ ...thing, kind: found.kind }];
    return [{ ...thing, kind: isTime ? 'time' : 'dimension', ...(!isTime && { member: full }) }];
  });
  const rank = (thing: CatalogEntry) =>
    order.indexOf(thing.kind) + (thing.written.includes('.') && thing.kind !== 'saved query' ? order.length : 0);
  const isListed = ({ member }: CatalogEntry) =>
    all || typed.trim() !== '' || member === undefined || !empty?.members.has(member);
  const things: readonly CatalogEntry[] = [
    ...reports.map((name) => named('report', { name }, `:open ${name}`)),
    ...savedQueries.map((query) => named('saved query', query, query.name)),
    ...members,
  ];
  return findNamed(
    things.filter(isListed).toSorted((a, b) => rank(a) - rank(b)),
    typed,
  );
}

function named(
  kind: 'report' | 'saved query',
  { name, title = name, description = '' }: OpenWorkspace['savedQueries'][number],
  written: string,
): CatalogEntry {
  return { kind, name, title, description, written };
}

function memberTitle(member: Parameters<typeof memberLabel>[0]): string {
  return memberLabel(member) ?? member.shortTitle;
}

/** Four example questions that the model supports: saved queries, which `init` writes for what the events have. */
export function firstQuestions({ catalog, home, savedQueries }: OpenWorkspace): readonly string[] {
  const cube = catalog.cube(home);
  const measures = cube?.measures.filter((measure) => measure.public) ?? [];
  const count = measures.find(({ type, filters }) => type === 'count' && filters.length === 0) ?? measures[0];
  const other = measures.find(({ type }) => type === 'count_distinct') ?? measures.find((each) => each !== count);
  const text = cube?.dimensions.find((each) => each.public && each.type === 'string');
  const hasTime = catalog.timeMemberOf(home) !== undefined;
  const made = [
    ...(count && hasTime ? [`${count.name} by day`] : []),
    ...(count && text ? [`${count.name} by ${text.name} top 10`] : []),
    ...(other && hasTime ? [`${other.name} by week`] : []),
    ...(cube?.source.kind === 'events' && analysisOfLine('retention', catalog) ? ['retention by week'] : []),
  ];
  const saved = savedQueries.map(({ name }) => name);
  const [first, rest] = [saved.slice(0, 2), saved.slice(2)];
  return [...first, ...made, ...rest].slice(0, 4);
}
