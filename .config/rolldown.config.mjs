import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { defineConfig } from 'rolldown';
import * as yaml from 'yaml';
import { collectNotices } from './notices.mjs';

const root = new URL('..', import.meta.url).pathname;
const manifest = JSON.parse(fs.readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
/** Identifies the build. Another build's cached answers and compiled scripts are not used: its rules may differ. */
const sources = createHash('sha256');
for (const folder of ['src/', '.config/'])
  for (const file of fs.readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).sort())
    if (/\.m?ts$|\.mjs$/.test(file) && !file.includes('node_modules'))
      sources.update(file).update(fs.readFileSync(root + folder + file));
sources.update(fs.readFileSync(`${root}package-lock.json`));
const define = {
  SLUICE_BUILD: JSON.stringify(sources.digest('hex').slice(0, 16)),
  SLUICE_VERSION: JSON.stringify(manifest.version),
  SLUICE_NEEDS_NODE: JSON.stringify(manifest.engines.node.replace(/^>=/, '')),
  // React's development build is several times slower.
  'process.env.NODE_ENV': '"production"',
};

/** A module with the given source, for the importers that match. */
function virtualModule(name, code, importers = /./) {
  const id = `\0${name}`;
  return {
    name,
    resolveId: (asked, importer = '', { kind } = {}) =>
      asked === name && kind !== 'dynamic-import' && importers.test(importer) ? { id } : undefined,
    load: (asked) => (asked === id ? code : undefined),
  };
}

/**
 * Bundles DuckDB's client, which saves opening a hundred files. Its native part stays a package, and is resolved from
 * the client's package, wherever the package manager installed it. The most common package name is tried first, because
 * detecting the libc takes longer.
 */
const nativeDuckDb = virtualModule(
  '@duckdb/node-bindings',
  `
  const { createRequire } = process.getBuiltinModule('node:module');
  const client = createRequire(createRequire(import.meta.url).resolve('@duckdb/node-api'));
  const bindings = createRequire(client.resolve('@duckdb/node-bindings'));
  const load = () => {
    try {
      return bindings('@duckdb/node-bindings-' + process.platform + '-' + process.arch + '/duckdb.node');
    } catch {
      return client('@duckdb/node-bindings');
    }
  };
  export default load();
`,
);

/** Names of the functions of a module. Accessing all exports would load its lazy classes. */
const functionsOf = (module) =>
  Object.keys(module).filter((name) => /^[a-z]/.test(name) && typeof module[name] === 'function');

/**
 * Puts a package into a separate file beside the chunks, so that it is loaded on first use. A module of the sources
 * requires the package; in the bundle, that module requires the file.
 */
function lateModule(source, code) {
  const name = `\0${source}`;
  return {
    name,
    resolveId: (asked, importer = '') =>
      asked.endsWith(`/${source}.ts`) && /\/src\//.test(importer) ? { id: name } : undefined,
    load: (asked) =>
      asked === name ? `const { createRequire } = process.getBuiltinModule('node:module');\n${code}` : undefined,
  };
}

const lateModules = [
  lateModule('load-arquero', "export const loadArquero = () => createRequire(import.meta.url)('../arquero.cjs');"),
  lateModule(
    'load-string-width',
    "export const loadStringWidth = () => createRequire(import.meta.url)('../string-width.cjs').default;",
  ),
];

/**
 * Loads the YAML library with the first document: it is a tenth of the code of a question, and many workspaces have no
 * YAML file. Its classes and its constants are those that the sources use.
 */
const lateYaml = virtualModule(
  'yaml',
  `
  let loaded;
  const load = () => (loaded ??= require('../yaml.cjs').default);
  ${functionsOf(yaml)
    .filter((name) => name !== 'visit')
    .map((called) => `export const ${called} = (...given) => load().${called}(...given);`)
    .join('\n')}
  export const visit = Object.defineProperties((...given) => load().visit(...given), {
    ${['BREAK', 'SKIP'].map((name) => `${name}: { get: () => load().visit.${name} }`).join(', ')}
  });
  export function Document(...given) { return new (load().Document)(...given); }
`,
  /\/src\//,
);

