import type { Engine } from '../engine/engine.ts';
import { quoteName, quoteText } from '../engine/sql-text.ts';
import { type InspectedFile, isWhole } from './event-reading.ts';
import { isText } from './event-source.ts';
import { csvWithFiles, eventsWithFurther } from './events-relation.ts';
import { mostKeys, shapedReader, unusedName } from './sample-keys.ts';

/** The column with the number that a row's file was given. */
export const fileNumberColumn = 'sluice number';

/** What files must have in common to be read by one statement; undefined: this one is read alone. */
export function shapeOf({ source, isPlain }: InspectedFile): string | undefined {
  // A mapping decides the formats of times over a whole file.
  if (!source || !isText(source) || !isPlain || source.mapped) return undefined;
  const { kind, compression } = source;
  return JSON.stringify(
    kind === 'json'
      ? [kind, compression, source.format]
      : [kind, compression, source.style, source.delimiter, source.header],
  );
}

/**
 * A SELECT as of `readEventFile` over files of one shape, in their order, with the number of each row's file in
 * `fileNumberColumn`. It is refused where one of the files holds a line that is no event. undefined: they have too many
 * keys together, or the packing of one is damaged.
 */
export async function readTogether(
  engine: Engine,
  files: readonly (InspectedFile & { readonly number: number })[],
): Promise<string | undefined> {
  const [first] = files;
  const paths = files.map(({ file }) => file.path);
  const source = first?.source && isText(first.source) ? { ...first.source, paths } : undefined;
  if (!source) return undefined;
  const keys = [...new Set(files.flatMap((file) => file.keys))];
  if (keys.length >= mostKeys) return undefined;
  const whole = await Promise.all(files.map(({ file, source: own }) => isWhole(engine, own, file.path)));
  if (!whole.every(Boolean)) return undefined;
  const known =
    source.kind === 'json'
      ? await shapedReader(engine, source, paths, keys)
      : csvWithFiles(source, unusedName(source.header));
  const place = `list_position([${paths.map(quoteText).join(', ')}], ${quoteName(known.fileColumn ?? '')})`;
  const number = `[${files.map((file) => file.number).join(', ')}][${place}]`;
  return eventsWithFurther(source, true, known, new Map([[fileNumberColumn, number]]));
}
