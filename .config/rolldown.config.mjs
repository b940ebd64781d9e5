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

/** A module whose source is written here, for the importers that match. */
function virtualModule(name, code, importers = /./) {
  const id = `\0${name}`;
  return {
    name,
    resolveId: (asked, importer = '') => (asked === name && importers.test(importer) ? { id } : undefined),
    load: (asked) => (asked === id ? code : undefined),
  };
}

/** Ink asks for React's developer tools only where DEV is set, and the package is not there. */
const noDevtools = virtualModule('react-devtools-core', 'export default { initialize() {}, connectToDevTools() {} };');

/**
 * DuckDB's client is bundled: a hundred files less to open. Its native part stays a package,
 * found from where the client's package stands, wherever the package manager has put it.
 */
const nativeDuckDb = virtualModule('@duckdb/node-bindings', `
  import { createRequire } from 'node:module';
  const client = createRequire(import.meta.url).resolve('@duckdb/node-api');
  export default createRequire(client)('@duckdb/node-bindings');
`);

/**
 * Importing node:fs as a module makes Node load all that it loads lazily otherwise, which takes five milliseconds;
 * commander imports node:child_process for something that sluice never asks of it.
 */
const lightBuiltins = [
  virtualModule('node:fs', `
    const fs = process.getBuiltinModule('node:fs');
    export default fs;
    export const createReadStream = (...args) => fs.createReadStream(...args);
    export const createWriteStream = (...args) => fs.createWriteStream(...args);
  `, /\/src\/|\/commander\//),
  virtualModule('node:child_process', `
    export default { get spawn() { return process.getBuiltinModule('node:child_process').spawn; } };
  `, /\/commander\//),
];

const library = {
  cwd: root,
  input: { index: 'src/use/index.ts', main: 'src/use/cli/main.ts' },
  platform: 'node',
  plugins: [noDevtools, nativeDuckDb, lightBuiltins],
  transform: { target: 'node22', define },
  output: {
    dir: 'dist',
    format: 'esm',
    cleanDir: true,
    entryFileNames: '[name].js',
    // Opening a file costs more than reading it: what a question needs comes in four chunks, with all that they import.
    codeSplitting: {
      groups: [
        { name: 'base', priority: 4, test: /src\/(ask\/query\/builder|ask\/sluice-error|use\/open|use\/version|use\/cli\/exit-code)\.ts$/ },
        { name: 'cli', priority: 3, test: /src\/use\/cli\/run-in-process\.ts$/ },
        { name: 'answer', priority: 2, test: /src\/(use\/cli\/actions\/query|plan\/model\/built-in-model)\.ts$/ },
        { name: 'table', priority: 1, test: /src\/show\/terminal\/write-table\.ts$/ },
        { name: 'engine', priority: 1, test: /src\/run\/embedded\/open-embedded\.ts$|@duckdb\/node-api/ },
      ],
    },
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Shorter files are read faster; names stay, for stack traces.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  },
};

const launcher = {
  cwd: root,
  input: { sluice: 'src/use/cli/launch.ts' },
  platform: 'node',
  external: [/\/main\.ts$/],
  // Must be understood by a Node that is too old, to say so.
  transform: { target: 'node12', define },
  output: { dir: 'dist', format: 'esm', banner: '#!/usr/bin/env node', entryFileNames: '[name].js', paths: (id) => (id.endsWith('main.ts') ? './main.js' : id) },
};

export default defineConfig([library, launcher]);
