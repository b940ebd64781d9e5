import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    setupFiles: [new URL('vitest.setup.ts', import.meta.url).pathname],
    // DuckDB and child processes are busy neighbours on a two-core machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Modules are loaded once a worker: loading them for each file took a quarter of the time.
    isolate: false,
  },
});
