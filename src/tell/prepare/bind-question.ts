import type { Locate } from '../../ask/document/located.ts';
import { completeNames } from '../../ask/notation/full-names.ts';
import { bad, badWith, errorIssue, type Issue, type IssuePath, type Outcome, settle } from '../../ask/outcome.ts';
import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import { earlierRange } from '../../ask/query/earlier-range.ts';
import { cubeOf, usualTimeMember } from '../../ask/query/member-name.ts';
import { mergeQuery } from '../../ask/query/merge-query.ts';
import type { CanonicalQuery, DateRangeText, Query, TimeDimension } from '../../ask/query/query.ts';
import type { SavedQuery } from '../../ask/query/saved-query.ts';
import { didYouMean, oneOfHint } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import { readDateRange } from '../../ask/time/read-date-range.ts';
import { readZone } from '../../ask/time/zone.ts';
import type { Column } from '../../plan/column.ts';
import { isNamedBy } from '../../shape/label-columns.ts';
import type { CompareCell, QueryCell } from '../notebook/notebook.ts';
import type { NotebookSurroundings } from '../ports.ts';
import type { PreparedQuestion } from './prepared.ts';

/** Binds the question of a query or compare cell. Issues have paths into the cell; spans are places in its line. */
export async function bindCellQuestion(
  content: QueryCell | CompareCell,
  time: TimeContext,
  surroundings: NotebookSurroundings,
): Promise<Outcome<PreparedQuestion>> {
  const found = await findQuestion(content, surroundings);
  if (!found.ok) return found;
  const { saved, at, locate } = found.value;
  // An analysis is laid out and drawn as the rows of one range.
  const usual = content.cell === 'compare' && saved.table ? undefined : saved;
  const base = layOver(saved, content, time, surroundings);
  const compared = content.cell === 'compare' ? compareWith(base, content, time) : { query: base, issues: [] };
  const bound = await surroundings.bind(compared.query, saved.define);
  const issues = [
    ...compared.issues,
    ...bound.issues.map((issue) => {
      const path = placeOf(issue, content, at, saved.query.filters?.length ?? 0);
      return { ...issue, path, span: path[0] === 'query' ? locate?.(issue.path) : undefined };
    }),
  ];
  const plans = bound.ok ? bound.value : [];
  const [plan, another] = plans;
  if (!plan) return bad(issues);
  issues.push(...unknownNames(content, plan.columns));
  return settle(
    {
      kind: 'question',
      content,
      title: content.title ?? saved.title,
      description: content.description,
      chart: content.chart ?? usual?.chart,
      table: usual?.table,
      question: {
        query: compared.query,
        define: saved.define,
        plans,
        warnings: bound.issues,
        fill: content.fill ?? saved.fill,
        fillWith: content.fillWith ?? saved.fillWith,
      },
      facts: {
        columns: plan.columns,
        isComparison: another !== undefined,
        isWhole: plan.columns.every(({ kind }) => kind === 'measure') && !plan.ungrouped,
        isComplete: compared.query.limit === undefined && plan.offset === 0,
        filtersGroups: plan.groupConditions.length > 0,
      },
    },
    issues,
  );
}

interface FoundQuestion {
  readonly saved: SavedQuery;
  /** Path for issues of the query. */
  readonly at: IssuePath;
  /** Finds the places of a question in one line. */
  readonly locate?: Locate | undefined;
}

