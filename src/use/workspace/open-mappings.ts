import type { Mapping } from '../../plan/mapping/mapping.ts';
import type { Download } from '../../run/duckdb/reading/find-files.ts';
import type { MappingOf } from '../../run/duckdb/reading/map-files.ts';
import type { Settings } from '../config/settings.ts';

/** The mapping that settings have for each file of events; undefined if they have none at all. */
export async function openMappings(
  { columns, preset: { value: preset }, sources }: Pick<Settings, 'columns' | 'preset' | 'sources'>,
  download?: Download,
): Promise<MappingOf | undefined> {
  const hasColumns = Object.keys(columns.value).length > 0;
  if (!hasColumns && preset === undefined && sources.value.length === 0) return undefined;
  const { matchFiles } = await import('../../run/duckdb/reading/find-files.ts');
  const own = new Map<string, Mapping>();
  for (const { files, mapping } of sources.value) {
    const whole: Mapping = {
      preset,
      ...mapping,
      columns: { ...columns.value, ...mapping.columns },
    };
    for (const file of await matchFiles(files, download)) if (!own.has(file)) own.set(file, whole);
  }
  const common: Mapping | undefined =
    hasColumns || preset !== undefined ? { columns: columns.value, preset } : undefined;
  return (file) => own.get(file) ?? common;
}
