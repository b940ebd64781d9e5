import { readRecord } from '../../../../ask/document/json-record.ts';
import { splitArray } from './split-array.ts';
import { splitObjects } from './split-objects.ts';
import type { TakeRecord } from './split-records.ts';

export type SampledRecord = Readonly<Record<string, unknown>>;

/** Number of records that identify a file. */
const most = 100;

/**
 * The first complete objects in the head of a JSON file; other records are skipped. `rest`: the remaining bytes, if
 * available; `all` then has the objects of the whole file.
 */
export function headRecords(
  head: Buffer,
  format: 'newline_delimited' | 'array',
  rest?: Buffer,
): { readonly sample: readonly SampledRecord[]; readonly all?: readonly SampledRecord[] } {
  const records: SampledRecord[] = [];
  const take: TakeRecord = ({ bytes }) => {
    const record = (rest || records.length < most) && bytes ? readRecord(bytes.toString('utf8')) : undefined;
    if (record) records.push(record);
  };
  const splitter = format === 'array' ? splitArray(take) : splitObjects(take);
  splitter.push(head);
  const sample = rest?.length ? records.slice(0, most) : undefined;
  if (rest) splitter.push(rest);
  // The last line of a whole file may lack a line break. A partial line does not parse.
  if (format === 'newline_delimited') splitter.end();
  return rest ? { sample: sample ?? records.slice(0, most), all: records } : { sample: records };
}
