import type { OnRecognised } from '../../run/duckdb/reading/recognise/map-files.ts';
import type { RecognisedFile } from '../../run/duckdb/reading/recognise/recognise-file.ts';
import { formatNumber, formatCount } from '../../shape/format/format-number.ts';

export interface FileOfPreset {
  /** Path for display. */
  readonly file: string;
  readonly recognised: RecognisedFile;
}

/** Describes the detected presets of files, derived values and missing columns. Names each preset once. */
export function presetSentences(files: readonly FileOfPreset[]): readonly string[] {
  return [...Map.groupBy(files, ({ recognised }) => recognised.preset)].flatMap(([{ title, name }, own]) => {
    const which = own.length === 1 ? own[0]!.file : formatCount(own.length, 'file');
    const lacking = [...Map.groupBy(own, ({ recognised }) => recognised.missing.map(columnOf).join(', '))];
    return [
      `Read ${which} as ${title} (preset ${name}).`,
      ...new Set(own.flatMap(({ recognised }) => recognised.notes)),
      ...lacking.flatMap(([columns, without]) => {
        if (columns === '') return [];
        const where = without.length === 1 ? without[0]!.file : `${formatNumber(without.length)} files`;
        return [`The first events in ${where} lack ${columns}. Figures that need these columns are empty.`];
      }),
    ];
  });
}

/** Formats an expected column: both of two alternatives, or the first of more. */
function columnOf(expected: string): string {
  const alternatives = expected.split(' | ').map((path) => path.replace(/^\$\./, ''));
  return alternatives.length > 2 ? alternatives[0]! : alternatives.join(' or ');
}

/** Traces each preset once. */
export function presetTracer(trace: (line: string) => void): OnRecognised {
  const told = new Set<string>();
  return (_path, { preset, notes }) => {
    if (told.has(preset.name)) return;
    told.add(preset.name);
    for (const text of [`Read as ${preset.title} (preset ${preset.name}).`, ...notes]) trace(text);
  };
}
