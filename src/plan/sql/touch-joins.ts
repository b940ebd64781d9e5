import { invariant } from '../../ask/invariant.ts';
import { readTouchName } from '../../ask/query/touch-name.ts';
import { userKeyColumn } from '../model/event-fields.ts';
import type { Cube } from '../model/model.ts';
import { type Expression, name, sql, trusted } from './expression.ts';
import { dimensionExpression, type MemberScope } from './member-expression.ts';
import { printSelect } from './print-statement.ts';
import type { JoinClause, Select, SelectColumn } from './statement.ts';
import { hasValue, timeOf, touchAt, touchedValue, touchPrefix } from './touch-value.ts';

/**
 * The relations for a cube's attributed dimensions that appear in `used`. For a first touch, the relation has a row per
 * user. For a last touch, it has a row for each time at which a user has a value; a row of the cube takes the latest
 * one that is not after it. If several values have the same time, the smallest counts, so that the result does not
 * depend on file order. All rows of the user count, regardless of the query's range and filters. `sourceWith` returns
 * the cube's rows with the columns that the expressions read.
 */
export function touchJoins(
  cube: Cube,
  used: ReadonlySet<string>,
  sourceWith: (expressions: readonly Expression[]) => Expression,
  scope: MemberScope,
): readonly JoinClause[] {
  return [...used].flatMap((alias): readonly JoinClause[] => {
    const read = alias.startsWith(touchPrefix) ? readTouchName(alias.slice(touchPrefix.length)) : undefined;
    if (read?.cube !== cube.name) return [];
    const of = cube.dimensions.find((dimension) => `${cube.name}.${dimension.name}` === read.of);
    invariant(of, `${read.of} was found when the query was bound`);
    const value = dimensionExpression(cube, of, scope);
    const user = name(cube.name, userKeyColumn);
    const at = timeOf(cube);
    const isFirst = read.touch === 'firstTouch';
    // A row with a value is its own last touch, so skip the lookup if all rows have a value. Do not check sessions,
    // because the check would build them again.
    const joinsAlways = isFirst || cube.source.kind === 'sessions';
    const from = { source: sourceWith([value, user, at]), alias: cube.name };
    const isKnown = sql`${user} IS NOT NULL`;
    const grouped = (columns: readonly SelectColumn[], groupBy: number): Select => ({
      columns: [{ alias: userKeyColumn, expression: user }, ...columns],
      from,
      where: [isKnown, hasValue(value, of), ...(joinsAlways ? [] : [sql`EXISTS (${printSelect(without)})`])],
      groupBy: Array.from({ length: groupBy }, (_, index) => trusted(String(index + 1))),
    });
    const firstOf = (index: number) => scope.dialect.leastValue(name('first_touch'), index);
    const without: Select = {
      columns: [{ alias: 'without', expression: trusted('1') }],
      from,
      where: [isKnown, sql`NOT coalesce(${hasValue(value, of)}, FALSE)`],
    };
    const touches: Select = isFirst
      ? {
          columns: [
            { alias: userKeyColumn, expression: name(userKeyColumn) },
            { alias: touchAt, expression: firstOf(0) },
            { alias: touchedValue, expression: firstOf(1) },
          ],
          from: {
            source: sql`(${printSelect(grouped([{ alias: 'first_touch', expression: scope.dialect.leastRow([at, value]) }], 1))})`,
            alias: 'touched',
          },
        }
      : grouped(
          [
            { alias: touchAt, expression: at },
            { alias: touchedValue, expression: sql`min(${value})` },
          ],
          2,
        );
    const same = sql`${name(alias, userKeyColumn)} = ${user}`;
    const source = sql`(${printSelect(touches)})`;
    return isFirst
      ? [{ kind: 'LEFT', source, alias, on: same }]
      : [{ kind: 'ASOF LEFT', source, alias, on: sql`${same} AND ${at} >= ${name(alias, touchAt)}` }];
  });
}
