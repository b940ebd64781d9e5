import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { defineConfig } from 'rolldown';
import { collectNotices } from './notices.mjs';

const root = new URL('..', import.meta.url).pathname;
const manifest = JSON.parse(fs.readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
/** What another build kept, answers and compiled scripts, is not believed: its rules may have been others. */
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

/** A module whose source is written here, for the importers that match. */
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
 * DuckDB's client is bundled: a hundred files less to open. Its native part stays a package,
 * found from where the client's package stands, wherever the package manager has put it.
 * What most machines need is tried first; asking which libc there is takes longer.
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

/**
 * A package becomes a file of its own beside the chunks, so that it can be required when it is first needed. A module of
 * the sources requires it; in the bundle that module requires the file.
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

/** A canvas would measure texts in the fonts of the machine; sluice brings its own measure, see `load-vega.ts`. */
const noCanvas = virtualModule(
  'vega-canvas',
  'export const canvas = () => null; export const domCanvas = canvas; export const image = () => null;',
);

/**
 * Transforms that Vega brings and no specification of Vega-Lite can ask for: forces, trees, clouds of words and the
 * like.
 */
const fewerTransforms = {
  name: 'fewer-transforms',
  resolveId: (asked) =>
    /^vega-(?:force|hierarchy|label|voronoi|wordcloud|crossfilter)$/.test(asked)
      ? { id: '\0no-transforms' }
      : undefined,
  load: (asked) => (asked === '\0no-transforms' ? 'export {};' : undefined),
};

/** Names of the functions of a built-in module; its classes are made when they are first asked for. */
const functionsOf = (module) =>
  Object.keys(module).filter((name) => /^[a-z]/.test(name) && typeof module[name] === 'function');

/**
 * The functions of a built-in module, which is loaded with the first call: loading some takes milliseconds, and most
 * commands call none of their functions.
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
 * Importing node:fs or node:process as a module makes Node load all that it loads lazily otherwise, which takes
 * milliseconds; commander imports node:child_process for something that sluice never asks of it.
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

/** They name files and lines; with the sources in them, they would take as much room as all else. */
const maps = { sourcemap: true, sourcemapExcludeSources: true };

/** The modules of the package, each over the script of its name. */
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
  },
  platform: 'node',
  plugins: [nativeDuckDb, lateModules, noCanvas, fewerTransforms, lightBuiltins, doors, notices.plugin],
  // The first is native.
  external: ['@resvg/resvg-js', /\/load-ink\.ts$/],
  transform: { target: 'node22', define },
  output: {
    dir: 'dist',
    // Node loads such scripts in half of the time, and `scripts.ts` keeps them compiled.
    format: 'cjs',
    cleanDir: true,
    entryFileNames: '[name].cjs',
    exports: 'named',
    dynamicImportInCjs: false,
    paths: (id) => (id.endsWith('/load-ink.ts') ? './load-ink.js' : id),
    // Opening a file costs more than reading it: what a question needs comes in a few chunks, with all that they
    // import.
    codeSplitting: {
      groups: [
        {
          name: 'base',
          priority: 4,
          test: /src\/(ask\/query\/builder|ask\/sluice-error|use\/open|ask\/document\/describe-value|show\/labels\/sanitize|use\/workspace\/version|use\/process\/exit-code|run\/(?:file\/(?:system-error|write-fault)|http\/http-error|export\/rows\/export-error))\.ts$/,
        },
        { name: 'shape', priority: 4, test: /src\/shape\/(share|totals|others|pivot|select)\.ts$/ },
        { name: 'cli', priority: 3, test: /src\/use\/cli\/run-in-process\.ts$/ },
        // What tells whether an answer is kept comes without the engine.
        { name: 'kept', priority: 3.5, test: /src\/(use\/workspace\/open-kept|run\/duckdb\/reading\/find-files)\.ts$/ },
        // What the engine shares with those who only read files comes apart from it.
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
    // They are read with each start.
    comments: { annotation: true, jsdoc: false, legal: false },
    // Names and lines stay, for stack traces: Node prints the line that threw.
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
  external: [/\/repeat\.ts$/],
  // Must be understood by a Node that is too old, to say so.
  transform: { target: 'node12', define },
  output: {
    dir: 'dist',
    format: 'esm',
    banner: '#!/usr/bin/env node',
    entryFileNames: '[name].js',
    codeSplitting: false,
    paths: (id) => (id.endsWith('/repeat.ts') ? './repeat.js' : id),
  },
};

/** Apart from all else, since it is loaded before it. */
const repeater = {
  cwd: root,
  input: { repeat: 'src/use/cli/repeat.ts' },
  platform: 'node',
  plugins: [lightBuiltins],
  transform: { target: 'node22', define },
  output: { dir: 'dist', format: 'esm', entryFileNames: '[name].js', codeSplitting: false },
};

/** A file of its own, for browsers too: what it shares with the library is small. */
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
    // Lines stay here, too. Short names keep it small for pages that load the file as it is.
    minify: {
      compress: true,
      mangle: { keepNames: { class: true, function: false } },
      codegen: { removeWhitespace: false },
    },
    ...maps,
  },
};

export default defineConfig([library, ink, launcher, repeater, queries]);
