import type { BackendName } from '../../run/backend.ts';

/** The backends that users can choose. */
export const offeredBackends = ['embedded', 'platform', 'cube', 'clickhouse'] as const satisfies readonly BackendName[];

/** The backends that `sluice init` sets up. ClickHouse is configured by hand. */
export const initBackends = ['embedded', 'platform', 'cube'] as const satisfies readonly BackendName[];
