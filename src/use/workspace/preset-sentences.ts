import type { OnRecognised } from '../../run/duckdb/reading/map-files.ts';
import type { RecognisedFile } from '../../run/duckdb/reading/recognise-file.ts';
import { formatNumber, formatCount } from '../../shape/format/format-number.ts';

export interface FileOfPreset {
  /** As it is shown. */
  readonly file: string;
  readonly recognised: RecognisedFile;
}

/** What files were recognised as, what was derived, and what they lack: each preset is named once. */
export function presetSentences(files: readonly FileOfPreset[]): readonly string[] {
  return [...Map.groupBy(files, ({ recognised }) => recognised.preset)].flatMap(
    ([{ title, name, notes = [] }, own]) => {
      const which = own.length === 1 ? own[0]!.file : formatCount(own.length, 'file');
      const lacking = [...Map.groupBy(own, ({ recognised }) => recognised.missing.map(columnOf).join(', '))];
      return [
        `Read ${which} as ${title} (preset ${name}).`,
        ...notes,
        ...lacking.flatMap(([columns, without]) => {
          if (columns === '') return [];
          const where = without.length === 1 ? without[0]!.file : `${formatNumber(without.length)} files`;
          return [`The first events in ${where} lack ${columns}. Figures that need these columns are empty.`];
        }),
      ];
    },
  );
}

/** One of two alternatives, or the first of many; paths as people write them. */
function columnOf(expected: string): string {
  const alternatives = expected.split(' | ').map((path) => path.replace(/^\$\./, ''));
  return alternatives.length > 2 ? alternatives[0]! : alternatives.join(' or ');
}

/** Tells of each preset once. */
export function presetTracer(trace: (line: string) => void): OnRecognised {
  const told = new Set<string>();
  return (_path, { preset }) => {
    if (told.has(preset.name)) return;
    told.add(preset.name);
    for (const text of [`Read as ${preset.title} (preset ${preset.name}).`, ...(preset.notes ?? [])]) trace(text);
  };
}
