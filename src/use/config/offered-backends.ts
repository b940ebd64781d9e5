import type { BackendName } from '../../run/backend.ts';

/** The backends that can be chosen; of the others only their names are known. */
export const offeredBackends = ['embedded', 'platform', 'cube', 'clickhouse'] as const satisfies readonly BackendName[];

/** Those that `sluice init` sets up; ClickHouse's settings are written by hand. */
export const initBackends = ['embedded', 'platform', 'cube'] as const satisfies readonly BackendName[];
