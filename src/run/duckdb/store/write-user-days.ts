import type { TimeRange } from '../../../ask/time/range.ts';
import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import type { MonthlyFiles, ProjectionFile } from '../../store/projection-files.ts';
import { quoteText } from '../engine/sql-text.ts';
import type { FileWriter } from './file-writer.ts';
import { toUserDays, userDaysColumns } from './user-days.ts';

export interface UserDaysOrder {
  readonly zone: string;
  /** The time span of all events. */
  readonly extent: TimeRange;
  /** The earlier files; undefined to rebuild all. */
  readonly before: MonthlyFiles | undefined;
  /** SQL for the counts of all events by user. */
  readonly counts: string;
  /** SQL for the counts of added and removed events, possibly among others; undefined if nothing changed. */
  readonly changed: string | undefined;
  readonly rows: number;
  readonly filesOf: (files: readonly ProjectionFile[]) => string;
  readonly writeFile: (kind: string, select: string) => Promise<ProjectionFile>;
}

/** The number of events whose days are computed at once, so that they fit in the writer's memory. */
const mostRows = 3_000_000;

/**
 * Writes the days of users in one zone, one file per month. All days of a user with added or removed events are
 * computed again, because the previous active day of later rows may change. Months without a changed row keep their
 * files.
 */
export async function writeUserDays(writer: FileWriter, order: UserDaysOrder): Promise<MonthlyFiles> {
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
