import { invariant } from '../../ask/invariant.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import {
  type AggregateMeasure,
  type Cube,
  type Dimension,
  type LocalZones,
  type Measure,
  type Model,
  type Template,
  type TemplatePart,
  isAggregating,
  isOfModel,
} from '../model/model.ts';
import { isTimeOfProperty } from '../model/property-members.ts';
import { localZoneColumn } from '../model/property-sql.ts';
import type { BoundSwitch, BoundTime, Condition, Plan } from '../plan.ts';
import { type Dialect, eventNumber } from './dialect.ts';
import { boundText, type Expression, joined, name, sql, trusted } from './expression.ts';
import { touchExpression } from './touch-value.ts';
import { type JoinClause, subQueryAlias, subQueryValue } from './statement.ts';

/** The context in which a member's SQL is written. */
export interface MemberScope {
  readonly model: Model;
  readonly dialect: Dialect;
  /** The query's time zone, for dates, and for hours and weekdays inside the SQL of other members. */
  readonly zone?: string | undefined;
  /** Rows outside their ranges are filtered out. */
  readonly times?: readonly BoundTime[] | undefined;
  /** The leading cube of the join; undefined if the query reads no other cube. */
  readonly root?: Cube;
  /** SQL for a condition that replaces the test of the member itself; undefined to test the member. */
  readonly rowAs?: ((condition: Condition) => Expression | undefined) | undefined;
  /** Writes the statement of another plan. */
  readonly statementOf?: ((plan: Plan) => Expression) | undefined;
  /** The names of the cubes whose rows a join repeats. */
  readonly multiplied?: readonly string[] | undefined;
  /** The SQL of a measure that other measures refer to; by default its aggregate. */
  readonly measureAs?: (cube: Cube, measure: Measure) => Expression;
}

/** The alias of a cube is its name, so that statements are readable. */
function aliasOf(cube: Cube): Expression {
  return name(cube.name);
}

/** A template with all references expanded. */
export function expandTemplate(template: Template, cube: Cube, scope: MemberScope): Expression {
  const parts = template.map((part): Expression => {
    switch (part.kind) {
      case 'text':
        return trusted(part.text);
      case 'cube':
        return aliasOf(cube);
      case 'time-of-text':
        return scope.dialect.openTimeOfText(
          part.days ?? scope.zone ?? 'UTC',
          part.local && { zones: part.local.zones, column: localZone(part.local, cube) },
        );
      case 'joined-cube':
        return name(part.cube);
      case 'member':
        return expandMember(part, scope);
      case 'filter':
        invariant(false, "filters stand in the SQL of a cube's rows");
    }
  });
  return joined(parts, '');
}

/** The relation of events has its own name, or none in the function over the values of a list. */
function localZone({ inList }: LocalZones, cube: Cube): Expression {
  return inList ? trusted(localZoneColumn) : sql`${aliasOf(cube)}.${trusted(localZoneColumn)}`;
}

type MemberPart = Extract<TemplatePart, { readonly kind: 'member' }>;

function expandMember({ cube: cubeName, member: memberName, asInstant }: MemberPart, scope: MemberScope): Expression {
  const cube = findCube(scope.model, cubeName);
  const dimension = cube.dimensions.find((candidate) => candidate.name === memberName);
  if (dimension) return (asInstant ? instantExpression : dimensionExpression)(cube, dimension, scope);
  const measure = cube.measures.find((candidate) => candidate.name === memberName);
  if (measure) return scope.measureAs ? scope.measureAs(cube, measure) : measureExpression(cube, measure, scope);
  const segment = cube.segments.find((candidate) => candidate.name === memberName);
  invariant(segment, `${cubeName}.${memberName} was resolved when the model was read`);
  return sql`(${expandTemplate(segment.sql, cube, scope)})`;
}

export function dimensionExpression(cube: Cube, dimension: Dimension, scope: MemberScope): Expression {
  const { expression } = dimension;
  if (expression.kind === 'sql') return enclosed(expandTemplate(expression.sql, cube, scope), expression.sql);
  if (expression.kind === 'sub-query' || expression.kind === 'per-user')
    return name(subQueryAlias(cube, dimension), subQueryValue);
  if (expression.kind === 'touch')
    return touchExpression(cube, expression, dimensionExpression(cube, expression.of, scope));
  if (expression.kind === 'time-part') {
    const instant = scope.dialect.toInstant(expandTemplate(expression.sql, cube, scope), zoneOfDates(cube, scope));
    const zone = expression.zone ?? scope.zone;
    invariant(zone !== undefined, `${cube.name}.${dimension.name} was bound to a time zone`);
    return scope.dialect.partOf(
      scope.dialect.toLocalTime(instant, zone, rangeOf(expression.sql, scope)),
      expression.part,
    );
  }
  if (expression.kind === 'switch') return switchValue({ cube, dimension });
  const label = (text: (typeof expression.when)[number]['label']) =>
    text.kind === 'literal' ? boundText(text.text) : expandTemplate(text.sql, cube, scope);
  const branches = expression.when.map(
    (branch) => sql`WHEN ${expandTemplate(branch.sql, cube, scope)} THEN ${label(branch.label)}`,
  );
  const otherwise = expression.otherwise ? sql` ELSE ${label(expression.otherwise)}` : trusted('');
  return sql`CASE ${joined(branches, ' ')}${otherwise} END`;
}

/** The instant of a time dimension. */
export function instantExpression(cube: Cube, dimension: Dimension, scope: MemberScope): Expression {
  const value = dimensionExpression(cube, dimension, scope);
  const instant = scope.dialect.toInstant(value, zoneOfDates(cube, scope), dimension);
  return isTimeOfProperty(dimension) ? { ...instant, isCostly: true } : instant;
}

