import { sourceName } from '../../file/source-copy.ts';
import type { RejectedLine, RejectedLines } from '../../backend.ts';
import type { Engine } from '../engine/engine.ts';
import { userKeyColumn, eventFields, type UserOrder } from '../../../plan/model/event-fields.ts';
import { localZoneColumn, toPointer } from '../../../plan/model/property-sql.ts';
import { quoteName } from '../engine/sql-text.ts';
import { userKey } from './columns/event-columns.ts';
import {
  type EventReading,
  type InspectedFile,
  inspectEventFile,
  isWhole,
  readInspected,
  shapeOf,
  succeeds,
} from './event-reading.ts';
import { firstRowsSentence } from './recognise/first-rows.ts';
import { mostKeys } from './recognise/sample-keys.ts';
import type { ReadingOptions } from './recognise/map-files.ts';
import type { NumberMarks } from './columns/recognition.ts';
import { doubtSentence } from './recognise/recognise-fields.ts';
import { mostExamples } from './source/clean-file.ts';
import type { EventSource } from './source/event-source.ts';
import { haveChanged, marksOf } from './source/file-marks.ts';
import { furtherColumn, type FurtherField } from './source/further-fields.ts';
import { type JsonList, withLists } from './source/parse-once.ts';
import { mendEventFile } from './mend-event-file.ts';

/** The events of files with all further fields, as a store loads them. */
export interface FurtherEvents {
  /** SQL for the events, with a column for each of these fields and lists. */
  relation(fields: readonly FurtherField[], lists: readonly JsonList[]): string;
  /**
   * Whether a statement may read fields from their columns: not if lines may have got other fields. Then all fields are
   * read, and DuckDB refuses such lines.
   */
  mayReadOneByOne(): boolean;
  /** Whether JSON files changed for the first time since they were read. */
  noticeNewFields(): Promise<boolean>;
  /** What was found about these files before, in any process; else what `find` gives. */
  remember(name: string, find: () => Promise<string>): Promise<string>;
  /** Notes on columns that a statement reads: numbers with ambiguous points, values only in first rows. */
  doubts(statement: string): readonly string[];
  /** Rejected lines of mended files, by file. */
  readonly rejected: ReadonlyMap<string, RejectedLines>;
}

/** More files are not watched for changes. */
const mostWatched = 500;

interface FilesToRead {
  readonly files: readonly string[];
  readonly sources: readonly EventSource[];
  readonly users: UserOrder;
}

/** Not kept as a fact: a lack of memory, or an interrupt, makes a file unreadable only for now. */
const unreadable = new Error('DuckDB cannot read the file as it is.');

function falseIfUnreadable(error: unknown): false {
  if (error === unreadable) return false;
  throw error;
}

