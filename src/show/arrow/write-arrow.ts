import { granularityName, type Column, type ValueType } from '../../plan/column.ts';
import {
  bool,
  type DataType,
  decimal128,
  dictionary,
  field,
  type Field,
  float64,
  int32,
  int64,
  timestamp,
  TimeUnit,
  utf8,
} from '@uwdata/flechette';
import type { Batch } from '../../run/backend.ts';
import { joinValues } from '../../shape/values/join-values.ts';
import type { Values } from '../../shape/values/values.ts';
import { type EncodedColumn, toColumnEncoder } from './encode-column.ts';
import {
  type ArrowBlock,
  type ArrowBody,
  Builder,
  encodeDictionaryBatch,
  encodeRecordBatch,
  encodeSchema,
  endOfStream,
  magic,
  messageKinds,
  writeFooter,
  writeMessage,
} from './flechette-parts.ts';

export interface ArrowOptions {
  /** `file`: with a footer that lists the batches (`.arrow`, `.feather`). `stream`: for pipes (`.arrows`). */
  readonly form: 'file' | 'stream';
  /** One per column. */
  readonly types: readonly ValueType[];
  /** All texts of a column with few distinct ones. Such a column is dictionary-encoded. */
  readonly dictionaries: readonly (readonly string[] | undefined)[];
  /** IANA time zone of the buckets. */
  readonly zone: string;
  readonly metadata: ReadonlyMap<string, string>;
}

/** Rows in a batch. The texts of a batch must fit into two gigabytes. */
const batchRows = 16_384;

/** Writes Arrow's IPC format, one message per chunk. The bytes depend on the rows, not on how they were batched. */
export async function* writeArrow(
  columns: readonly Column[],
  batches: AsyncIterable<Batch> | Iterable<Batch>,
  options: ArrowOptions,
): AsyncGenerator<Uint8Array> {
  const { form, types, dictionaries, zone, metadata } = options;
  const written: Uint8Array[] = [];
  const builder = new Builder({ write: (bytes) => void written.push(bytes) });
  const take = () => joinBytes(written.splice(0));
  const schema = {
    fields: columns.map((column, index) =>
      toField(column, types[index] as ValueType, zone, dictionaries[index] && index),
    ),
    metadata,
  };
  const blocks = { dictionaries: [] as ArrowBlock[], records: [] as ArrowBlock[] };

  if (form === 'file') builder.addBuffer(magic);
  writeMessage(builder, messageKinds.schema, encodeSchema(builder, schema), 0);
  for (const [id, texts] of dictionaries.entries()) {
    if (!texts) continue;
    const data = toBody([toColumnEncoder({ kind: 'text' })(texts)]);
    writeMessage(
      builder,
      messageKinds.dictionary,
      encodeDictionaryBatch(builder, { id, isDelta: false, data }),
      data.byteLength,
      blocks.dictionaries,
    );
    data.buffers.forEach((buffer) => builder.addBuffer(buffer));
  }
  const encoders = types.map((type, index) => toColumnEncoder(type, dictionaries[index]));
  for await (const batch of rebatch(batches, batchRows)) {
    const data = toBody(encoders.map((encode, index) => encode(batch.columns[index] as Values)));
    writeMessage(builder, messageKinds.records, encodeRecordBatch(builder, data), data.byteLength, blocks.records);
    data.buffers.forEach((buffer) => builder.addBuffer(buffer));
    yield take();
  }
  builder.addBuffer(endOfStream);
  if (form === 'file') writeFooter(builder, schema, blocks.dictionaries, blocks.records);
  yield take();
}

function toBody(columns: readonly EncodedColumn[]): ArrowBody {
  let byteLength = 0;
  const buffers = columns.flatMap((column) => column.buffers);
  const regions = buffers.map(({ length }) => {
    const offset = byteLength;
    byteLength += Math.ceil(length / 8) * 8;
    return { offset, length };
  });
  return {
    byteLength,
    regions,
    buffers,
    variadic: [],
    nodes: columns.map(({ length, nullCount }) => ({ length, nullCount })),
  };
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A column as a field of an Arrow schema. `id` is the ID of its dictionary, if it has one. */
function toField(column: Column, type: ValueType, zone: string, id: number | undefined): Field {
  const data = id === undefined ? toDataType(column, type, zone) : dictionary(utf8(), int32(), false, id);
  const granularity = granularityName(column);
  const metadata = new Map([
    ['title', column.title],
    ['member', column.member],
    ...(granularity === undefined ? [] : [['granularity', granularity] as const]),
  ]);
  return field(column.key, data, true, metadata as never);
}

function toDataType(column: Column, type: ValueType, zone: string): DataType {
  switch (type.kind) {
    case 'text':
      return utf8();
    case 'boolean':
      return bool();
    case 'integer':
      return int64();
    case 'double':
      return float64();
    case 'decimal':
      return decimal128(type.precision, type.scale);
    case 'time':
      // Readers show instants in this zone. Buckets are those of the query's zone.
      return type.utc
        ? timestamp(TimeUnit.MILLISECOND, column.kind === 'time' && column.granularity !== undefined ? zone : 'UTC')
        : timestamp(TimeUnit.MILLISECOND);
  }
}

/** Yields the same rows in batches of `size`; the last one may be smaller. */
async function* rebatch(batches: AsyncIterable<Batch> | Iterable<Batch>, size: number): AsyncGenerator<Batch> {
  let waiting: Batch[] = [];
  let count = 0;
  for await (const batch of batches) {
    for (let start = 0; start < batch.rowCount; ) {
      const end = Math.min(batch.rowCount, start + size - count);
      waiting.push(slice(batch, start, end));
      count += end - start;
      start = end;
      if (count < size) continue;
      yield join(waiting);
      waiting = [];
      count = 0;
    }
  }
  if (count > 0) yield join(waiting);
}

function slice(batch: Batch, start: number, end: number): Batch {
  if (start === 0 && end === batch.rowCount) return batch;
  return { rowCount: end - start, columns: batch.columns.map((values) => values.slice(start, end)) };
}

function join(batches: readonly Batch[]): Batch {
  const [first] = batches as readonly [Batch];
  if (batches.length === 1) return first;
  return {
    rowCount: batches.reduce((sum, { rowCount }) => sum + rowCount, 0),
    columns: first.columns.map((_, index) =>
      joinValues(batches.map(({ columns }) => columns[index] as Batch['columns'][number])),
    ),
  };
}
