import { writeLocal } from '../../ask/time/local-time.ts';
import type { Value } from '../../plan/column.ts';
import type { Batch } from '../backend.ts';
import { summandsOf, userWord, uuidLength, writeUuid } from './identifiers.ts';
import { arrivalColumn, columnsFor, ownColumns, propsOf } from './sample-columns.ts';
import { saltOf, type SampleBatch, sampleEvents, type SampleOptions } from './sample-events.ts';
import { isCustom } from './site-texts.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A column of sample events. */
export interface SampleColumn {
  /** Its name in the file. */
  readonly name: string;
  readonly type: 'time' | 'text' | 'integer';
  /** All possible values, if there are few. */
  readonly texts: readonly string[] | undefined;
}

interface SampleRows {
  readonly columns: readonly SampleColumn[];
  /**
   * Times are UTC wall times without offset. `whileRunning` is called before each batch with the number of events so
   * far.
   */
  batches(whileRunning: (events: number) => void): Generator<Batch, void, undefined>;
}

type ValueOf = (table: SampleBatch['table'], row: number) => Value;

/** Sample events as batches of values, for formats written from batches. */
export function sampleRows(options: SampleOptions, vocabulary: Vocabulary): SampleRows {
  const salt = saltOf(options);
  const { groups, name } = columnsFor(options, vocabulary);
  const bytes = Buffer.alloc(uuidLength);
  const uuid = (number: number, summands: ReturnType<typeof summandsOf>) => {
    writeUuid(number, summands, bytes, 0);
    return bytes.toString('latin1');
  };
  const [visitors, sessions, ids] = [
    summandsOf(salt, 'visitor'),
    summandsOf(salt, 'session'),
    summandsOf(salt, 'event'),
  ];
  const columns: (SampleColumn & { readonly value: ValueOf })[] = [];
  const add = (column: string, type: SampleColumn['type'], value: ValueOf, texts?: readonly string[]) =>
    void columns.push({ name: name(column), type, texts, value });

  add(ownColumns.time, 'time', (table, row) => writeLocal(table.time[row]!));
  if (vocabulary === 'snowplow') add(arrivalColumn, 'time', (table, row) => writeLocal(table.arrival[row]!));
  add(ownColumns.visitor, 'text', ({ visitor }, row) => (visitor[row] === 0 ? null : uuid(visitor[row]!, visitors)));
  add(ownColumns.user, 'text', ({ user }, row) =>
    user[row] === 0 ? null : `user-${userWord(salt, user[row]!).toString(16).padStart(8, '0')}`,
  );
  add(ownColumns.session, 'text', ({ session }, row) => (session[row] === 0 ? null : uuid(session[row]!, sessions)));
  add(ownColumns.id, 'text', ({ number }, row) => uuid(number[row]!, ids));
  for (const { code, columns: own, texts } of groups) {
    for (const column of own) {
      const values = texts.map((one): Value => one[column] ?? null);
      const type = values.some((value) => typeof value === 'number') ? 'integer' : 'text';
      const distinct =
        type === 'text' ? [...new Set(values.filter((value) => value !== null).map(String))].toSorted() : undefined;
      add(column, type, (table, row) => values[table[code][row]!]!, distinct);
    }
  }
  const pages = groups.find(({ code }) => code === 'page')!.texts;
  add(ownColumns.props, 'text', ({ page, seconds }, row) =>
    isCustom(page[row]!) ? propsOf(seconds[row]!, pages[page[row]!]!['doc_path']) : null,
  );

  return {
    columns,
    *batches(whileRunning) {
      let done = 0;
      for (const { table, rows } of sampleEvents(options)) {
        whileRunning(done);
        yield {
          rowCount: rows.length,
          columns: columns.map(({ value }) => Array.from(rows, (row) => value(table, row))),
        };
        done += rows.length;
      }
    },
  };
}
