import { chmod } from 'node:fs/promises';
import { build } from 'rolldown';
import config from './rolldown.config.mjs';

// Rolldown's own command tells every file that it writes, above what a user came for.
// One after the other: the first one empties the folder.
for (const part of config) await build(part);
await chmod(new URL('../dist/sluice.js', import.meta.url), 0o755);
