import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import config, { notices } from './rolldown.config.mjs';
import { fonts, licences, packed } from './fonts.mjs';

// Rolldown's own command tells every file that it writes, above what a user came for.
// One after the other: the first one empties the folder.
for (const part of config) await build(part);
const dist = new URL('../dist/', import.meta.url).pathname;
notices.write(dist);
for (const file of await readdir(dist, { recursive: true }))
  if (/\.c?js\.map$/.test(file)) await keepOwnMap(dist + file);
for (const file of await readdir(dist, { recursive: true })) if (file.endsWith('.cjs')) await lighten(dist + file);
await chmod(new URL('../dist/sluice.js', import.meta.url), 0o755);
await mkdir(new URL('../dist/fonts/', import.meta.url), { recursive: true });
for (const [name, file] of Object.entries({ ...fonts, ...licences })) {
  const source = new URL(`../node_modules/@expo-google-fonts/${file}`, import.meta.url);
  const target = new URL(`../dist/fonts/${name}`, import.meta.url);
  if (packed.includes(name)) await writeFile(`${target.pathname}.br`, pack(await readFile(source)));
  else await copyFile(source, target);
}

/** Better qualities would take the build ten times as long, for a tenth of the size. */
function pack(bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(bytes, { params: { ...params, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
}

/** Node reads a file of ASCII alone in a fraction of the time, and keeps a byte for each letter of it. */
async function lighten(file) {
  const code = await readFile(file, 'utf8');
  if (/String\.raw`[^`]*[^\0-\x7f][^`]*`/.test(code)) throw new Error(`${file}: an escape would mean itself there.`);
  // After a backslash it means itself, with an escape as without.
  const escaped = code.replace(/\\[\0-\x7f]|\\?([^\0-\x7f])/g, (found, unit) =>
    unit === undefined ? found : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  await writeFile(file, plainExports(escaped));
}

/** What never changes is exported as it is: a getter for each of a thousand names takes as long as some commands run. */
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

/** A map of packages alone says nothing of sluice, and all of these take more room than its own. */
async function keepOwnMap(file) {
  const { sources } = JSON.parse(await readFile(file, 'utf8'));
  if (sources.some((source) => /^(?:\.\.\/)+src\//.test(source))) return;
  const code = file.replace(/\.map$/, '');
  await writeFile(code, (await readFile(code, 'utf8')).replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
  await rm(file);
}