/** Dates of a model's table are days of the zone in which the question is asked. */
function zoneOfDates(cube: Cube, { zone = 'UTC' }: MemberScope): string | undefined {
  return isOfModel(cube) ? zone : undefined;
}

/** The range of a query for a time. SQL needs only the zone's offset changes within this range. */
function rangeOf(time: Template, { times = [] }: MemberScope): TimeRange | undefined {
  return times.find(
    ({ dimension: { expression }, shift }) => !shift && expression.kind === 'sql' && expression.sql === time,
  )?.range;
}

/** Encloses a compound expression in parentheses, so that adjacent SQL cannot change its meaning. */
function enclosed(expression: Expression, template: Template): Expression {
  const plain = template.every((part) => part.kind !== 'text' || /^[\w."]*$/.test(part.text));
  return plain ? expression : sql`(${expression})`;
}

/** The measure over one group of rows. */
export function measureExpression(cube: Cube, measure: Measure, scope: MemberScope): Expression {
  if (!isAggregating(measure)) {
    invariant(measure.sql, `${cube.name}.${measure.name} has an expression`);
    return sql`(${expandTemplate(measure.sql, cube, scope)})`;
  }
  const conditions = aggregateConditions(cube, measure, scope);
  if (measure.type !== 'count' || !scope.multiplied?.includes(cube.name))
    return aggregateRows(measure, measureValue(cube, measure, scope), conditions, scope);
  const identity = rowIdentity(cube, scope);
  invariant(identity, `${cube.name} has a primary key, as binding asks for one`);
  const value = measure.sql && measureValue(cube, measure, scope);
  const isCounted = value ? [...conditions, sql`${value} IS NOT NULL`] : conditions;
  return scope.dialect.aggregate({ ...measure, type: 'count_distinct' }, identity, isCounted);
}

export function aggregateRows(
  measure: Measure & AggregateMeasure,
  value: Expression | undefined,
  conditions: readonly Expression[],
  { dialect }: MemberScope,
): Expression {
  const aggregate = dialect.aggregate(measure, value, conditions);
  return measure.emptyIsZero ? sql`coalesce(${aggregate}, 0)` : aggregate;
}

/**
 * The value that a measure aggregates. Counts use the cube's primary key if it has one, so that the empty side of a
 * join is not counted. undefined if every row counts.
 */
export function measureValue(cube: Cube, measure: Measure, scope: MemberScope): Expression | undefined {
  if (measure.sql) return enclosed(expandTemplate(measure.sql, cube, scope), measure.sql);
  return primaryKey(cube, scope);
}

export function measureConditions(cube: Cube, measure: Measure, scope: MemberScope): readonly Expression[] {
  return measure.filters.map((filter) => sql`(${expandTemplate(filter, cube, scope)})`);
}

/**
 * Conditions under which a joined row is aggregated: it contains a row of the cube and passes the measure's own
 * filters.
 */
export function aggregateConditions(cube: Cube, measure: Measure, scope: MemberScope): readonly Expression[] {
  const filters = measureConditions(cube, measure, scope);
  // Columns and keys of a missing row are null and are not counted, but `coalesce({CUBE}.amount, 0)` is not null.
  const mayMakeUp =
    scope.root !== undefined && cube !== scope.root && measure.sql !== undefined && !isColumn(measure.sql);
  const key = mayMakeUp ? primaryKey(cube, scope) : undefined;
  return key ? [sql`${key} IS NOT NULL`, ...filters] : filters;
}

function isColumn([first, second, ...more]: Template): boolean {
  return first?.kind === 'cube' && second?.kind === 'text' && /^\.\w+$/.test(second.text) && more.length === 0;
}

/** One expression that identifies the cube's rows; undefined if the model has no primary key. */
function primaryKey(cube: Cube, scope: MemberScope): Expression | undefined {
  const keys = cube.dimensions
    .filter((dimension) => dimension.primaryKey)
    .map((key) => dimensionExpression(cube, key, scope));
  if (keys.length <= 1) return keys[0];
  // Prefix each part with its length, so that ('a', 'bc') and ('ab', 'c') differ. The key is null if any part is null.
  const texts = keys.map((key) => scope.dialect.toText(key)).map((text) => sql`LENGTH(${text}) || ':' || ${text}`);
  return sql`(${joined(texts, ` || `)})`;
}

/** One expression that tells the cube's rows apart within a statement: the primary key, or the number of the event. */
export function rowIdentity(cube: Cube, scope: MemberScope): Expression | undefined {
  return primaryKey(cube, scope) ?? (cube.source.kind === 'events' ? name(cube.name, eventNumber) : undefined);
}

export function findCube(model: Model, cubeName: string): Cube {
  const cube = model.cubes.find((candidate) => candidate.name === cubeName);
  invariant(cube, `cube ${cubeName} was resolved when the query was bound`);
  return cube;
}

/** The alias of the switch's relation. */
export function switchAlias(cube: { readonly name: string }, dimension: { readonly name: string }): string {
  return `switch: ${cube.name}.${dimension.name}`;
}

/** The value of a switch for each row. */
function switchValue({ cube, dimension }: Pick<BoundSwitch, 'cube' | 'dimension'>): Expression {
  return name(switchAlias(cube, dimension), 'value');
}

/** Repeats all rows for each of the values. Binding ensures that no figure counts a row twice. */
export function switchJoin({ cube, dimension, values }: BoundSwitch): JoinClause {
  const rows = values.map((value) => sql`(${boundText(value)})`);
  return {
    kind: 'INNER',
    source: sql`(SELECT * FROM (VALUES ${joined(rows, ', ')}) AS switched(value))`,
    alias: switchAlias(cube, dimension),
    on: trusted('TRUE'),
  };
}
