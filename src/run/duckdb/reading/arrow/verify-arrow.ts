import { type Batch, type DataType, type Field, Type, UnionMode } from '@uwdata/flechette';
import type { ArrowMessage } from './arrow-messages.ts';
import type { FlatTable, FlatVector } from './flatbuffer.ts';

// flechette allocates lists as long as the metadata says. Damaged metadata would exhaust memory or never end. These
// functions first check the metadata against the available bytes (arrow.apache.org, "Columnar Format").

/** Deeper nesting indicates damage. */
const deepest = 64;
/** Decimals have at most 76 digits. */
const largestScale = 256;
/** Rows that need no bytes, such as nulls and runs. */
const mostFreeRows = 1 << 20;
/** Total size of a batch's buffers, unpacked. */
const largestBody = 2 ** 32;
const version4 = 3;
const version5 = 4;

/** Throws if the counts of a schema do not fit its bytes. `message`: its FlatBuffers table. */
export function verifySchema(message: FlatTable, bytes: number): void {
  let left = bytes;
  const spend = (vector: FlatVector) => {
    left -= vector.length + 1;
    if (left < 0) throw new RangeError('fields that contain each other');
    return vector;
  };
  const eachTable = (vector: FlatVector, visit: (table: FlatTable) => void) => {
    spend(vector);
    for (let index = 0; index < vector.length; index++) visit(vector.table(index));
  };
  const verifyField = (field: FlatTable, depth: number) => {
    if (depth > deepest) throw new RangeError('fields nested too deeply');
    const typeIds = field.byte(2) === Type.Union ? field.table(3)?.vector(1, 4) : undefined;
    if (typeIds) spend(typeIds);
    eachTable(field.vector(5, 4), (child) => verifyField(child, depth + 1));
    eachTable(field.vector(6, 4), () => undefined);
  };
  const schema = message.table(2);
  if (!schema) throw new RangeError('an empty schema');
  eachTable(schema.vector(1, 4), (field) => verifyField(field, 0));
  eachTable(schema.vector(2, 4), () => undefined);
}

/** Throws if a type is invalid. */
export function verifyTypes(fields: readonly Field[]): void {
  for (const { type } of fields) {
    if (type.typeId === Type.Decimal && type.scale > largestScale)
      throw new RangeError('a decimal with too many digits');
    if ('stride' in type && type.stride < 0) throw new RangeError('a list with a negative length');
    verifyTypes(childrenOf(type.typeId === Type.Dictionary ? type.dictionary : type));
    // flechette expands dictionaries immediately, before the lengths of their lists can be checked.
    if (type.typeId === Type.Dictionary && childrenOf(type.dictionary).length > 0) {
      throw new RangeError('a dictionary of nested values is not supported');
    }
  }
}

function childrenOf(type: DataType): readonly Field[] {
  return 'children' in type ? (type.children as readonly Field[]) : [];
}

/** Throws if a batch's rows and buffers, according to its metadata, do not fit its bytes. */
export function verifyBatch({ flat, body, dictionary }: ArrowMessage, fields: readonly Field[]): void {
  const header = flat.table(2);
  const batch = dictionary ? header?.table(1) : header;
  if (!batch) throw new RangeError('an empty batch');
  const values = dictionary && typeOfDictionary(fields, Number(dictionary.id));
  if (dictionary && !values) throw new RangeError('a dictionary without a column');
  const types = values ? [values] : fields.map(({ type }) => type);
  const version = flat.short(0);
  const sizes = bufferSizes(batch, body, version);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > largestBody) throw new RangeError('a batch that is too large');
  const mostRows = Math.max(mostFreeRows, 8 * total);
  const nodes = batch.vector(1, 16);
  const variadic = batch.vector(4, 8);
  let [node, buffer, view] = [0, 0, 0];
  const takeBuffer = (least: number) => {
    const size = sizes[buffer++];
    if (size === undefined || size < least) throw new RangeError('a buffer shorter than its rows');
  };
  const visit = (type: DataType): number => {
    const length = nodes.long(node);
    const missing = nodes.long(node++, 8);
    if (length < 0 || length > mostRows || missing < 0 || missing > length) {
      throw new RangeError('more rows than there are bytes');
    }
    const { typeId } = type;
    const hasValidity =
      typeId !== Type.Null && typeId !== Type.RunEndEncoded && (typeId !== Type.Union || version < version5);
    if (hasValidity) takeBuffer(typeId !== Type.Union && missing > 0 ? Math.ceil(length / 8) : 0);
    for (const least of buffersOf(type, length)) takeBuffer(least);
    if (typeId === Type.BinaryView || typeId === Type.Utf8View) {
      const more = variadic.long(view++);
      if (more < 0 || more > sizes.length) throw new RangeError('more buffers than there are');
      for (let index = 0; index < more; index++) takeBuffer(0);
    }
    const isParallel = typeId === Type.Struct || (typeId === Type.Union && type.mode === UnionMode.Sparse);
    const least = typeId === Type.FixedSizeList ? length * type.stride : isParallel ? length : 0;
    for (const { type: child } of childrenOf(type)) {
      if (visit(child) < least) throw new RangeError('fewer values than rows');
    }
    return length;
  };
  const length = Number(batch.long(0));
  for (const type of types) if (visit(type) !== length) throw new RangeError('columns with different lengths');
}

