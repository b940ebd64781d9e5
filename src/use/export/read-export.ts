import { cubeOf } from '../../ask/query/member-name.ts';
import type { DateRangeText } from '../../ask/query/query.ts';
import { usageError } from '../../ask/sluice-error.ts';
import { hour } from '../../ask/time/granularity.ts';
import type { TimeContext, TimeRange } from '../../ask/time/range.ts';
import { readDateRange } from '../../ask/time/read-date-range.ts';
import { readZone } from '../../ask/time/zone.ts';
import { reachOf } from '../../run/backend.ts';
import { type ExportRecord, findExportRecord } from '../../run/export/files/export-record.ts';
import { ExportError } from '../../run/export/rows/export-error.ts';
import { type ExportQuery, toExportQuery } from '../../run/export/rows/export-query.ts';
import { unwrap } from '../workspace/refuse.ts';
import { describeSource } from '../workspace/open-backend.ts';
import type { Session } from '../workspace/session.ts';
import { attempt, valueOrThrow, withFreshModel } from '../workspace/with-fresh-model.ts';
import type { ExportOptions } from './export-options.ts';
import { type ExportPlace, readExportPlace } from './read-export-place.ts';

/** A validated export that has not started. */
export interface ReadExport {
  readonly place: ExportPlace;
  readonly query: ExportQuery;
  readonly record: ExportRecord;
  /** Windows that end later than this are still open. */
  readonly closedUntil: number;
  /** The reference time in epoch milliseconds. */
  readonly now: number;
}

const usualWatermark = hour;

/** Rounds down to the hour, so that a nightly run ends exactly where the next one begins. */
export function closedUntilOf(now: number, watermarkMs = usualWatermark): number {
  return Math.floor((now - watermarkMs) / hour) * hour;
}

/** Reads the options of an export. Throws `InvalidInputError`, and `no-export` if `sinceLast` finds no export. */
export async function readExport(
  session: Session,
  to: string,
  options: ExportOptions,
  cwd: string,
): Promise<ReadExport> {
  const place = await readExportPlace(to, options);
  const { settings } = session;
  const found = options.sinceLast ? await findEarlier(place, options) : undefined;
  const zone = found?.zone ?? unwrap(readZone(options.timezone ?? settings.timezone.value), 'The time zone');
  const now = session.now(zone);
  const closedUntil = closedUntilOf(now, options.watermarkMs);
  const isLocal = reachOf(settings.backend.value) === 'local';
  const query = valueOrThrow(
    await withFreshModel(
      session,
      () => attempt(() => (found ? queryOf(found, session) : toExportQuery(session.model, { ...options, isLocal }))),
      options.signal,
    ),
  );
  const range = found
    ? { start: found.range.start, end: Math.max(found.range.end, closedUntil) }
    : readRange(options.range, { now, zone, weekStart: settings.weekStart.value });
  const record: ExportRecord = {
    query: query.hash,
    dimensions: query.columns.filter(({ type }) => type !== 'count').map(({ key }) => key),
    count: query.count,
    project:
      settings.project.value ?? (settings.backend.value === 'platform' ? settings.platformProject.value : undefined),
    source: await describeSource(settings, cwd),
    form: found?.form ?? place.form,
    zone,
    range,
  };
  return { place: { ...place, form: record.form }, query, record, closedUntil, now };
}

async function findEarlier(
  place: ExportPlace,
  { range, dimensions, without, cube }: ExportOptions,
): Promise<ExportRecord> {
  if (place.kind === 'file')
    throw usageError('--since-last requires an export in a folder.', 'Specify its folder with `-o`.');
  const contradicting =
    range !== undefined
      ? '--range'
      : dimensions !== undefined
        ? '`-d`'
        : without !== undefined
          ? '--without'
          : cube !== undefined
            ? '--cube'
            : place.formIsNamed
              ? 'a format'
              : undefined;
  if (contradicting !== undefined)
    throw usageError(
      `--since-last uses the settings of the existing export, so it cannot be combined with ${contradicting}.`,
      'Remove one of the two.',
    );
  const found = await findExportRecord(place.path);
  if (!found)
    throw new ExportError(`${place.path} does not contain an export.`, {
      code: 'no-export',
      hint: 'Begin one: `sluice export --range 2026-09-01,2026-09-30 -o DIR`.',
    });
  return found;
}

/** Rebuilds the query of an earlier export. Its members may have changed since. */
function queryOf({ dimensions, count, query }: ExportRecord, { model }: Session): ExportQuery {
  const cube = cubeOf(count);
  const whole = toExportQuery(model, { cube, dimensions });
  const without =
    whole.missing.length > 0
      ? []
      : whole.columns.flatMap(({ key, type }) => (type === 'count' || dimensions.includes(key) ? [] : [key]));
  const again = without.length === 0 ? whole : toExportQuery(model, { cube, dimensions, without });
  if (again.hash === query) return again;
  throw new ExportError('The export in this folder has a different query.', {
    code: 'export-of-something-else',
    hint: 'The model has changed since. Export to another folder.',
  });
}

function readRange(text: DateRangeText | undefined, context: TimeContext): TimeRange {
  if (text === undefined)
    throw usageError('Specify a date range.', 'Add `--range 2026-09-01,2026-09-30` (whole days, both included).');
  const range = unwrap(readDateRange(text, context), 'The range');
  if (range.start < range.end) return range;
  throw usageError('The range is empty.', 'Put the earlier day first.');
}
