import { throwIfAborted } from '../../ask/sluice-error.ts';
import type { Column, ValueType } from '../../plan/column.ts';
import { writeFileWhole } from '../../run/file/write-file.ts';
import { checkSample } from '../../run/sample/check-sample.ts';
import { type SampleColumn, sampleRows } from '../../run/sample/sample-batches.ts';
import type { SampleFileOptions } from '../../run/sample/write-sample.ts';
import { writeArrow } from '../../show/arrow/write-arrow.ts';

/** Like `writeSample`, in Arrow's file format. */
export async function writeSampleArrow(options: SampleFileOptions, file: string, signal?: AbortSignal): Promise<void> {
  checkSample(options);
  const { columns, batches } = sampleRows(options, options.vocabulary ?? 'documentation');
  const whileRunning = (events: number) => {
    throwIfAborted(signal);
    options.onProgress?.(events);
  };
  await writeFileWhole(
    file,
    writeArrow(columns.map(toColumn), batches(whileRunning), {
      form: 'file',
      types: columns.map(({ type }): ValueType => (type === 'time' ? { kind: 'time', utc: false } : { kind: type })),
      dictionaries: columns.map(({ texts }) => texts),
      zone: 'UTC',
      metadata: new Map(),
    }),
    signal,
  );
}

function toColumn({ name, type }: SampleColumn): Column {
  const kinds = { time: 'time', text: 'string', integer: 'number' } as const;
  return {
    key: name,
    member: name,
    kind: 'dimension',
    type: kinds[type],
    title: name,
    shortTitle: name,
    additive: false,
    whenAbsent: null,
  };
}