async function findQuestion(
  { query, define, from }: QueryCell | CompareCell,
  surroundings: NotebookSurroundings,
): Promise<Outcome<FoundQuestion>> {
  if (typeof query === 'string') {
    const read = await surroundings.readLine(query);
    const issues = read.issues.map((issue) => ({ ...issue, path: ['query'] }));
    return read.ok ? settle({ saved: read.value, at: ['query', 'line'], locate: read.locate }, issues) : bad(issues);
  }
  if (query) return settle({ saved: { query, define }, at: ['query'] }, []);
  const name = from ?? '';
  const saved = await surroundings.savedQuery(name);
  if (saved?.ok) return settle({ saved: saved.value, at: ['from'] }, []);
  if (saved)
    return bad(
      saved.issues.map(({ message, severity, ...issue }) => ({
        ...errorIssue('broken-query', `The saved query ${quote(name)} cannot be used: ${message}`, { path: ['from'] }),
        severity,
        // The events are searched for unknown names.
        ...(issue.name !== undefined && { code: issue.code, name: issue.name }),
      })),
    );
  const names = await surroundings.savedQueryNames();
  return badWith('no-such-query', `There is no saved query ${quote(name)}.`, {
    path: ['from'],
    hint:
      didYouMean(name, names) ?? (names.length === 0 ? 'The workspace has none.' : `Use one of ${names.join(', ')}.`),
  });
}

/** Reports labels and units of columns that the answer does not have. */
function unknownNames(content: QueryCell | CompareCell, columns: readonly Column[]): Issue[] {
  const { labels = {}, units = {} } = content;
  const pivot = 'pivot' in content ? content.pivot : undefined;
  const groups = columns.flatMap(({ key, kind }) => (kind === 'measure' ? [] : [key]));
  const wrongPivot =
    pivot === undefined || columns.some((column) => column.kind !== 'measure' && isNamedBy(column, pivot))
      ? []
      : [
          errorIssue('unknown-label', `${quote(pivot)} in "pivot" is not a dimension or time of the result.`, {
            path: ['pivot'],
            hint: groups.length > 0 ? oneOfHint(pivot, groups) : 'Leave it out, or group by a dimension.',
          }),
        ];
  const wrongNames = Object.entries({ labels, units }).flatMap(([part, names]) =>
    Object.keys(names)
      .filter((name) => !columns.some((column) => isNamedBy(column, name)))
      .map((name) => {
        const known = columns.map(({ key }) => key);
        return errorIssue('unknown-label', `The result has no column ${quote(name)}.`, {
          path: [part, name],
          hint: oneOfHint(name, known),
        });
      }),
  );
  return [...wrongPivot, ...wrongNames];
}

/** Overrides parts of the query with those of the cell. The notebook's zone applies if the query has none. */
function layOver(
  { query }: SavedQuery,
  { range, filters, limit, timezone }: QueryCell | CompareCell,
  time: TimeContext,
  surroundings: NotebookSurroundings,
): CanonicalQuery {
  const cube = cubeOf(query.measures?.[0] ?? query.dimensions?.[0] ?? query.timeDimensions?.[0]?.dimension ?? '');
  const merged = mergeQuery(
    query,
    { range, filters, limit, timezone: timezone ?? query.timezone ?? time.zone },
    surroundings.timeMemberOf?.(cube) ?? usualTimeMember(cube),
  );
  // Names of the cell's conditions may be short.
  return completeNames(merged, surroundings.names ?? {}) as CanonicalQuery;
}

function compareWith(
  query: CanonicalQuery,
  { with: preference }: CompareCell,
  context: TimeContext,
): { readonly query: CanonicalQuery; readonly issues: readonly Issue[] } {
  const asksAlready = query.timeDimensions?.some(({ compareDateRange }) => compareDateRange !== undefined);
  if (asksAlready && preference === undefined) return { query, issues: [] };
  if (asksAlready)
    return {
      query,
      issues: [
        errorIssue('two-comparisons', 'The query already compares ranges.', {
          path: ['with'],
          hint: 'Leave "with" out, or give the query a dateRange.',
        }),
      ],
    };
  const asked = rangeOf(query);
  if (!asked)
    return {
      query,
      issues: [
        errorIssue('no-range', 'A comparison needs a time range.', {
          path: preference === undefined ? [] : ['with'],
          hint: 'Add `range: last month`, for example.',
        }),
      ],
    };
  const zone = readZone(query.timezone ?? context.zone);
  const own = { ...context, zone: zone.ok ? zone.value : context.zone };
  const other = earlierRange(asked.range, preference ?? 'previous', own);
  const read = preference === undefined || other !== preference ? undefined : readDateRange(preference, own);
  if (read && !read.ok)
    return {
      query,
      issues: read.issues.map((issue) => ({
        ...issue,
        path: ['with', ...issue.path],
        hint: issue.hint ?? 'Write previous, a year before, or a range.',
      })),
    };
  return { query: other === undefined ? query : toComparison(query, other), issues: [] };
}