function typeOfDictionary(fields: readonly Field[], id: number): DataType | undefined {
  for (const { type } of fields) {
    if (type.typeId === Type.Dictionary && type.id === id) return type.dictionary;
    const found = typeOfDictionary(childrenOf(type), id);
    if (found) return found;
  }
  return undefined;
}

/** The unpacked size of each buffer. */
function bufferSizes(batch: FlatTable, body: Buffer, version: number): readonly number[] {
  const front = version < version4 ? 8 : 0;
  const regions = batch.vector(2, 16 + front);
  const compression = batch.table(3);
  return Array.from({ length: regions.length }, (_, index) => {
    const offset = regions.long(index, front);
    const length = regions.long(index, front + 8);
    if (offset < 0 || length < 0 || offset + length > body.length) {
      throw new RangeError('a buffer outside its batch');
    }
    if (!compression || length === 0) return length;
    const unpacked = Number(body.subarray(offset, offset + length).readBigInt64LE(0));
    if (unpacked === -1) return length - 8;
    // No compression achieves a higher ratio.
    if (unpacked < 0 || unpacked > 65_536 * length) throw new RangeError('a buffer with an invalid length');
    return unpacked;
  });
}

const floatBytes = [2, 4, 8];
const intervalBytes = [4, 8, 16];

/** The minimum sizes of the buffers for a number of rows, without the validity buffer. */
function buffersOf(type: DataType, rows: number): readonly number[] {
  const offsets = (bytes: number) => (rows === 0 ? 0 : (rows + 1) * bytes);
  switch (type.typeId) {
    case Type.Bool:
      return [Math.ceil(rows / 8)];
    case Type.Int:
    case Type.Decimal:
    case Type.Time:
      return [(rows * type.bitWidth) / 8];
    case Type.Float:
      return [rows * floatBytes[type.precision]!];
    case Type.Date:
      return [rows * (type.unit === 0 ? 4 : 8)];
    case Type.Timestamp:
    case Type.Duration:
      return [rows * 8];
    case Type.Interval:
      return [rows * intervalBytes[type.unit]!];
    case Type.FixedSizeBinary:
      return [rows * type.stride];
    case Type.Utf8:
    case Type.Binary:
      return [offsets(4), 0];
    case Type.LargeUtf8:
    case Type.LargeBinary:
      return [offsets(8), 0];
    case Type.BinaryView:
    case Type.Utf8View:
      return [rows * 16];
    case Type.List:
    case Type.Map:
      return [offsets(4)];
    case Type.LargeList:
      return [offsets(8)];
    case Type.ListView:
      return [rows * 4, rows * 4];
    case Type.LargeListView:
      return [rows * 8, rows * 8];
    case Type.Dictionary:
      return [(rows * type.indices.bitWidth) / 8];
    case Type.Union:
      return type.mode === UnionMode.Sparse ? [rows] : [rows, rows * 4];
    default:
      return [];
  }
}

/** Throws if lists of a decoded batch exceed their values. */
export function verifyLists({ children, length, offsets, sizes, type }: Batch<unknown>): void {
  const isList = type.typeId === Type.List || type.typeId === Type.LargeList || type.typeId === Type.Map;
  const isView = type.typeId === Type.ListView || type.typeId === Type.LargeListView;
  if (offsets && children?.[0] && length > 0 && (isList || isView)) {
    for (let row = 0; row < length; row++) {
      const start = Number(offsets[row]);
      const end = isView ? start + Number(sizes![row]) : Number(offsets[row + 1]);
      if (!(start >= 0 && start <= end && end <= children[0].length)) {
        throw new RangeError('a list that exceeds its values');
      }
    }
  }
  children?.forEach((child) => verifyLists(child));
}
