import { defineConfig } from 'vitest/config';
import { SlowFirst } from './slow-first.ts';
import { TellSkipped } from './tell-skipped.ts';

// Caches compiled code for workers and for processes that tests start.
process.env['NODE_COMPILE_CACHE'] ??= new URL('../node_modules/.cache/compiled-tests', import.meta.url).pathname;

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: [new URL('files-in-memory.ts', import.meta.url).pathname],
    setupFiles: [new URL('vitest.setup.ts', import.meta.url).pathname],
    // React's production build: its development build takes three times as long to draw.
    env: { NODE_ENV: 'production' },
    // DuckDB and child processes slow tests down on a machine with two cores.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Load modules once for each worker: loading them for each file took a quarter of the time.
    isolate: false,
    sequence: { sequencer: SlowFirst },
    reporters: ['default', new TellSkipped()],
  },
});
