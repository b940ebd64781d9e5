import { drawIssues } from '../../../ask/document/draw-issue.ts';
import { openScope } from '../../../ask/notation/name-scope.ts';
import { invariant } from '../../../ask/invariant.ts';
import { errorIssue, type Issue } from '../../../ask/outcome.ts';
import { hashQuery, toCanonicalQuery } from '../../../ask/query/canonical-query.ts';
import { cubeOf, defaultCube, shortNameOf } from '../../../ask/query/member-name.ts';
import { eachValue, isPropertyName, readPropertyMember } from '../../../ask/query/property-name.ts';
import type { CanonicalQuery, Filter } from '../../../ask/query/query.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { bind } from '../../../plan/bind/bind.ts';
import { toCatalog } from '../../../plan/model/catalog.ts';
import { eventFields, propertiesMember } from '../../../plan/model/event-fields.ts';
import type { Cube, Dimension, Model } from '../../../plan/model/model.ts';
import type { Plan } from '../../../plan/plan.ts';
import { quoteName, quotePaths, quoteText, textColumns } from '../../duckdb/engine/sql-text.ts';
import { timeOfText } from '../../duckdb/engine/time-expression.ts';

/** The export: rows of a cube by some of its dimensions, with the number of events in each. */
export interface ExportQuery {
  /** The model that has the members of the rows. */
  readonly model: Model;
  /** Full name of the time dimension by which windows are split; the first dimension if it is one of them. */
  readonly time: string;
  /** Full name of the measure that counts events. */
  readonly count: string;
  /** The rows without range, limit and offset, ordered to the last tie. */
  readonly rows: CanonicalQuery;
  /** The columns of the rows in order: the dimensions, then the count. */
  readonly columns: readonly RowColumn[];
  /** Members that a complete export needs and that this export leaves out. */
  readonly missing: readonly string[];
  /** Identifies the rows regardless of the range; see `ExportManifest.query`. */
  readonly hash: string;
}

/** Names are written as in queries: full names, names in the cube, and columns of event files by their own names. */
export interface Selection {
  /** Defaults to `TrackedEvents`. */
  readonly cube?: string | undefined;
  /**
   * Defaults to all dimensions of the cube that are not computed from others, properties and cohorts. Its time and its
   * users are always included.
   */
  readonly dimensions?: readonly string[] | undefined;
  /** Left out even if needed. Without the time or the users, an export is not complete. */
  readonly without?: readonly string[] | undefined;
  readonly filters?: readonly Filter[] | undefined;
  readonly segments?: readonly string[] | undefined;
  /**
   * True if a local engine answers. The default dimensions of a cube of events then include all that reading the rows
   * again needs: the fields that only local engines have, and one column with all properties.
   */
  readonly isLocal?: boolean | undefined;
}

/** The members that identify users, in the names of the documentation and of the newer dashboards. */
const userMembers = ['userAnonymousId', 'userId'] as const;

/**
 * The query of an export. Throws `InvalidInputError` with the code `cube-unknown`, `cube-not-exportable` or
 * `time-in-filter`, or with `invalid-input` and all issues drawn.
 */
