import { day } from '../../ask/time/granularity.ts';
import { writeLocal } from '../../ask/time/local-time.ts';
import type { EventTable } from './event-table.ts';
import { summandsOf, userWord, writeUuid, writeWord } from './identifiers.ts';
import { arrivalColumn, columnsFor, fileNames, ownColumns, propsOf, type SampleColumns } from './sample-columns.ts';
import { saltOf, sampleEvents, type SampleOptions } from './sample-events.ts';
import { isCustom, type Texts } from './site-texts.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The syntax of a text file with one record per line. */
interface LineForm {
  /** Text before the first record, between records, after each record, and after the last. */
  readonly open: string;
  readonly between: string;
  readonly end: string;
  readonly close: string;
  /** Quotes around an identifier or a time, which need no escaping. */
  readonly quote: string;
  /** Text before the value of a column; different for the first column of a record. */
  field(name: string, first?: boolean): string;
  value(value: string | number): string;
  /** The text for a column without a value. */
  readonly absent: string;
}

const jsonRecord = {
  quote: '"',
  absent: '',
  field: (name: string, first = false) => `${first ? '{' : ','}${JSON.stringify(name)}:`,
  value: (value: string | number) => JSON.stringify(value),
} as const;

const ndjson: LineForm = { ...jsonRecord, open: '', between: '', end: '}\n', close: '' };

const jsonArray: LineForm = { ...jsonRecord, open: '[\n', between: ',\n', end: '}', close: '\n]\n' };

