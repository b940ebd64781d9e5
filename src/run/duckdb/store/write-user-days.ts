import type { TimeRange } from '../../../ask/time/range.ts';
import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import type { MonthlyFiles, ProjectionFile } from '../../store/projection-files.ts';
import { quoteText } from '../engine/sql-text.ts';
import type { ProjectionWriter } from './projection-writer.ts';
import { toUserDays, userDaysColumns } from './user-days.ts';

export interface UserDaysOrder {
  readonly zone: string;
  /** Of all events. */
  readonly extent: TimeRange;
  /** The days before; undefined: all are built anew. */
  readonly before: MonthlyFiles | undefined;
  /** SQL for the counts of all events by users. */
  readonly counts: string;
  /** SQL for the counts of the events that came or went since `before`, and maybe of others. */
  readonly changed: string | undefined;
  readonly rows: number;
  readonly filesOf: (files: readonly ProjectionFile[]) => string;
  readonly writeFile: (kind: string, select: string) => Promise<ProjectionFile>;
}

/** So many rows of counts are made into days at once: more would not fit into the memory of a writer. */
const mostRows = 3_000_000;

/**
 * The days of users in one zone, in a file for each month. A user of whom events came or went is counted anew, as the
 * day before on which a user was there may be another one for all that follow. Months in which that changes nothing
 * stay as they are.
 */
export async function writeUserDays(writer: ProjectionWriter, order: UserDaysOrder): Promise<MonthlyFiles> {
  const { zone, extent, before, counts, changed, filesOf, writeFile } = order;
  if (before && changed === undefined) return before;
  const number = writer.engine.nextNumber();
  const [users, built] = [`changed_users_${number}`, `built_days_${number}`];
  const columns = userDaysColumns(zone);
  const ofThem = (join: 'SEMI' | 'ANTI', rows: string) =>
    `SELECT rows.* FROM ${rows} AS rows ${join} JOIN ${users} ON rows.${userKeyColumn} IS NOT DISTINCT FROM ${users}.${userKeyColumn}`;
  const ofMonth = (files: MonthlyFiles, month: string) => files.filter((file) => file.month === month);
  try {
    if (before) await writer.rows(`CREATE TABLE ${users} AS SELECT DISTINCT ${userKeyColumn} FROM ${changed}`);
    const parts = Math.max(1, Math.ceil(order.rows / mostRows));
    for (let part = 0; part < parts; part += 1) {
      const all = before ? `(${ofThem('SEMI', counts)})` : counts;
      const own = parts === 1 ? all : `(SELECT * FROM ${all} WHERE coalesce(${userKeyColumn}, 0) % ${parts} = ${part})`;
      const days = `SELECT ${columns}, strftime(day, '%Y-%m') AS month FROM (${toUserDays(zone, own, extent)})`;
      await writer.rows(part === 0 ? `CREATE TABLE ${built} AS ${days}` : `INSERT INTO ${built} ${days}`);
    }
    const old = before && before.length > 0 ? `SELECT ${columns} FROM (${ofThem('SEMI', filesOf(before))})` : undefined;
    const fresh = `SELECT ${columns} FROM ${built}`;
    const months = await writer.rows(
      old
        ? `SELECT DISTINCT strftime(day, '%Y-%m') FROM ((${fresh} EXCEPT ${old}) UNION ALL (${old} EXCEPT ${fresh})) ORDER BY 1`
        : `SELECT DISTINCT month FROM ${built} ORDER BY 1`,
    );
    const touched = months.map(([month]) => String(month));
    const files = (before ?? []).filter(({ month }) => !touched.includes(month));
    for (const month of touched) {
      const here = ofMonth(before ?? [], month);
      const kept = here.length === 0 ? '' : ` UNION ALL SELECT ${columns} FROM (${ofThem('ANTI', filesOf(here))})`;
      const rows = `${fresh} WHERE month = ${quoteText(month)}${kept}`;
      const [counted] = await writer.rows(`SELECT count(*) FROM (${rows})`);
      if (Number(counted?.[0]) > 0)
        files.push({ ...(await writeFile('days', `${rows} ORDER BY day, ${userKeyColumn}`)), month });
    }
    return files;
  } finally {
    await writer.rows(`DROP TABLE IF EXISTS ${users}`);
    await writer.rows(`DROP TABLE IF EXISTS ${built}`);
  }
}