/** A canvas would measure text with the machine's fonts; sluice measures text itself, see `load-vega.ts`. */
const noCanvas = virtualModule(
  'vega-canvas',
  'export const canvas = () => null; export const domCanvas = canvas; export const image = () => null;',
);

/** Removes Vega transforms that no Vega-Lite specification can use: forces, trees, word clouds and the like. */
const fewerTransforms = {
  name: 'fewer-transforms',
  resolveId: (asked) =>
    /^vega-(?:force|hierarchy|label|voronoi|wordcloud|crossfilter)$/.test(asked)
      ? { id: '\0no-transforms' }
      : undefined,
  load: (asked) => (asked === '\0no-transforms' ? 'export {};' : undefined),
};

/**
 * Loads a built-in module with the first call of one of its functions. Loading some takes milliseconds, and most
 * commands do not need them.
 */
function lateFunctions(name, importers = /\/src\//, constants = '') {
  const functions = functionsOf(process.getBuiltinModule(name));
  return virtualModule(
    name,
    `
    let loaded;
    const load = () => (loaded ??= process.getBuiltinModule('${name}'));
    ${functions.map((called) => `export const ${called} = (...given) => load().${called}(...given);`).join('\n')}
    export default { ${functions.join(', ')} };
    ${constants}
  `,
    importers,
  );
}

/**
 * Importing node:fs or node:process as a module makes Node load their lazy parts, which takes milliseconds. commander
 * imports node:child_process for a feature that sluice does not use.
 */
