import { sourceName } from '../../file/source-copy.ts';
import type { RejectedLine, RejectedLines } from '../../backend.ts';
import type { Engine } from '../engine/engine.ts';
import { userKeyColumn, eventFields } from '../../../plan/model/event-fields.ts';
import { toPointer } from '../../../plan/model/property-sql.ts';
import { quoteName } from '../engine/sql-text.ts';
import { userKey, type UserOrder } from './columns/event-columns.ts';
import { type EventReading, mendEventFile, readEventFile, succeeds } from './event-reading.ts';
import type { ReadingOptions } from './recognise/map-files.ts';
import type { NumberMarks } from './columns/recognition.ts';
import { doubtSentence } from './recognise/recognise-fields.ts';
import { mostExamples } from './source/clean-file.ts';
import type { EventSource } from './source/event-source.ts';
import { haveChanged, marksOf } from './source/file-marks.ts';
import { furtherColumn, type FurtherField } from './source/further-fields.ts';

/** The events of files with all further fields, as a store loads them. */
export interface FurtherEvents {
  /** SQL for the events, with a column for each of these fields. */
  relation(fields: readonly FurtherField[]): string;
  /**
   * Whether a statement may read fields from their columns: not if lines may have got other fields. Then all fields are
   * read, and DuckDB refuses such lines.
   */
  mayReadOneByOne(): boolean;
  /** Whether JSON files changed for the first time since they were read. */
  noticeNewFields(): Promise<boolean>;
  /** What was found about these files before, in any process; else what `find` gives. */
  remember(name: string, find: () => Promise<string>): Promise<string>;
  /** Notes on columns of numbers with ambiguous points that a statement reads. */
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

/** Reads all files once to check that they are readable, unless that is known. Errors: those of `readEventFile`. */
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
  for (const path of files) {
    const reading = await readEventFile(engine, path, options);
    const check = async () => {
      if (!(await reading.isWhole()) || !(await succeeds(engine, reading))) throw unreadable;
      return 'true';
    };
    const isReadable = async () => {
      await (facts ? facts.keep('readable', [path], check) : check());
      return true;
    };
    if (reading.isPlain && (await isReadable().catch(falseIfUnreadable))) {
      selects.push(reading.selectIn);
      doubtful.push(...(reading.recognition?.marks?.doubtful ?? []));
      continue;
    }
    let count = 0;
    const examples: RejectedLine[] = [];
    const mended = await mendEventFile(
      engine,
      path,
      ({ line, reason }) => {
        count += 1;
        if (examples.length < mostExamples) examples.push({ file: sourceName(path), line, reason });
      },
      options,
    );
    rejected.set(path, { count, examples });
    selects.push(mended.selectIn);
    doubtful.push(...(mended.marks?.doubtful ?? []));
  }
  return {
    relation(fields) {
      const own = ['further', ...fields.map(furtherColumn)];
      const names = [...eventFields.map(({ column }) => column), ...own].map(quoteName).join(', ');
      const all = selects.map((selectIn) => `SELECT ${names} FROM (${selectIn({ fields })}\n) AS events_read`);
      return `SELECT *, ${userKey(users)} AS ${quoteName(userKeyColumn)} FROM (${all.join('\nUNION ALL\n')}) AS events_read`;
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
      return [...new Set(read.map(doubtSentence))];
    },
    rejected,
  };
}
