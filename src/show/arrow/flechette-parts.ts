// flechette's own encoder requires a whole table. These parts of it take one batch at a time. Only its entry has
// declarations.
// @ts-expect-error: no declarations
import { Builder as OpenBuilder } from '@uwdata/flechette/src/encode/builder.js';
// @ts-expect-error: no declarations
import { encodeDictionaryBatch as encodeOneDictionary } from '@uwdata/flechette/src/encode/dictionary-batch.js';
// @ts-expect-error: no declarations
import { writeFooter as writeOneFooter } from '@uwdata/flechette/src/encode/footer.js';
// @ts-expect-error: no declarations
import { writeMessage as writeOneMessage } from '@uwdata/flechette/src/encode/message.js';
// @ts-expect-error: no declarations
import { encodeRecordBatch as encodeOneBatch } from '@uwdata/flechette/src/encode/record-batch.js';
// @ts-expect-error: no declarations
import { encodeSchema as encodeOneSchema } from '@uwdata/flechette/src/encode/schema.js';
import type { Field } from '@uwdata/flechette';

interface ArrowSchema {
  readonly fields: readonly Field[];
  readonly metadata: ReadonlyMap<string, string>;
}

/** The buffers of one batch, and their offsets in the message body. */
export interface ArrowBody {
  readonly byteLength: number;
  readonly nodes: readonly { readonly length: number; readonly nullCount: number }[];
  readonly regions: readonly { readonly offset: number; readonly length: number }[];
  readonly variadic: readonly number[];
  readonly buffers: readonly Uint8Array[];
}

/** The position of a message in a file. */
export interface ArrowBlock {
  readonly offset: number;
  readonly metadataLength: number;
  readonly bodyLength: number;
}

interface ArrowBuilder {
  /** Appends bytes, padded to a multiple of eight. */
  addBuffer(bytes: Uint8Array): number;
}

type Offset = number;

export const Builder: new (sink: { write(bytes: Uint8Array): void }) => ArrowBuilder = OpenBuilder;
export const encodeSchema: (builder: ArrowBuilder, schema: ArrowSchema) => Offset = encodeOneSchema;
export const encodeDictionaryBatch: (
  builder: ArrowBuilder,
  batch: { readonly id: number; readonly isDelta: boolean; readonly data: ArrowBody },
) => Offset = encodeOneDictionary;
export const encodeRecordBatch: (builder: ArrowBuilder, batch: ArrowBody) => Offset = encodeOneBatch;
export const writeMessage: (
  builder: ArrowBuilder,
  header: number,
  offset: Offset,
  bodyLength: number,
  blocks?: ArrowBlock[],
) => void = writeOneMessage;
export const writeFooter: (
  builder: ArrowBuilder,
  schema: ArrowSchema,
  dictionaries: readonly ArrowBlock[],
  batches: readonly ArrowBlock[],
) => void = writeOneFooter;

/** Constants of the Arrow format (`Message.fbs` and the IPC specification). */
export const messageKinds = { schema: 1, dictionary: 2, records: 3 } as const;
export const magic = Uint8Array.of(65, 82, 82, 79, 87, 49);
export const endOfStream = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);