export function toExportQuery(given: Model, selection: Selection = {}): ExportQuery {
  const cube = findCube(given, selection.cube ?? defaultCube);
  const isEvents = cube.source.kind === 'events';
  const properties = `${cube.name}.${propertiesMember}`;
  // Rows of a model's own cube have only the fields that it maps.
  const hasProperties = isEvents && !given.events;
  const model = hasProperties ? withProperties(given, cube) : given;
  const full = (name: string) => (name.includes('.') ? name : `${cube.name}.${name}`);
  const time = toCatalog(model).timeMemberOf(cube.name);
  const measure =
    cube.measures.find(({ name, type }) => name === 'count' && type === 'count') ??
    cube.measures.find(({ type, filters }) => type === 'count' && filters.length === 0);
  if (time === undefined || !measure) {
    throw new InvalidInputError(
      `The cube ${quote(cube.name)} cannot be exported: it has no ` +
        `${time === undefined ? 'time dimension for its events' : 'measure that counts its rows'}.`,
      [],
      {
        code: 'cube-not-exportable',
        hint: 'Query it with `sluice query`, or export another cube.',
      },
    );
  }
  const count = `${cube.name}.${measure.name}`;
  const without = new Set((selection.without ?? []).map(full));
  const needed = [time, ...neededUsers(cube)];
  const asked = selection.dimensions
    ? resolveDimensions(selection.dimensions, model, cube)
    : [
        ...cube.dimensions
          .filter((dimension) => isPlain(dimension, selection.isLocal === true && isEvents))
          .map(({ name }) => `${cube.name}.${name}`),
        ...(selection.isLocal && hasProperties ? [properties] : []),
      ];
  const names = [...new Set([...needed, ...asked])].filter((name) => !without.has(name));
  // The time comes first, because rows are in its order.
  const dimensions = names.includes(time) ? names : asked.filter((name) => names.includes(name));
  checkUsed([...without], [...needed, ...asked]);

  const rows = toCanonicalQuery({
    measures: [count],
    dimensions,
    order: dimensions.map((name) => [name, 'asc'] as const),
    timezone: 'UTC',
    ...(selection.filters && { filters: selection.filters }),
    ...(selection.segments && { segments: selection.segments.map(full) }),
  });
  const plan = check(rows, model);
  checkFilters(selection.filters ?? [], plan);
  const columns = plan.columns.map(
    ({ key, type, kind }): RowColumn => ({
      key,
      type: kind === 'measure' ? 'count' : type === 'string' ? 'text' : type,
    }),
  );
  return {
    model,
    time,
    count,
    rows,
    columns,
    missing: needed.filter((name) => without.has(name)),
    hash: hashQuery(rows),
  };
}

/** Fields of events whose dimensions only local engines have. */
const localFields: ReadonlySet<string | undefined> = new Set(
  eventFields.flatMap(({ kept, newer }) => (kept ? [newer] : [])),
);

/**
 * Whether a dimension is exported by default. Earlier questions may have added properties, and cohorts are computed
 * from events, as other dimensions of local engines are from exported ones.
 */
function isPlain({ name, public: isPublic, local, cohort }: Dimension, withLocal: boolean): boolean {
  return isPublic && !cohort && !isPropertyName(name) && (!local || (withLocal && localFields.has(name)));
}

/**
 * The model with a member for all properties of an event as JSON text. In queries, `props` is a column of this name.
 */
function withProperties(model: Model, cube: Cube): Model {
  const member: Dimension = {
    name: propertiesMember,
    title: `${cube.title} Properties`,
    shortTitle: 'Properties',
    type: 'string',
    expression: { kind: 'sql', sql: [{ kind: 'cube' }, { kind: 'text', text: '.further' }] },
    primaryKey: false,
    public: false,
    local: true,
  };
  const cubes = model.cubes.map((each) =>
    each.name === cube.name ? { ...each, dimensions: [...each.dimensions, member] } : each,
  );
  return { ...model, cubes };
}

/** The full names of dimensions. Throws `InvalidInputError` with all issues. */
function resolveDimensions(written: readonly string[], model: Model, cube: Cube): readonly string[] {
  const catalog = toCatalog(model);
  const scope = openScope(cube.name, catalog);
  const issues: Issue[] = [];
  const names = written.flatMap((text): readonly string[] => {
    const isFull = text.includes('.') && catalog.find(text)?.kind === 'dimension';
    const span = { start: 0, end: 0, line: 1, column: 1 };
    const found = isFull ? { name: text, granularity: undefined } : scope.resolve({ text, span }, 'group');
    if (!found) return [];
    if (found.granularity !== undefined)
      issues.push(
        errorIssue('time-not-whole', `${quote(text)} cannot be exported, because an export has whole times.`, {
          hint: 'Remove it. The time of each event is always exported.',
        }),
      );
    const path = readPropertyMember(shortNameOf(found.name))?.path ?? [];
    if (path.includes(eachValue))
      issues.push(
        errorIssue(
          'list-not-exportable',
          `${quote(text)} cannot be exported, because an event can have several values in a list.`,
          {
            hint: `Export the list as a whole: ${quote(path.slice(0, path.indexOf(eachValue)).join('.'))}.`,
          },
        ),
      );
    return [found.name];
  });
  refuse([...scope.issues.map(({ span: _, ...issue }) => issue), ...issues]);
  return names;
}

/** Throws `InvalidInputError` if there are errors. Warnings are about parts of the query that nobody wrote. */
function refuse(issues: readonly Issue[]): void {
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  throw new InvalidInputError(`This cannot be exported.\n${drawIssues(errors, {})}`, errors);
}

