import type { OnRecognised } from '../../run/duckdb/reading/recognise/map-files.ts';
import type { RecognisedFile } from '../../run/duckdb/reading/recognise/recognise-file.ts';
import { formatNumber, formatCount } from '../../shape/format/format-number.ts';

interface FileOfPreset {
  /** Path for display. */
  readonly file: string;
  readonly recognised: RecognisedFile;
}

/** Describes the detected presets of files, derived values and missing columns. Names each preset once. */
export function presetSentences(files: readonly FileOfPreset[]): readonly string[] {
  return [...Map.groupBy(files, ({ recognised }) => recognised.preset)].flatMap(([{ title, name }, own]) => {
    const which = own.length === 1 ? own[0]!.file : formatCount(own.length, 'file');
    const lacking = [...Map.groupBy(own, ({ recognised }) => recognised.missing.join('\n')).values()];
    return [
      `Read ${which} as ${title} (preset ${name}).`,
      ...new Set(own.flatMap(({ recognised }) => recognised.notes)),
      ...lacking.flatMap((without) => {
        const [{ file, recognised }] = without as [FileOfPreset];
        const where = without.length === 1 ? file : `${formatNumber(without.length)} files`;
        return recognised.missing.length === 0 ? [] : [lackingSentence(where, recognised)];
      }),
    ];
  });
}

function lackingSentence(where: string, { missing, preset: { instead = {} } }: RecognisedFile): string {
  const fallbackOf = (expected: string) => {
    const fallback = instead[expected];
    return fallback?.needs !== undefined && missing.includes(fallback.needs) ? undefined : fallback;
  };
  const empty = missing.filter((expected) => !fallbackOf(expected));
  const replaced = missing.flatMap((expected) => {
    const fallback = fallbackOf(expected);
    return fallback ? [`Without ${columnOf(expected)}, ${fallback.text}.`] : [];
  });
  const which = replaced.length === 0 ? 'these columns' : empty.map(columnOf).join(', ');
  return [
    `The first events in ${where} lack ${missing.map(columnOf).join(', ')}.`,
    ...replaced,
    ...(empty.length === 0 ? [] : [`Figures that need ${which} are empty.`]),
  ].join(' ');
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
