import { plural } from '../../ask/text.ts';
import { type Cube, isOfModel, type Measure, type Model } from '../../plan/model/model.ts';
import { formatCount, formatNumber } from '../../shape/format/format-number.ts';
import { formatValue } from '../../shape/format/format.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import { resultOf } from '../answer/answer-question.ts';
import { askQuery } from '../answer/question.ts';
import { openSession } from '../workspace/session.ts';
import { check, type Finding } from './check.ts';
import type { LookOptions } from './look-at-events.ts';

/** Counts the rows of each key. */
const rows: Measure = {
  name: 'rowsOfKey',
  title: 'Rows',
  shortTitle: 'Rows',
  type: 'count',
  filters: [],
  drillMembers: [],
  public: true,
};

/**
 * Checks whether the primary keys of a model's own cubes are unique: joins count what they join once for each row of a
 * key. Only files are read, because servers may take long. A finding for each cube with a key.
 */
export async function checkKeys(
  { settings, cwd, env, now, signal }: LookOptions,
  model: Model | undefined,
): Promise<readonly Finding[]> {
  const keyed = (model?.cubes ?? []).filter(
    (cube) => isOfModel(cube) && !cube.synced && cube.dimensions.some(({ primaryKey }) => primaryKey),
  );
  if (!model || keyed.length === 0 || settings.backend.value !== 'embedded') return [];
  const counting = { ...model, cubes: model.cubes.map((cube) => (keyed.includes(cube) ? withRows(cube) : cube)) };
  await using session = openSession({ model: counting, settings, now, cwd, remote: { env, root: cwd, signal } });
  return Promise.all(
    keyed.map(({ name, dimensions }) => {
      const keys = dimensions.filter(({ primaryKey }) => primaryKey).map((key) => `${name}.${key.name}`);
      const count = `${name}.${rows.name}`;
      const look = async () => {
        const found = await resultOf(
          session,
          askQuery({
            measures: [count],
            dimensions: keys,
            filters: [
              ...keys.map((member) => ({ member, operator: 'set' as const })),
              { member: count, operator: 'gt', values: ['1'] },
            ],
            order: [[count, 'desc']],
            limit: 1,
            total: true,
          }),
          { signal, fill: 'none' },
        );
        if (found.rowCount === 0) return `${keys.join(', ')} ${plural(keys.length, 'is', 'are')} unique`;
        const shown = found.columns
          .filter(({ kind }) => kind === 'dimension')
          .map((column) => sanitize(formatValue(found.values(column.key)[0] ?? null, column)))
          .join(', ');
        const all = found.provenance.total ?? 1;
        return {
          verdict: 'fails' as const,
          text:
            `${formatCount(all, 'key')} of ${keys.join(', ')} ${plural(all, 'has', 'have')}` +
            ` several rows: ${shown} ` +
            `has ${formatNumber(Number(found.values(count)[0]))}. Joins count what they join once for each of them.`,
          hint: 'Remove the repeated rows, for example with `SELECT DISTINCT` in the `sql` of the cube, or declare other keys.',
        };
      };
      return check(`keys of ${name}`, look, { signal });
    }),
  );
}

/** Keys are often hidden. */
function withRows(cube: Cube): Cube {
  const dimensions = cube.dimensions.map((one) => (one.primaryKey ? { ...one, public: true } : one));
  return { ...cube, dimensions, measures: [...cube.measures, rows] };
}