/** A missing value is empty, and an empty text is a pair of quotes. */
function csv(header: readonly string[]): LineForm {
  const value = (written: string | number) => {
    const text = String(written);
    return text === '' || /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return {
    open: `${header.map(value).join(',')}\n`,
    between: '',
    end: '\n',
    close: '',
    quote: '',
    absent: ',',
    field: (_, first = false) => (first ? '' : ','),
    value,
  };
}

/** Writes a time into bytes at an offset. Returns the offset after it. */
type WriteTime = (time: number, target: Uint8Array, offset: number) => number;

/** Writes `YYYY-MM-DDTHH:mm:ss.SSS`, with `Z` if `zoned`. Caches the current date. */
function timeWriter(zoned: boolean): WriteTime {
  let date = Number.NaN;
  let written = Buffer.alloc(0);
  return (time, target, offset) => {
    const start = Math.floor(time / day);
    if (start !== date) {
      date = start;
      written = Buffer.from(writeLocal(start * day) + (zoned ? 'Z' : ''), 'latin1');
    }
    target.set(written, offset);
    const milliseconds = time - start * day;
    const seconds = Math.floor(milliseconds / 1000);
    const rest = milliseconds % 1000;
    writeTwo(Math.floor(seconds / 3600), target, offset + 11);
    writeTwo(Math.floor(seconds / 60) % 60, target, offset + 14);
    writeTwo(seconds % 60, target, offset + 17);
    target[offset + 20] = zero + Math.floor(rest / 100);
    writeTwo(rest % 100, target, offset + 21);
    return offset + written.length;
  };
}

const zero = 0x30;

function writeTwo(number: number, target: Uint8Array, offset: number): void {
  target[offset] = zero + Math.floor(number / 10);
  target[offset + 1] = zero + (number % 10);
}

export type LineFormat = 'ndjson' | 'json' | 'csv';

const pieceSize = 1 << 20;
/** Maximum length of a record in bytes. */
const longestRecord = 8192;

/**
 * Sample events as text, in pieces of about a megabyte. Before each, `whileRunning` is called with the number of events
 * so far.
 */
export function* writeLines(
  options: SampleOptions,
  format: LineFormat,
  vocabulary: Vocabulary,
  whileRunning: (events: number) => void,
): Generator<Buffer, void, undefined> {
  const columns = columnsFor(options, vocabulary);
  const form = { ndjson: () => ndjson, json: () => jsonArray, csv: () => csv(fileNames(columns)) }[format]();
  const write = recordWriter(columns, form, saltOf(options));
  const between = Buffer.from(form.between);
  let piece = Buffer.allocUnsafe(pieceSize);
  let length = piece.write(form.open);
  let written = 0;
  for (const { table, rows } of sampleEvents(options)) {
    for (const row of rows) {
      if (length + longestRecord > pieceSize) {
        whileRunning(written);
        yield piece.subarray(0, length);
        piece = Buffer.allocUnsafe(pieceSize);
        length = 0;
      }
      if (written++ > 0) length = put(between, piece, length);
      length = write(table, row, piece, length);
    }
  }
  length += piece.write(form.close, length);
  yield piece.subarray(0, length);
}

type WriteRecord = (table: EventTable, row: number, target: Uint8Array, offset: number) => number;

/** Caches the bytes of all values except times and identifiers, because they come from few codes. */
function recordWriter({ vocabulary, groups, name }: SampleColumns, form: LineForm, salt: number): WriteRecord {
  const quote = bytes(form.quote);
  const before = (column: string, first = false) => bytes(form.field(name(column), first) + form.quote);
  const absent = bytes(form.absent);
  const absentProps = bytes(form.absent + form.end);
  const time = before(ownColumns.time, true);
  const arrival = vocabulary === 'snowplow' ? before(arrivalColumn) : undefined;
  const user = bytes(`${form.field(name(ownColumns.user))}${form.quote}user-`);
  const [visitor, session, id] = [before(ownColumns.visitor), before(ownColumns.session), before(ownColumns.id)];
  const [visitors, sessions, ids] = [
    summandsOf(salt, 'visitor'),
    summandsOf(salt, 'session'),
    summandsOf(salt, 'event'),
  ];
  const writeTime = timeWriter(vocabulary === 'snowplow');
  const pieces = groups.map(({ code, texts, columns }) => ({
    code,
    written: writtenOnce((value) =>
      columns.map((column) => fieldText(form, name(column), texts[value]![column])).join(''),
    ),
  }));
  const pages = groups.find(({ code }) => code === 'page')!.texts;
  const props = writtenOnce(
    (value) =>
      form.field(name(ownColumns.props)) +
      form.value(propsOf(value % 1024, pages[Math.floor(value / 1024)]!['doc_path'])) +
      form.end,
  );

  return (table, row, target, offset) => {
    const putUuid = (front: Uint8Array, number: number, summands: Summands, at: number) =>
      number === 0
        ? put(absent, target, at)
        : put(quote, target, writeUuid(number, summands, target, put(front, target, at)));
    let end = put(quote, target, writeTime(table.time[row]!, target, put(time, target, offset)));
    if (arrival) end = put(quote, target, writeTime(table.arrival[row]!, target, put(arrival, target, end)));
    end = putUuid(visitor, table.visitor[row]!, visitors, end);
    const known = table.user[row]!;
    end =
      known === 0
        ? put(absent, target, end)
        : put(quote, target, writeWord(userWord(salt, known), target, put(user, target, end)));
    end = putUuid(session, table.session[row]!, sessions, end);
    end = putUuid(id, table.number[row]!, ids, end);
    for (const { code, written } of pieces) end = put(written(table[code][row]!), target, end);
    const page = table.page[row]!;
    return put(isCustom(page) ? props(page * 1024 + table.seconds[row]!) : absentProps, target, end);
  };
}

type Summands = ReturnType<typeof summandsOf>;

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

function put(piece: Uint8Array, target: Uint8Array, offset: number): number {
  target.set(piece, offset);
  return offset + piece.length;
}

/** Caches texts by a small number, each created on first use. */
function writtenOnce(text: (value: number) => string): (value: number) => Uint8Array {
  const known = new Map<number, Uint8Array>();
  return (value) => {
    let written = known.get(value);
    if (written === undefined) known.set(value, (written = bytes(text(value))));
    return written;
  };
}

function fieldText(form: LineForm, name: string, value: Texts[string]): string {
  return value === undefined ? form.absent : form.field(name) + form.value(value);
}