const lightBuiltins = [
  virtualModule(
    'node:fs',
    `
    const fs = process.getBuiltinModule('node:fs');
    export default fs;
    export const { ${functionsOf(fs).join(', ')} } = fs;
  `,
    /\/src\/|\/commander\//,
  ),
  lateFunctions('node:crypto'),
  lateFunctions('node:fs/promises', /\/src\//, "export const { constants } = process.getBuiltinModule('node:fs');"),
  lateFunctions('node:v8'),
  lateFunctions('node:zlib'),
  lateFunctions('node:stream/promises'),
  lateFunctions('node:timers/promises'),
  lateFunctions('node:util', /\/src\/|\/commander\//),
  virtualModule('node:process', 'export default process;', /\/commander\//),
  virtualModule(
    'node:child_process',
    `
    export default { get spawn() { return process.getBuiltinModule('node:child_process').spawn; } };
  `,
    /\/commander\//,
  ),
];

/** Written by `build.mjs` when the bundle is complete. */
export const notices = collectNotices();

/** Maps contain names and lines. With the sources, they would be as large as the rest of the package. */
const maps = { sourcemap: true, sourcemapExcludeSources: true };

/** The ES modules of the package, each a wrapper for the script of its name. */
const doors = {
  name: 'doors',
  generateBundle(_options, bundle) {
    for (const { name, exports, fileName } of Object.values(bundle)) {
      if (!/^(?:index|chart)$/.test(name) || fileName.startsWith('chunks/')) continue;
      const source = `import whole from './${fileName}';\nexport const { ${exports.join(', ')} } = whole;\n`;
      this.emitFile({ type: 'asset', fileName: `${name}.js`, source });
    }
  },
};

const library = {
  cwd: root,
  input: {
    index: 'src/use/index.ts',
    chart: 'src/use/chart.ts',
    main: 'src/use/cli/main.ts',
    arquero: 'arquero',
    'string-width': 'string-width',
    yaml: 'yaml',
  },
  platform: 'node',
  plugins: [nativeDuckDb, lateModules, lateYaml, noCanvas, fewerTransforms, lightBuiltins, doors, notices.plugin],
  // The first one is native.
  external: ['@resvg/resvg-js', '../yaml.cjs', /\/load-ink\.ts$/],
  transform: { target: 'node22', define },
  output: {
    dir: 'dist',
    // Node loads scripts in half of the time, and `scripts.ts` caches their compiled code.
    format: 'cjs',
    cleanDir: true,
    entryFileNames: '[name].cjs',
    exports: 'named',
    dynamicImportInCjs: false,
    paths: (id) => (id.endsWith('/load-ink.ts') ? './load-ink.js' : id),
    // Opening a file costs more than reading it, so the modules for a question are in a few chunks.
    codeSplitting: {
      groups: [
        {
          name: 'base',
          priority: 4,
          test: /src\/(ask\/query\/builder|ask\/sluice-error|use\/open|ask\/document\/describe-value|show\/labels\/sanitize|use\/workspace\/version|use\/process\/exit-code|run\/(?:file\/(?:system-error|write-fault)|http\/http-error|export\/rows\/export-error))\.ts$/,
        },
        { name: 'shape', priority: 4, test: /src\/shape\/(share|totals|others|pivot|select)\.ts$/ },
        { name: 'cli', priority: 3, test: /src\/use\/cli\/run-in-process\.ts$/ },
        // Looking up a cached answer does not need the engine.
        { name: 'kept', priority: 3.5, test: /src\/(use\/workspace\/open-kept|run\/duckdb\/reading\/find-files)\.ts$/ },
        // Modules that the engine shares with readers of files, in a separate chunk.
        {
          name: 'sql',
          priority: 3.5,
          test: /src\/plan\/(sql\/(expression|dialect|derived-columns|visit-macros)|model\/bot-agents|presets\/presets|mapping\/(mapping|json-path))\.ts$/,
        },
        { name: 'duckdb', priority: 3, test: /src\/run\/duckdb\/engine\/engine\.ts$|@duckdb\/node-api/ },
        {
          name: 'vega',
          priority: 3,
          test: /node_modules\/(vega|d3-|internmap|delaunator|robust-predicates|topojson|json-stringify-pretty-compact)/,
        },
        { name: 'answer', priority: 2, test: /src\/(use\/cli\/actions\/query|plan\/model\/built-in-model)\.ts$/ },
        { name: 'table', priority: 1, test: /src\/show\/terminal\/write-table\.ts$/ },
        { name: 'engine', priority: 1, test: /src\/run\/duckdb\/answer\/open-embedded\.ts$/ },
      ],
    },
    chunkFileNames: 'chunks/[name]-[hash].cjs',
    // Every start reads these files.
    comments: { annotation: true, jsdoc: false, legal: false },
    // Keeps names and lines for stack traces: Node prints the line that threw.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    ...maps,
  },
};

const ink = {
  cwd: root,
  input: { 'load-ink': 'src/use/explorer/shell/load-ink.ts' },
  platform: 'node',
  plugins: [notices.plugin],
  // Ink imports it only if a developer has installed it.
  external: ['react-devtools-core'],
  transform: { target: 'node22', define },
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    minify: library.output.minify,
    ...maps,
  },
};

const launcher = {
  cwd: root,
  input: { sluice: 'src/use/cli/launch.ts' },
  platform: 'node',
  // An unsupported Node must be able to run this to report its version: it may not know the prefix `node:`.
  plugins: [lightBuiltins, virtualModule('node:path', "export default process.getBuiltinModule('path');")],
  transform: { target: 'node12', define },
  output: {
    dir: 'dist',
    // Node starts a script sooner than a module.
    format: 'cjs',
    banner: '#!/usr/bin/env node',
    entryFileNames: '[name].cjs',
    dynamicImportInCjs: false,
    codeSplitting: false,
  },
};

/** A single file that also runs in browsers: it shares little code with the library. */
const queries = {
  cwd: root,
  input: { query: 'src/use/query.ts' },
  platform: 'browser',
  plugins: [notices.plugin],
  transform: { target: 'es2022', define },
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    codeSplitting: false,
    comments: { annotation: true, jsdoc: false, legal: false },
    // Keeps lines here too. Short names keep the file small for pages that load it directly.
    minify: {
      compress: true,
      mangle: { keepNames: { class: true, function: false } },
      codegen: { removeWhitespace: false },
    },
    ...maps,
  },
};

export default defineConfig([library, ink, launcher, queries]);
