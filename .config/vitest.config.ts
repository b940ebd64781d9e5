import { defineConfig } from 'vitest/config';
import { SlowFirst } from './slow-first.ts';

// Workers and the processes that tests start keep their compiled code.
process.env['NODE_COMPILE_CACHE'] ??= new URL('../node_modules/.cache/compiled-tests', import.meta.url).pathname;

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: [new URL('files-in-memory.ts', import.meta.url).pathname],
    setupFiles: [new URL('vitest.setup.ts', import.meta.url).pathname],
    // React as it ships: its other form takes three times as long to draw.
    env: { NODE_ENV: 'production' },
    // DuckDB and child processes are busy neighbours on a two-core machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Modules are loaded once a worker: loading them for each file took a quarter of the time.
    isolate: false,
    sequence: { sequencer: SlowFirst },
  },
});
