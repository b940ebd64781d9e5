// A character that cannot be decoded becomes a mark that is not UTF-8 either, so that the record that holds it is
// rejected, and says which byte of the file was at fault.

const markStart = 0xff;
const markEnd = 0xfe;

/** A byte that is no text in the encoding of its file. */
interface TranscodingFault {
  readonly encoding: string;
  /** In hex. */
  readonly byte: string;
  readonly line: number;
  /** In the line, from 1. */
  readonly position: number;
}

/** The mark of a fault; not UTF-8. */
export function writeFault({ encoding, byte, line, position }: TranscodingFault): Buffer {
  const text = Buffer.from(`${encoding} ${byte} ${line} ${position}`, 'latin1');
  return Buffer.concat([Buffer.of(markStart), text, Buffer.of(markEnd)]);
}

/** For people. `record`: the line that is named beside it already. */
export function describeFault({ encoding, byte, line, position }: TranscodingFault, record = line): string {
  const where = line === record ? '' : ` of line ${line}`;
  return `not valid ${encoding}: byte 0x${byte} at position ${position}${where}`;
}

/** Of a record that is not UTF-8: what transcoding marked first. */
export function readTranscodingFault(record: Buffer): TranscodingFault | undefined {
  const start = record.indexOf(markStart);
  const end = record.indexOf(markEnd, start + 1);
  if (start < 0 || end < 0) return undefined;
  const found = /^([\w-]{1,20}) ([0-9a-f]{2}) (\d{1,15}) (\d{1,15})$/.exec(record.toString('latin1', start + 1, end));
  const [, encoding = '', byte = '', line, position] = found ?? [];
  return found ? { encoding, byte: byte.toUpperCase(), line: Number(line), position: Number(position) } : undefined;
}

/** The record with a replacement character for each mark. */
export function withoutFaults(record: Buffer): string {
  return record
    .toString('latin1')
    .split(/\xff[\w-]{1,20} [0-9a-f]{2} \d{1,15} \d{1,15}\xfe/)
    .map((part) => Buffer.from(part, 'latin1').toString('utf8'))
    .join('');
}
