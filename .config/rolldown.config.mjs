import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';

const root = new URL('..', import.meta.url).pathname;
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const define = {
  SLUICE_VERSION: JSON.stringify(manifest.version),
  SLUICE_NEEDS_NODE: JSON.stringify(manifest.engines.node.replace(/^>=/, '')),
  // React's development build is several times slower.
  'process.env.NODE_ENV': '"production"',
};

/** Ink asks for React's developer tools only where DEV is set; the package is not there. */
const withoutDevtools = {
  name: 'without-react-devtools',
  resolveId: (id) => (id === 'react-devtools-core' ? { id: '\0no-devtools' } : undefined),
  load: (id) => (id === '\0no-devtools' ? 'export default { initialize() {}, connectToDevTools() {} };' : undefined),
};

export default defineConfig([
  {
    cwd: root,
    input: { index: 'src/use/index.ts', main: 'src/use/cli/main.ts' },
    platform: 'node',
    external: [/^@duckdb\//],
    plugins: [withoutDevtools],
    transform: { target: 'node22', define },
    output: {
      dir: 'dist',
      format: 'esm',
      cleanDir: true,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    },
  },
  {
    cwd: root,
    input: { sluice: 'src/use/cli/launch.ts' },
    platform: 'node',
    external: [/main\.ts$/],
    transform: { target: 'node12', define },
    output: { dir: 'dist', format: 'esm', banner: '#!/usr/bin/env node', entryFileNames: '[name].js', paths: (id) => (id.endsWith('main.ts') ? './main.js' : id) },
  },
]);
