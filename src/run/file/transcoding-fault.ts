// A character that cannot be decoded is replaced by a mark that is not valid UTF-8. The record with it is therefore
// rejected, and the mark names the faulty byte of the file.

const markStart = 0xff;
const markEnd = 0xfe;

/** A byte that is invalid in its file's encoding. */
interface TranscodingFault {
  readonly encoding: string;
  /** Hexadecimal. */
  readonly byte: string;
  readonly line: number;
  /** Position in the line, from 1. */
  readonly position: number;
}

/** The mark of a fault, which is not valid UTF-8. */
export function writeFault({ encoding, byte, line, position }: TranscodingFault): Buffer {
  const text = Buffer.from(`${encoding} ${byte} ${line} ${position}`, 'latin1');
  return Buffer.concat([Buffer.of(markStart), text, Buffer.of(markEnd)]);
}

/** For people. `record`: the line that the message already names. */
export function describeFault({ encoding, byte, line, position }: TranscodingFault, record = line): string {
  const where = line === record ? '' : ` of line ${line}`;
  return `not valid ${encoding}: byte 0x${byte} at position ${position}${where}`;
}

/** The first fault marked in a record that is not valid UTF-8. */
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
