import type { Engine } from '../engine/engine.ts';
import { columnsNamed } from './columns/columns-named.ts';
import type { UserOrder } from '../../../plan/model/event-fields.ts';
import type { FurtherEvents } from './further-events.ts';
import type { ReadingOptions } from './recognise/map-files.ts';
import { type EventSource, replaceFile } from './source/event-source.ts';
import { eventsRelation } from './source/events-relation.ts';
import { haveChanged, marksOfUses } from './source/file-marks.ts';
import { knowUses } from './source/find-uses.ts';
import { furtherColumn, type FurtherField, readOneByOne } from './source/further-fields.ts';
import { type JsonList, readTogether, relationsWithFurther } from './source/parse-once.ts';

/** Files to show in a view of this name. */
interface FilesToView {
  readonly view: string;
  readonly files: readonly string[];
  readonly sources: readonly EventSource[];
  readonly users: UserOrder;
}

/** The view over event files. It follows files that change. */
export interface FileView {
  /** How the files are read now. */
  readonly sources: readonly EventSource[];
  /** Increments when the view reads something else: a failed statement may succeed now. */
  readonly generation: number;
  /** The further fields of the events, once `demandFurther` has read them. */
  readonly further: FurtherEvents | undefined;
  /** Reads a file as this source from now on. Call `recreate` after the last one. */
  replace(path: string, source: EventSource): void;
  /** Creates the view over the sources as they are now. */
  recreate(): Promise<void>;
  /** Adds the columns that a statement reads; all if none is given. `learn`: finds the names in use, too. */
  refresh(statement: string | undefined, learn: boolean): Promise<void>;
  /** Recreates the view if files may have new fields. */
  noticeChanges(): Promise<void>;
  /** Adds the column `further`. Reads all files. Errors: those of `readFurtherEvents`. */
  demandFurther(): Promise<void>;
  /** An equivalent statement that reads further fields from columns of their own. */
  quicken(statement: string): Promise<string>;
}

/**
 * Creates the view with all columns; if `narrow`, the first `refresh` creates it with the columns that statements name,
 * because DuckDB plans unused ones slowly.
 */
export async function openFileView(
  engine: Engine,
  { view, files, sources: given, users }: FilesToView,
  { encoding, mappingOf, facts, narrow = false }: ReadingOptions,
): Promise<FileView> {
  let sources = given;
  let generation = 0;
  let further: FurtherEvents | undefined;
  /** Further fields in the view, by column. */
  let fields: ReadonlyMap<string, FurtherField> = new Map();
  /** Lists of values from the JSON of fields in the view; those that statements read keep their places. */
  let lists: readonly JsonList[] = [];
  /** Columns of the view, as statements named them; undefined for all. */
  let shown: ReadonlySet<string> | undefined = narrow ? new Set() : undefined;
  let areNamesKnown = false;
  let creating: Promise<unknown> = Promise.resolve();

  /** Works in turn: creating two views concurrently would fail. */
  const inTurn = (work: () => Promise<unknown>) => (creating = creating.catch(() => undefined).then(work));
  const create = (columns: ReadonlySet<string> | undefined) => {
    const relation = further?.relation([...fields.values()], lists) ?? eventsRelation(sources, users, columns);
    return engine.rows(`CREATE OR REPLACE VIEW ${view} AS ${relation}`);
  };
  const createAgain = async () => {
    const isNeeded = shown?.size !== 0;
    if (isNeeded) await create(shown);
  };

  /** Columns are never removed, because other statements may be running. */
  const widen = async (statement: string | undefined): Promise<void> => {
    if (shown === undefined || further !== undefined) return;
    const before = shown;
    const named = statement === undefined ? undefined : columnsNamed(statement);
    const wider = named && new Set(['utc_time', ...before, ...named]);
    if (before.size > 0 && wider?.size === before.size) return;
    await create(wider);
    shown = wider;
  };

  /** Files can grow at any time and gain new fields. */
  const noticeChanges = async (): Promise<void> => {
    if (further) {
      if (await further.noticeNewFields()) generation += 1;
      return;
    }
    if (!(await haveChanged(marksOfUses(sources)))) return;
    sources = sources.map((source) => (source.kind === 'json' ? { ...source, uses: undefined } : source));
    await createAgain();
    generation += 1;
  };

  const learnNames = async (): Promise<void> => {
    if (!facts || areNamesKnown || further) return;
    areNamesKnown = true;
    const before = sources;
    const known = await knowUses(engine, { files, sources: before }, facts, true);
    const learnt = new Map(known.map((source, at) => [before[at]!, source]));
    // Some may have been mended meanwhile.
    sources = sources.map((source) => learnt.get(source) ?? source);
    if (!before.every((source) => learnt.get(source) === source)) await createAgain();
  };

  const recreate = async () => {
    await inTurn(() => create(shown));
    generation += 1;
  };

  if (!narrow) await inTurn(() => create(undefined));
  return {
    get sources() {
      return sources;
    },
    get generation() {
      return generation;
    },
    get further() {
      return further;
    },
    replace(path, source) {
      sources = replaceFile(sources, path, source);
    },
    recreate,
    async refresh(statement, learn) {
      await inTurn(async () => {
        await noticeChanges();
        if (learn) await learnNames();
        await widen(statement);
      });
    },
    async noticeChanges() {
      await inTurn(noticeChanges);
    },
    async demandFurther() {
      const { readFurtherEvents } = await import('./further-events.ts');
      further = await readFurtherEvents(engine, { files, sources, users }, { encoding, mappingOf, facts });
      await recreate();
    },
    async quicken(statement) {
      if (!further?.mayReadOneByOne()) return statement;
      const apart = readOneByOne(statement);
      let text = '';
      await inTurn(async () => {
        const before = { fields, lists };
        const together = readTogether(apart.text, relationsWithFurther(statement), lists);
        text = together.text;
        lists = together.lists;
        fields = new Map([...fields, ...apart.fields.map((field) => [furtherColumn(field), field] as const)]);
        if (fields.size === before.fields.size && lists.length === before.lists.length) return;
        await create(shown).catch((error: unknown) => {
          ({ fields, lists } = before);
          throw error;
        });
      });
      return text;
    },
  };
}
