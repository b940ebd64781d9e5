import { existsSync } from 'node:fs';
import { shellWord } from '../../ask/text.ts';
import type { Mapping } from '../../plan/mapping/mapping.ts';
import type { Download } from '../../run/duckdb/reading/find-files.ts';
import type { MappingOf } from '../../run/duckdb/reading/recognise/map-files.ts';
import type { Encodings } from '../../run/file/encoding.ts';
import type { StoreSource } from '../../run/store/store-contents.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';

/** Returns the configured mapping of each event file; undefined if no mapping is configured. */
export async function openMappings(
  {
    columns,
    decimal: { value: decimal },
    preset: { value: preset },
    sources,
  }: Pick<Settings, 'columns' | 'decimal' | 'preset' | 'sources'>,
  download?: Download,
): Promise<MappingOf | undefined> {
  const isGiven = Object.keys(columns.value).length > 0 || preset !== undefined || decimal !== undefined;
  if (!isGiven && sources.value.length === 0) return undefined;
  const { matchFiles } = await import('../../run/duckdb/reading/find-files.ts');
  const { tableOfCopy } = await import('../../run/duckdb/reading/database/database-path.ts');
  const keyOf = (file: string) => tableOfCopy(file) ?? file;
  const own = new Map<string, Mapping>();
  for (const { files, mapping } of sources.value) {
    const whole: Mapping = {
      preset,
      ...(decimal !== undefined && { decimal }),
      ...mapping,
      columns: { ...columns.value, ...mapping.columns },
    };
    for (const file of (await matchFiles(files, download)).map(keyOf)) if (!own.has(file)) own.set(file, whole);
  }
  const common: Mapping | undefined = isGiven
    ? { columns: columns.value, preset, ...(decimal !== undefined && { decimal }) }
    : undefined;
  return (file) => own.get(keyOf(file)) ?? common;
}

/** Returns the configured encoding of each event file. */
export async function openEncodings(
  { encoding: { value: common }, sources }: Pick<Settings, 'encoding' | 'sources'>,
  download?: Download,
): Promise<Encodings> {
  const declared = sources.value.filter(({ encoding }) => encoding !== undefined);
  if (declared.length === 0) return common;
  const { matchFiles } = await import('../../run/duckdb/reading/find-files.ts');
  const own = new Map<string, string | undefined>();
  // As with mappings, the first source that names a file wins.
  for (const { files, encoding } of sources.value)
    for (const file of await matchFiles(files, download)) if (!own.has(file)) own.set(file, encoding);
  return (file) => own.get(file) ?? common;
}

/** Maximum number of files in a command to load files again. */
const mostNamed = 5;

/**
 * A sentence if files of a store have another mapping in the configuration than they were loaded with, because its
 * events keep the former. Files that no longer exist are ignored.
 */
export async function tellRemapped(
  settings: Settings,
  sources: readonly StoreSource[],
  cwd: string,
): Promise<string | undefined> {
  const mappingOf = await openMappings(settings);
  if (!mappingOf) return undefined;
  const { mappingHash } = await import('../../run/store/store-contents.ts');
  const files = sources
    .filter(({ file, mapping, window, rows }) => {
      const configured = mappingOf(file);
      const isOther = configured !== undefined && mappingHash(configured) !== mapping;
      return isOther && rows > 0 && !window && !file.startsWith(settings.downloads.value) && existsSync(file);
    })
    .map(({ file }) => showPath(file, cwd));
  if (files.length === 0) return undefined;
  const named = files.slice(0, mostNamed).map(shellWord).join(' ');
  const were = files.length === 1 ? 'file of the store was' : 'files of the store were';
  return (
    `${files.length} ${were} loaded with another mapping than the configured one. ` +
    `To apply it: sluice ingest ${named}${files.length > mostNamed ? ' …' : ''}`
  );
}