/** Moves issues of a bound query from paths of its canonical form to paths in the cell. */
function placeOf(
  { path, code }: Issue,
  { range, timezone, limit }: QueryCell | CompareCell,
  at: IssuePath,
  ownFilters: number,
): IssuePath {
  const [part, index, key, ...rest] = path;
  if (part === 'define' && at[0] === 'query') return at.length === 1 ? path : at;
  if (part === 'timezone' && timezone !== undefined) return ['timezone'];
  if (part === 'limit' && limit !== undefined) return ['limit'];
  if (part === 'filters' && typeof index === 'number' && index >= ownFilters)
    return ['filters', index - ownFilters, ...(key === undefined ? [] : [key]), ...rest];
  const isFirst = key === 'dateRange' || (key === 'compareDateRange' && rest[0] === 0);
  if ((isFirst || code === 'reversed-range') && range !== undefined) return ['range'];
  return at[0] === 'query' ? [...at, ...path] : at;
}

/** The query without breakdown: the totals of its measures. */
export function toTotalQuery({
  measures,
  formulas,
  timeDimensions = [],
  segments,
  filters,
  timezone,
}: CanonicalQuery): CanonicalQuery {
  const ranges = timeDimensions
    .filter(({ dateRange, compareDateRange }) => dateRange !== undefined || compareDateRange !== undefined)
    .map(({ dimension, dateRange, compareDateRange }): TimeDimension => ({ dimension, dateRange, compareDateRange }));
  return toCanonicalQuery({ measures, formulas, timeDimensions: ranges, segments, filters, timezone });
}

/** The time range of a query: of its first time dimension with a range, or of its first range filter. */
export function rangeOf({
  timeDimensions = [],
  filters = [],
}: CanonicalQuery): { readonly dimension: string; readonly range: DateRangeText } | undefined {
  for (const { dimension, dateRange } of timeDimensions)
    if (dateRange !== undefined) return { dimension, range: dateRange };
  for (const filter of filters) {
    if ('member' in filter && filter.operator === 'inDateRange')
      return { dimension: filter.member, range: (filter.values ?? []).filter((value) => value !== null) };
  }
  return undefined;
}

/** The query for its own range and another one. */
export function toComparison(query: CanonicalQuery, other: DateRangeText): CanonicalQuery {
  const asked = rangeOf(query);
  if (!asked) return query;
  const { dimension, range } = asked;
  const times = query.timeDimensions ?? [];
  const at = times.findIndex((time) => time.dimension === dimension && time.dateRange !== undefined);
  const bare = at === -1 ? times.findIndex((time) => time.dimension === dimension) : at;
  const { dateRange: _, ...time } = times[bare] ?? { dimension };
  const compared: TimeDimension = { ...time, compareDateRange: [range, other] };
  // Move a range in a filter to where ranges are compared.
  const filters = at === -1 ? withoutRange(query.filters ?? [], dimension) : query.filters;
  return toCanonicalQuery({
    ...query,
    filters,
    timeDimensions: bare === -1 ? [...times, compared] : times.with(bare, compared),
  });
}

function withoutRange(filters: NonNullable<Query['filters']>, dimension: string): NonNullable<Query['filters']> {
  const at = filters.findIndex(
    (filter) => 'member' in filter && filter.member === dimension && filter.operator === 'inDateRange',
  );
  return filters.filter((_, index) => index !== at);
}
