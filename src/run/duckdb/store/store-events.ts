import { statSync } from 'node:fs';
import { writePropertyName } from '../../../ask/query/property-name.ts';
import { invariant } from '../../../ask/invariant.ts';
import { eventFields, userKeyColumn, type UserOrder } from '../../../plan/model/event-fields.ts';
import { localZoneColumn } from '../../../plan/model/property-sql.ts';
import { demandKnown, numbersKnown } from '../../store/known-at.ts';
import { readSources, readStore } from '../../store/store-contents.ts';
import { nothingRejected } from '../../backend.ts';
import { markOf } from '../../looks.ts';
import {
  damagedStore,
  demandSegments,
  manifestPath,
  missingStore,
  type StoredProperty,
  readManifest,
  type Segment,
  segmentPath,
  storeVersion,
  type StoreManifest,
} from '../../store/store-manifest.ts';
import type { SessionlessEvents } from '../../sessionless-events.ts';
import { type Engine, littleToRead } from '../engine/engine.ts';
import { refusesParquet } from '../engine/to-backend-error.ts';
import { quoteName, quotePaths, quoteText } from '../engine/sql-text.ts';
import { userKey } from '../reading/columns/event-columns.ts';
import { type EventSpan, spanOf, toSpan, unknownSpan } from '../reading/source/event-span.ts';
import { openFactFinder } from '../reading/source/find-fact.ts';
import { type JsonList, readTogether, relationsWithFurther, withLists } from '../reading/source/parse-once.ts';
import { type ExpectedFact, factsRead, tellLacking } from '../../events/expected-facts.ts';
import type { EventFiles } from '../reading/event-files.ts';
import { firstLayoutColumn } from './first-layout.ts';
import { readColumns, selectPropertyColumns } from './property-columns.ts';
import { openProjections } from './stored-projections.ts';

/** Options for reading the events of a store. */
export interface StoreReading {
  readonly user: UserOrder;
  /** Read only events that the store had at this time (epoch milliseconds). */
  readonly knownAt?: number | undefined;
  /** The name of the view. Default: `events`. Projections know that one only. */
  readonly view?: string | undefined;
}

const bytesOf = ({ segments }: StoreManifest) => segments.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * A view over the segments of a store, replaced when a new revision appears. Rejected lines were reported at ingest.
 * Errors: `store-not-found`, `store-damaged`, `store-too-new`, `store-unreadable`, `known-at-lost`.
 */
