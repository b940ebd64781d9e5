import type { Mapping } from '../../plan/mapping/mapping.ts';
import type { Download } from '../../run/duckdb/reading/find-files.ts';
import type { MappingOf } from '../../run/duckdb/reading/map-files.ts';
import type { Encodings } from '../../run/file/encoding.ts';
import type { Settings } from '../config/settings.ts';

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
  const hasColumns = Object.keys(columns.value).length > 0;
  const isGiven = hasColumns || preset !== undefined || decimal !== undefined;
  if (!isGiven && sources.value.length === 0) return undefined;
  const { matchFiles } = await import('../../run/duckdb/reading/find-files.ts');
  const own = new Map<string, Mapping>();
  for (const { files, mapping } of sources.value) {
    const whole: Mapping = {
      preset,
      ...(decimal !== undefined && { decimal }),
      ...mapping,
      columns: { ...columns.value, ...mapping.columns },
    };
    for (const file of await matchFiles(files, download)) if (!own.has(file)) own.set(file, whole);
  }
  const common: Mapping | undefined = isGiven
    ? { columns: columns.value, preset, ...(decimal !== undefined && { decimal }) }
    : undefined;
  return (file) => own.get(file) ?? common;
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
