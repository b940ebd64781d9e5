import { stat } from 'node:fs/promises';
import { writeUtc } from '../../../ask/time/local-time.ts';
import { eventFields, userKeyColumn } from '../../../plan/model/event-fields.ts';
import { nothingRejected } from '../../backend.ts';
import {
  damagedStore,
  manifestPath,
  missingStore,
  readManifest,
  segmentPath,
  type StoreManifest,
} from '../../store/store-manifest.ts';
import type { Engine } from '../engine/engine.ts';
import { quoteName, quotePaths } from '../engine/sql-text.ts';
import { userKey, type UserOrder } from '../reading/event-columns.ts';
import { openFactFinder } from '../reading/find-fact.ts';
import { factsRead, tellLacking } from '../reading/recognise-fields.ts';
import type { EventFiles } from '../reading/event-files.ts';

/**
 * A view straight over the segments of a store, made anew when another revision is there. Lines that were rejected when
 * files were taken in were told of then. Errors: `store-not-found`, `store-damaged`, `store-too-new`,
 * `store-unreadable`.
 */
export async function openStoreEvents(
  engine: Engine,
  folder: string,
  users: UserOrder,
  view = 'events',
): Promise<EventFiles> {
  let look = '';
  let manifest: StoreManifest | undefined;
  let generation = 0;
  const findFact = openFactFinder(engine);

  const refresh = async (): Promise<void> => {
    const now = await lookAt(folder);
    if (now === look) return;
    const read = await readManifest(folder);
    if (!read) throw missingStore(folder);
    if (read.revision !== manifest?.revision || read.salt !== manifest.salt) {
      try {
        await engine.rows(`CREATE OR REPLACE VIEW ${view} AS ${relationOf(folder, read, users)}`);
      } catch (error) {
        // A writer has been faster: there is another manifest, or something is wrong with this one.
        if ((await lookAt(folder)) !== now) return refresh();
        await demandSegments(folder, read);
        throw error;
      }
      manifest = read;
      generation += 1;
    }
    look = now;
  };
  let refreshing: Promise<void> = Promise.resolve();
  /** One after the other: of two views that are made at once one would fail. */
  const refreshInTurn = () => (refreshing = refreshing.catch(() => undefined).then(refresh));

  await refreshInTurn();
  return {
    files: [],
    refresh: () => refreshInTurn(),
    get generation() {
      return generation;
    },
    async mend() {
      const before = generation;
      await refreshInTurn();
      if (generation === before && manifest) await demandSegments(folder, manifest);
      return generation !== before;
    },
    inspectPacking: () => Promise.resolve(),
    inspectCsv: () => Promise.resolve(),
    inspectFormats: () => Promise.resolve(),
    inspectParquet: () => Promise.resolve(),
    inspectText: () => Promise.resolve(),
    markTextRead: () => undefined,
    demandFurther: () => Promise.resolve(),
    async lacking(statement) {
      if (!manifest || manifest.segments.length === 0) return [];
      const lacking = [];
      for (const fact of factsRead(statement, undefined)) {
        if (!(await findFact(fact, String(generation), () => view))) lacking.push({ ...fact, files: [] });
      }
      return tellLacking(lacking, 0);
    },
    rejected: nothingRejected,
    get latest() {
      const last =
        manifest?.segments.reduce((latest, segment) => Math.max(latest, segment.last), -Infinity) ?? -Infinity;
      return Number.isFinite(last) ? writeUtc(last) : undefined;
    },
  };
}

/** The columns of the events, what has no column of its own, and who an event counts as. */
function relationOf(folder: string, { segments }: StoreManifest, users: UserOrder): string {
  const columns = eventFields.map(({ column }) => quoteName(column)).join(', ');
  if (segments.length === 0)
    return `SELECT ${eventFields.map(({ column, type }) => `CAST(NULL AS ${sqlTypes[type]}) AS ${quoteName(column)}`).join(', ')}, CAST(NULL AS VARCHAR) AS further, CAST(NULL AS VARCHAR) AS ${userKeyColumn} WHERE false`;
  const paths = segments
    .toSorted((one, other) => one.first - other.first)
    .map((segment) => segmentPath(folder, segment));
  return `SELECT ${columns}, further, ${userKey(users)} AS ${userKeyColumn} FROM read_parquet(${quotePaths(paths)}, hive_partitioning = false)`;
}

const sqlTypes = { time: 'TIMESTAMP', text: 'VARCHAR', json: 'VARCHAR', number: 'DOUBLE' } as const;

async function lookAt(folder: string): Promise<string> {
  const found = await stat(manifestPath(folder), { bigint: true }).catch(() => undefined);
  if (!found) throw missingStore(folder);
  return [found.ino, found.size, found.mtimeNs].join(' ');
}

/** Error: `store-damaged` where the manifest names what is not there. */
async function demandSegments(folder: string, { segments }: StoreManifest): Promise<void> {
  for (const segment of segments) {
    const found = await stat(segmentPath(folder, segment)).catch(() => undefined);
    if (found?.size !== segment.bytes)
      throw damagedStore(folder, `${segment.name} ${found ? 'has the wrong size' : 'is missing'}`);
  }
}