export async function openStoreEvents(
  engine: Engine,
  folder: string,
  { user, knownAt, view = 'events' }: StoreReading,
): Promise<EventFiles> {
  let look = '';
  let manifest: StoreManifest | undefined;
  let span = unknownSpan;
  let generation = 0;
  /** Properties with columns in some segment, and those whose columns the view has, by name. */
  let offered: readonly StoredProperty[] = [];
  const shown = new Map<string, StoredProperty>();
  /** What the view has for properties without columns. */
  let lists: readonly JsonList[] = [];
  let known: ReadonlySet<number> | undefined;
  const makeView = async (of: StoreManifest) => {
    const reading = { users: user, known, properties: [...shown.values()] };
    const relation = withLists(relationOf(folder, of, reading), lists);
    await engine.rows(`CREATE OR REPLACE VIEW ${quoteName(view)} AS ${relation}`);
  };
  const findFact = openFactFinder(engine);
  const projections = openProjections(engine, folder, user);

  const refresh = async (): Promise<void> => {
    const now = lookAt(folder);
    if (now === look) return;
    const read = await readManifest(folder);
    if (!read) throw missingStore(folder);
    if (read.revision !== manifest?.revision || read.salt !== manifest.salt) {
      try {
        await engine.widen(bytesOf(read));
        known = knownAt === undefined ? undefined : await findKnown(folder, knownAt);
        await makeView(read);
        span = known ? await spanOf(engine, quoteName(view)) : spanOfSegments(read);
      } catch (error) {
        // Either a writer has replaced the manifest meanwhile, or this one is damaged.
        if (lookAt(folder) !== now) return refresh();
        await demandSegments(folder, read);
        throw error;
      }
      manifest = read;
      const all = read.segments.flatMap(propertiesOf);
      offered = [...new Map(all.map((one) => [writePropertyName(one.path), one])).values()];
      generation += 1;
    }
    look = now;
  };
  let refreshing: Promise<void> = Promise.resolve();
  /** Run in sequence: creating two views at once would fail. */
  const inTurn = (work: () => Promise<void>) => (refreshing = refreshing.catch(() => undefined).then(work));
  const refreshInTurn = (statement = '') =>
    inTurn(async () => {
      await refresh();
      if (manifest && knownAt === undefined) await projections.refresh(manifest, statement);
    });

  const tellOfFacts = async (statement: string): Promise<readonly string[]> => {
    const isEmpty = known !== undefined && span.first === undefined;
    if (!manifest || manifest.segments.length === 0 || isEmpty) return [];
    const present = manifest;
    const facts = factsRead(statement);
    const beside = bytesOf(present) > littleToRead ? [] : facts;
    const holds = (fact: ExpectedFact) => findFact(fact, String(generation), () => quoteName(view), beside);
    const hasDates = async () => (await readSources(folder, present))?.some(({ dated }) => dated) ?? false;
    const unheld = [];
    for (const fact of facts) {
      if (!(await holds(fact))) unheld.push({ ...fact, files: [] });
    }
    return tellLacking(statement, { lacking: unheld, files: 0, isDated: hasDates, holds });
  };
  const lacking = async (statement: string): Promise<readonly string[]> => {
    await inTurn(refresh);
    const before = generation;
    try {
      return await tellOfFacts(statement);
    } catch (error) {
      await inTurn(refresh);
      // A writer may have removed a segment of the view while it was read.
      if (generation === before) throw error;
      return lacking(statement);
    }
  };

  await refreshInTurn();
  return {
    files: [],
    refresh: (statement) => refreshInTurn(statement),
    async quicken(statement) {
      const read = readColumns(statement, offered);
      let text = '';
      await inTurn(async () => {
        const before = lists;
        const together = readTogether(read?.text ?? statement, relationsWithFurther(statement), lists);
        ({ text, lists } = together);
        const added = read?.properties.filter(({ path }) => !shown.has(writePropertyName(path))) ?? [];
        for (const property of added) shown.set(writePropertyName(property.path), property);
        if ((added.length > 0 || lists.length > before.length) && manifest) await makeView(manifest);
      });
      return text;
    },
    // Only numbers have columns of types.
    typesAreSlow: true,
    async projections() {
      await refreshInTurn();
      if (knownAt !== undefined) return { why: 'Projections know the events of now only.' };
      invariant(manifest, 'the store was read');
      return projections.atHand(manifest);
    },
    zones: () => (manifest?.zones ?? []).map(({ zone }) => zone).sort(),
    get generation() {
      return generation;
    },
    async mend() {
      const before = generation;
      await refreshInTurn();
      if (generation === before && manifest) {
        await demandSegments(folder, manifest);
        for (const segment of manifest.segments)
          if (segment.check === undefined && (await refusesParquet(engine, segmentPath(folder, segment))))
            throw damagedStore(folder, `segments/${segment.name} cannot be read`);
        if (await projections.recheck(manifest)) generation += 1;
      }
      return generation !== before;
    },
    inspectPacking: () => Promise.resolve(),
    inspectCsv: () => Promise.resolve(),
    inspectFormats: () => Promise.resolve(),
    inspectParquet: () => Promise.resolve(),
    inspectText: () => Promise.resolve(),
    markTextRead: () => undefined,
    demandFurther: () => Promise.resolve(),
    lacking,
    rejected: nothingRejected,
    survey: async () => ({
      span,
      repeated: [],
      sessionless: knownAt === undefined && manifest ? sessionlessOf(manifest) : undefined,
    }),
  };
}

/** Answers say by themselves that older events were removed. */
function spanOfSegments({ segments, pruned }: StoreManifest): EventSpan {
  const first = segments.reduce((earliest, segment) => Math.min(earliest, segment.first), Infinity);
  const last = segments.reduce((latest, segment) => Math.max(latest, segment.last), -Infinity);
  return toSpan(pruned === undefined ? first : null, last);
}

/** undefined until an ingest has counted those of segments of earlier versions. */
function sessionlessOf({ segments }: StoreManifest): SessionlessEvents | undefined {
  const events = new Map<string | null, number>();
  for (const { projects, sessionless } of segments) {
    if (!sessionless) return undefined;
    projects.forEach((project, index) => events.set(project, (events.get(project) ?? 0) + sessionless[index]!));
  }
  return events;
}

