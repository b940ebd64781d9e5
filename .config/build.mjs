import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { build } from 'rolldown';
import config, { notices } from './rolldown.config.mjs';
import { fonts, licences } from './fonts.mjs';

// Rolldown's own command tells every file that it writes, above what a user came for.
// One after the other: the first one empties the folder.
for (const part of config) await build(part);
notices.write(new URL('../dist/', import.meta.url).pathname);
await chmod(new URL('../dist/sluice.js', import.meta.url), 0o755);
await mkdir(new URL('../dist/fonts/', import.meta.url), { recursive: true });
for (const [name, file] of Object.entries({ ...fonts, ...licences })) {
  await copyFile(
    new URL(`../node_modules/@expo-google-fonts/${file}`, import.meta.url),
    new URL(`../dist/fonts/${name}`, import.meta.url),
  );
}
