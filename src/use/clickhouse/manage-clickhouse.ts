import { readManifest } from '../../run/store/store-manifest.ts';
import type { LoadProgress, LoadReport } from '../../run/clickhouse/load-store.ts';
import { clickHouseOptions } from '../workspace/clickhouse-options.ts';
import { upgradeStore } from '../store/manage-store.ts';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * Returns the statements that create the event table on ClickHouse; `apply` runs them. Throws
 * `clickhouse-not-configured`, and errors of the server.
 */
export async function createEventTable(
  { settings, env, root, signal }: Workspace,
  { apply = false }: { readonly apply?: boolean | undefined },
): Promise<readonly string[]> {
  const options = await clickHouseOptions(settings, { env, root });
  const properties = await frequentProperties(settings.store.value);
  const { createTable, tableStatements } = await import('../../run/clickhouse/load-store.ts');
  return apply ? createTable(options, properties, signal) : tableStatements(options, properties);
}

/** The paths of the properties that a sample of the store's events has, the most frequent first. */
async function frequentProperties(store: string): Promise<readonly (readonly string[])[]> {
  if ((await readManifest(store)) === undefined) return [];
  const { openEmbedded } = await import('../../run/duckdb/answer/open-embedded.ts');
  await using stored = await openEmbedded({ store, workingDirectory: store });
  const { sampled = [] } = await stored.properties([]);
  return sampled.map(({ path }) => path);
}

/** Makes the event table hold the events of the store. Throws as `createEventTable`, and `store-not-found`. */
export async function loadIntoClickHouse(
  workspace: Workspace,
  { onProgress }: { readonly onProgress?: ((progress: LoadProgress) => void) | undefined },
): Promise<LoadReport> {
  const { settings, env, root, signal } = workspace;
  const options = await clickHouseOptions(settings, { env, root });
  // Segments are sent as they are.
  await upgradeStore(workspace);
  const { loadStore } = await import('../../run/clickhouse/load-store.ts');
  const report = await loadStore(options, settings.store.value, { onProgress, ...(signal && { signal }) });
  if (report.zones.length > 0)
    await workspace.note(
      `The table does not keep the zones of sources (${report.zones.join(', ')}): on ClickHouse, ` +
        'times of properties without a zone are read as UTC. Ask about them with `--backend embedded`.',
    );
  return report;
}