interface SegmentReading {
  readonly users: UserOrder;
  /** The sources to read; undefined for all. */
  readonly known: ReadonlySet<number> | undefined;
  /** The properties that have columns. */
  readonly properties: readonly StoredProperty[];
}

/** The event columns, `further`, and the user that an event counts for. */
function relationOf(folder: string, manifest: StoreManifest, { users, known, properties }: SegmentReading): string {
  const zone = `${zoneOfSource(manifest)} AS ${localZoneColumn}`;
  const segments = known
    ? manifest.segments.filter(({ sources: [lowest, highest] }) => {
        for (const number of known) if (number >= lowest && number <= highest) return true;
        return false;
      })
    : manifest.segments;
  const columnOf = manifest.version < storeVersion ? firstLayoutColumn : quoteName;
  const columns = eventFields.map(({ column }) => columnOf(column));
  if (segments.length === 0) {
    const none = eventFields.map(({ column, type }) => `CAST(NULL AS ${sqlTypes[type]}) AS ${quoteName(column)}`);
    const further = 'CAST(NULL AS VARCHAR) AS further';
    const noZone = `CAST(NULL AS VARCHAR) AS ${localZoneColumn}`;
    const noKey = `CAST(NULL AS VARCHAR) AS ${userKeyColumn}`;
    const shown = [...none, further, noZone, noKey, ...selectPropertyColumns(properties, [], 'none')];
    return `SELECT * FROM (SELECT ${shown.join(', ')}
      FROM (SELECT ${[...none, further].join(', ')}) AS none) WHERE false`;
  }
  const byTime = segments.toSorted((one, other) => one.first - other.first);
  const condition = known ? ` WHERE source IN (${[...known].join(', ')})` : '';
  return [...groupByColumns(byTime, properties).values()]
    .map(({ present, members }) => {
      const paths = members.map((segment) => segmentPath(folder, segment));
      const own = [...columns, 'further', zone, `${userKey(users)} AS ${userKeyColumn}`];
      const all = [...own, ...selectPropertyColumns(properties, present, 'segment')].join(', ');
      return `SELECT ${all} FROM read_parquet(${quotePaths(paths)}, hive_partitioning = false) AS segment${condition}`;
    })
    .join(' UNION ALL ');
}

/** SQL for the zone that the source of a row declares for times without one. */
function zoneOfSource({ zones = [] }: StoreManifest): string {
  const cases = zones.map(({ zone, sources }) => {
    const spans = sources.map(([lowest, highest]) => `source BETWEEN ${lowest} AND ${highest}`);
    return ` WHEN ${spans.join(' OR ')} THEN ${quoteText(zone)}`;
  });
  return cases.length === 0 ? 'CAST(NULL AS VARCHAR)' : `CASE${cases.join('')} END`;
}

/** The properties with columns. */
function propertiesOf({ properties = [], values = [] }: Segment): readonly StoredProperty[] {
  return [...properties, ...values];
}

/** Segments grouped by which of these properties have columns. */
function groupByColumns(segments: readonly Segment[], properties: readonly StoredProperty[]) {
  const asked = new Set(properties.map(({ path }) => writePropertyName(path)));
  const groups = new Map<string, { readonly present: readonly StoredProperty[]; readonly members: Segment[] }>();
  for (const segment of segments) {
    const present = propertiesOf(segment).filter(({ path }) => asked.has(writePropertyName(path)));
    const key = JSON.stringify(present.map(({ path, typed }) => `${typed} ${writePropertyName(path)}`).sort());
    const group = groups.get(key) ?? { present, members: [] };
    group.members.push(segment);
    groups.set(key, group);
  }
  return groups;
}

const sqlTypes = { time: 'TIMESTAMP', text: 'VARCHAR', json: 'VARCHAR', number: 'DOUBLE' } as const;

/** Synchronous, because it runs several times per question and handing it to another thread takes longer. */
function lookAt(folder: string): string {
  const found = statSync(manifestPath(folder), { bigint: true, throwIfNoEntry: false });
  if (!found) throw missingStore(folder);
  return markOf(found);
}

/** The numbers in the rows that the store had at a time. Error: `known-at-lost`. */
async function findKnown(folder: string, knownAt: number): Promise<ReadonlySet<number>> {
  const store = await readStore(folder);
  if (!store) throw missingStore(folder);
  demandKnown(store.sources, knownAt);
  return numbersKnown(store.sources, knownAt);
}
