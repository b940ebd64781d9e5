import { defineConfig } from 'vitest/config';
import { SlowFirst } from './slow-first.ts';
import { TellSkipped } from './tell-skipped.ts';

// Caches compiled code for workers and for processes that tests start.
process.env['NODE_COMPILE_CACHE'] ??= new URL('../node_modules/.cache/compiled-tests', import.meta.url).pathname;
// One arena of memory for all threads: an engine that closes returns the free memory of each arena to the system.
process.env['MALLOC_ARENA_MAX'] ??= '1';

/**
 * Tests of many cases, kills and vendors: over a third of the time of all. `.ci/run` leaves them out on a machine on
 * which the whole would not end in time.
 */
const costly = [
  'clickhouse/*',
  'contract/clickhouse*',
  'contract/sessions-of-sample',
  'plan/buckets',
  'plan/model/found-models',
  'run/arrow-input',
  'run/broken-input',
  'run/damaged-files',
  'run/databases',
  'run/duckdb-databases',
  'run/export/fetch-window',
  'run/export/unit-forms',
  'run/float-sums',
  'run/formats',
  'run/mapping/decimal-marks',
  'run/mapping/formats-by-head',
  'run/mapping/time-columns',
  'run/packed-input',
  'run/reading/formats/line-form',
  'run/reading/formats/loose-objects',
  'run/reading/many-files',
  'run/sample',
  'run/snowplow',
  'run/store/hard-times',
  'run/store/identity',
  'run/store/killed-writer',
  'run/store/projections',
  'run/store/property-columns',
  'run/store/segments',
  'run/store/small-files',
  'run/store/user-days',
  'run/typed-output',
  'run/workbooks',
  'show/terminal/chart/draw-chart',
  'tell/schedule/schedule',
  'use/analysis/definitions-by-property',
  'use/analysis/mistyped-events',
  'use/analysis/unfit-definitions',
  'use/answer/conditional-figures',
  'use/answer/rejected-everywhere',
  'use/cut-input',
  'use/empty-values',
  'use/encoding',
  'use/export/export-hard-times',
  'use/export/export-killed',
  'use/export/export-properties',
  'use/export/export-siege',
  'use/large-numbers',
  'use/left-behind',
  'use/list-values',
  'use/objects-in-cells',
  'use/presets',
  'use/properties',
  'use/round-trip',
  'use/setup/newcomer',
  'use/times-of-properties',
  'use/tracker-exports',
  'use/unknown-files',
  'use/visits',
  'use/workspace/file-columns',
  'use/workspace/web-sources',
  'use/workspace/wrapped-sources',
  'use/zones-of-sources',
].map((name) => `test/${name}.test.ts`);

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    exclude: process.env['TEST_COSTLY'] === 'none' ? costly : [],
    globalSetup: [new URL('files-in-memory.ts', import.meta.url).pathname],
    setupFiles: [new URL('vitest.setup.ts', import.meta.url).pathname],
    // React's production build: its development build takes three times as long to draw.
    env: { NODE_ENV: 'production' },
    // DuckDB and child processes slow tests down on a machine with two cores.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    // Load modules once for each worker: loading them for each file took a quarter of the time.
    isolate: false,
    sequence: { sequencer: SlowFirst },
    reporters: ['default', new TellSkipped()],
  },
});