/** Reads all files once to check that they are readable, unless that is known. Errors: those of `inspectEventFile`. */
export async function readFurtherEvents(
  engine: Engine,
  { files, sources, users }: FilesToRead,
  options: ReadingOptions,
): Promise<FurtherEvents> {
  const { facts } = options;
  const paths = sources.flatMap((source) => ('paths' in source ? source.paths : source.original));
  const before = paths.length <= mostWatched ? await marksOf(paths) : undefined;
  const json = new Set(sources.flatMap((source) => (source.kind === 'json' ? source.paths : [])));
  let jsonBefore = before?.filter(([path]) => json.has(path));
  const rejected = new Map<string, RejectedLines>();
  const selects: EventReading['selectIn'][] = [];
  const doubtful: NumberMarks['doubtful'][number][] = [];
  const inspected: Inspected[] = [];
  for (const path of files) inspected.push({ ...(await inspectEventFile(engine, path, options)), given: path });
  /** Whether DuckDB reads these files, which have one shape. */
  const areReadable = async (group: readonly Inspected[]) => {
    const check = async () => {
      const reading = await readInspected(engine, group);
      for (const { source, file } of group) if (!(await isWhole(engine, source, file.path))) throw unreadable;
      if (!(await succeeds(engine, reading))) throw unreadable;
      return 'true';
    };
    const given = group.map((file) => file.given);
    return (facts ? facts.keep('readable', given, check) : check()).then(() => true, falseIfUnreadable);
  };
  const mended: Inspected[] = [];
  const firstRows = new Map(
    inspected.flatMap(({ recognition }) => {
      const found = recognition?.firstRows;
      return found ? [[JSON.stringify(found), found] as const] : [];
    }),
  );
  for (const group of toGroups(inspected.filter(({ isPlain }) => isPlain))) {
    const { good, bad } = await partition(group, areReadable);
    mended.push(...bad);
    if (good.length === 0) continue;
    selects.push((await readInspected(engine, good)).selectIn);
    doubtful.push(...good.flatMap(({ recognition }) => recognition?.marks?.doubtful ?? []));
  }
  mended.push(...inspected.filter(({ isPlain }) => !isPlain));
  for (const { given: path } of mended) {
    let count = 0;
    const examples: RejectedLine[] = [];
    const reading = await mendEventFile(
      engine,
      path,
      ({ line, reason }) => {
        count += 1;
        if (examples.length < mostExamples) examples.push({ file: sourceName(path), line, reason });
      },
      options,
    );
    rejected.set(path, { count, examples });
    selects.push(reading.selectIn);
    doubtful.push(...(reading.marks?.doubtful ?? []));
  }
  return {
    relation(fields, lists) {
      const own = ['further', localZoneColumn, ...fields.map(furtherColumn)];
      const names = [...eventFields.map(({ column }) => column), ...own].map(quoteName).join(', ');
      const all = selects.map((selectIn) => `SELECT ${names} FROM (${selectIn({ fields })}\n) AS events_read`);
      const events = `SELECT *, ${userKey(users)} AS ${quoteName(userKeyColumn)} FROM (${all.join('\nUNION ALL\n')}) AS events_read`;
      return withLists(events, lists);
    },
    mayReadOneByOne: () => jsonBefore !== undefined,
    async noticeNewFields() {
      if (!jsonBefore || !(await haveChanged(jsonBefore))) return false;
      jsonBefore = undefined;
      return true;
    },
    // What is found about files as they were says nothing about files as they are.
    remember: async (name, find) =>
      facts && before && !(await haveChanged(before)) ? facts.keep(name, files, find) : find(),
    doubts(statement) {
      // Others are text, with which no figure is computed.
      const numbers = doubtful.filter(({ example }) => !example.includes(','));
      const read = numbers.filter(({ column }) => statement.includes(toPointer([column])));
      const below = [...firstRows.values()].flatMap((found) => {
        const columns = found.columns.filter((column) => statement.includes(toPointer([column])));
        return columns.length > 0 ? [firstRowsSentence(found, columns)] : [];
      });
      return [...new Set(read.map(doubtSentence)), ...below];
    },
    rejected,
  };
}

/** A file with its given path. */
type Inspected = InspectedFile & { readonly given: string };

/** Plain files in groups that one statement reads: of one shape, with as many keys together as one file may have. */
function toGroups(files: readonly Inspected[]): readonly (readonly Inspected[])[] {
  const groups: Inspected[][] = [];
  const open = new Map<string, { readonly group: Inspected[]; readonly keys: Set<string> }>();
  for (const file of files) {
    const shape = shapeOf(file) ?? file.given;
    const last = open.get(shape);
    if (last && new Set([...last.keys, ...file.keys]).size <= mostKeys) {
      last.group.push(file);
      for (const key of file.keys) last.keys.add(key);
      continue;
    }
    const group = [file];
    groups.push(group);
    open.set(shape, { group, keys: new Set(file.keys) });
  }
  return groups;
}

/** Finds the files that fail by halving the group, so that a few among many cost a few statements. */
async function partition(
  group: readonly Inspected[],
  succeed: (group: readonly Inspected[]) => Promise<boolean>,
): Promise<{ readonly good: readonly Inspected[]; readonly bad: readonly Inspected[] }> {
  if (await succeed(group)) return { good: group, bad: [] };
  if (group.length === 1) return { good: [], bad: group };
  const middle = Math.ceil(group.length / 2);
  const [one, other] = [
    await partition(group.slice(0, middle), succeed),
    await partition(group.slice(middle), succeed),
  ];
  return { good: [...one.good, ...other.good], bad: [...one.bad, ...other.bad] };
}
