import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'rolldown';
import config, { notices } from './rolldown.config.mjs';
import { fonts, licences, packed } from './fonts.mjs';

// Rolldown's own command tells every file that it writes, above what a user came for.
// One after the other: the first one empties the folder.
for (const part of config) await build(part);
notices.write(new URL('../dist/', import.meta.url).pathname);
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