function findCube(model: Model, name: string): Cube {
  const catalog = toCatalog(model);
  const cube = catalog.cube(name);
  if (cube) return cube;
  const listed = model.cubes.filter((each) => each.public).map((each) => each.name);
  throw new InvalidInputError(`There is no cube ${quote(name)}.`, [], {
    code: 'cube-unknown',
    hint: `Use one of ${listed.join(', ')}.`,
  });
}

/** The anonymous user if the cube has it, otherwise the known user. */
function neededUsers({ name, dimensions }: Cube): readonly string[] {
  const found = userMembers.find((member) =>
    dimensions.some((dimension) => dimension.name === member && dimension.public),
  );
  return found === undefined ? [] : [`${name}.${found}`];
}

function checkUsed(without: readonly string[], selected: readonly string[]): void {
  const strange = without.find((name) => !selected.includes(name));
  if (strange === undefined) return;
  throw new InvalidInputError(`${quote(strange)} cannot be left out, because it is not exported.`, [], {
    code: 'member-not-selected',
    hint: '`sluice model` lists the members of each cube.',
  });
}

function check(rows: CanonicalQuery, model: Model): Plan {
  // The present does not matter, because the query has no relative ranges.
  const bound = bind(rows, model, { now: 0, zone: 'UTC', limits: 'local' });
  refuse(bound.issues);
  invariant(bound.ok, 'a query without errors is bound');
  return bound.value[0]!;
}

/** The windows select the time. Relative ranges in filters would change every day. */
function checkFilters(filters: readonly Filter[], plan: Plan): void {
  for (const filter of filters) {
    if ('and' in filter) checkFilters(filter.and, plan);
    else if ('or' in filter) checkFilters(filter.or, plan);
    else {
      const cube = plan.model.cubes.find(({ name }) => name === cubeOf(filter.member));
      const member = cube?.dimensions.find(({ name }) => name === shortNameOf(filter.member));
      if (member?.type !== 'time' && member !== undefined) continue;
      throw new InvalidInputError(`An export cannot be filtered by ${quote(filter.member)}.`, [], {
        code: 'time-in-filter',
        hint: 'Filter by other dimensions. Use the range for time. Measures cannot be filtered.',
      });
    }
  }
}

/** A member of exported rows. In rows, its values are text or null, whatever its type. */
export interface RowColumn {
  /** The member: `TrackedEvents.docPath`. */
  readonly key: string;
  /** `count`: the number of events of a row. */
  readonly type: 'text' | 'time' | 'number' | 'boolean' | 'count';
}

/** A relation of the rows of spool files in order, with every value as text. Other fields are ignored. */
export function readRows(files: readonly string[], columns: readonly RowColumn[]): string {
  return `read_json(${quotePaths(files)}, format = 'newline_delimited', records = true,
    compression = 'uncompressed', hive_partitioning = false,
    columns = ${textColumns(columns.map(({ key }) => key))})`;
}

/** Marks the engine's error about a value that does not fit its column. The key and the value follow. */
export const unfitMark = 'sluice cannot type ';

/** The value of a column in its Parquet type. The statement fails if a value would change. */
export function typedValue({ key, type }: RowColumn): string {
  const text = quoteName(key);
  const typed = typedText(type, text);
  if (typed === undefined) return text;
  return `CASE WHEN ${text} IS NOT NULL THEN coalesce(${typed}, error(${quoteText(`${unfitMark}${key}: `)} || ${text})) END`;
}

function typedText(type: RowColumn['type'], text: string): string | undefined {
  switch (type) {
    case 'text':
      return undefined;
    case 'time':
      return `CASE WHEN length(${text}) > 26 AND regexp_matches(${text}, '[.][0-9]{6}[0-9]*[1-9]') THEN NULL ELSE ${timeOfText(text)} END`;
    case 'number':
      return `CASE WHEN length(${text}) <= 15
        OR TRY_CAST(${text} AS DECIMAL(38, 9))
        IS NOT DISTINCT FROM TRY_CAST(TRY_CAST(${text} AS DOUBLE) AS DECIMAL(38, 9))
        THEN TRY_CAST(${text} AS DOUBLE) END`;
    case 'boolean':
      return `TRY_CAST(${text} AS BOOLEAN)`;
    case 'count':
      return `TRY_CAST(${text} AS BIGINT)`;
  }
}
