import type { Column } from '../../plan/column.ts';
import type { ValueType } from '../../plan/value-type.ts';
import type { Batch } from '../../run/backend.ts';
import type { Values } from '../../shape/values/values.ts';
import { toField } from './arrow-schema.ts';
import { toColumnEncoder, type EncodedColumn } from './encode-column.ts';
import { Builder, encodeDictionaryBatch, encodeRecordBatch, encodeSchema, endOfStream, magic, messageKinds, writeFooter, writeMessage, type ArrowBlock, type ArrowBody } from './flechette-parts.ts';
import { rebatch } from './rebatch.ts';

export interface ArrowOptions {
  /** `file`: with a footer that tells where the batches stand (`.arrow`, `.feather`). `stream`: as pipes have it (`.arrows`). */
  readonly form: 'file' | 'stream';
  /** One for each column. */
  readonly types: readonly ValueType[];
  /** For columns of texts of which there are few: all of them. Such a column is written as places in its dictionary. */
  readonly dictionaries: readonly (readonly string[] | undefined)[];
  /** IANA name of the zone of the buckets. */
  readonly zone: string;
  readonly metadata: ReadonlyMap<string, string>;
}

/** Rows in a batch. The texts of a batch must fit into two gigabytes. */
const batchRows = 16_384;

/** An answer in Arrow's IPC format, a message a chunk. The same rows make the same bytes, however they were batched. */
export async function* writeArrow(columns: readonly Column[], batches: AsyncIterable<Batch> | Iterable<Batch>, options: ArrowOptions): AsyncGenerator<Uint8Array> {
  const { form, types, dictionaries, zone, metadata } = options;
  const written: Uint8Array[] = [];
  const builder = new Builder({ write: (bytes) => void written.push(bytes) });
  const take = () => joinBytes(written.splice(0));
  const schema = { fields: columns.map((column, index) => toField(column, types[index] as ValueType, zone, dictionaries[index] && index)), metadata };
  const blocks = { dictionaries: [] as ArrowBlock[], records: [] as ArrowBlock[] };

  if (form === 'file') builder.addBuffer(magic);
  writeMessage(builder, messageKinds.schema, encodeSchema(builder, schema), 0);
  for (const [id, texts] of dictionaries.entries()) {
    if (!texts) continue;
    const data = toBody([toColumnEncoder({ kind: 'text' })(texts)]);
    writeMessage(builder, messageKinds.dictionary, encodeDictionaryBatch(builder, { id, isDelta: false, data }), data.byteLength, blocks.dictionaries);
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
  return { byteLength, regions, buffers, variadic: [], nodes: columns.map(({ length, nullCount }) => ({ length, nullCount })) };
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
