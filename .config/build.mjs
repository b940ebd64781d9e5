import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import config, { notices } from './rolldown.config.mjs';
import { fonts, licences, packed } from './fonts.mjs';

// Rolldown's command line would list every file that it writes. The builds run in order, because the first one empties
// the folder.
for (const part of config) await build(part);
const dist = new URL('../dist/', import.meta.url).pathname;
notices.write(dist);
for (const file of await readdir(dist, { recursive: true }))
  if (/\.c?js\.map$/.test(file)) await keepOwnMap(dist + file);
for (const file of await readdir(dist, { recursive: true })) if (file.endsWith('.cjs')) await lighten(dist + file);
await withoutPaths(`${dist}query.js`);
await chmod(new URL('../dist/sluice.cjs', import.meta.url), 0o755);
await mkdir(new URL('../dist/fonts/', import.meta.url), { recursive: true });
for (const [name, file] of Object.entries({ ...fonts, ...licences })) {
  const source = new URL(`../node_modules/@expo-google-fonts/${file}`, import.meta.url);
  const target = new URL(`../dist/fonts/${name}`, import.meta.url);
  if (packed.includes(name)) await writeFile(`${target.pathname}.br`, pack(await readFile(source)));
  else await copyFile(source, target);
}

/** A higher quality would take ten times as long, and save a tenth of the size. */
function pack(bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(bytes, { params: { ...params, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
}

/** Escapes other characters: Node reads an ASCII file much faster, and keeps one byte for each of its characters. */
async function lighten(file) {
  const code = await readFile(file, 'utf8');
  if (/String\.raw`[^`]*[^\0-\x7f][^`]*`/.test(code)) throw new Error(`${file}: an escape would mean itself there.`);
  // A backslash before the character is redundant, so the escape replaces both.
  const escaped = code.replace(/\\[\0-\x7f]|\\?([^\0-\x7f])/g, (found, unit) =>
    unit === undefined ? found : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  await writeFile(file, plainExports(escaped));
}

/** Exports constants without getters: a thousand getters take as long as some commands run. */
function plainExports(code) {
  const getter =
    /^Object\.defineProperty\(exports, "([\w$]+)", \{\s*enumerable: !0,\s*get: function\(\) \{\s*return ([\w$]+);\s*\}\s*\}\)$/;
  const { body } = parseAst(code);
  const settled = new Set();
  for (const { type, kind, id, declarations = [] } of body) {
    if (type === 'FunctionDeclaration' || type === 'ClassDeclaration') settled.add(id.name);
    if (kind === 'const') for (const { id } of declarations) if (id.type === 'Identifier') settled.add(id.name);
  }
  const calls = body.flatMap(({ type, expression }) =>
    type === 'ExpressionStatement' ? (expression.expressions ?? [expression]) : [],
  );
  let plain = '';
  let at = 0;
  for (const { start, end } of calls) {
    const [, name, value] = getter.exec(code.slice(start, end)) ?? [];
    if (!settled.has(value)) continue;
    plain += `${code.slice(at, start)}exports.${name} = ${value}`;
    at = end;
  }
  return plain + code.slice(at);
}

/** Empties the lines that name the source of each module. Browsers load this file, and its map has the names. */
async function withoutPaths(file) {
  await writeFile(file, (await readFile(file, 'utf8')).replace(/^\/\/ (?:src|node_modules)\/.*$/gm, ''));
}

/** Deletes source maps that cover only packages: they say nothing about sluice, and are larger than its own maps. */
async function keepOwnMap(file) {
  const { sources } = JSON.parse(await readFile(file, 'utf8'));
  if (sources.some((source) => /^(?:\.\.\/)+src\//.test(source))) return;
  const code = file.replace(/\.map$/, '');
  await writeFile(code, (await readFile(code, 'utf8')).replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
  await rm(file);
}
