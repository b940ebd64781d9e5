import { statSync } from 'node:fs';
import { openWithSession } from '../use/open-session.ts';
import { openServer } from '../../src/use/server/open-server.ts';

// A server over the given file or store. It reports its address, and on request its peak memory in megabytes.
const from = process.argv[2]!;
const sluice = await openWithSession({
  ...(statSync(from).isDirectory() ? { store: from } : { events: [from] }),
  workspace: new URL('.', import.meta.url).pathname,
  env: {},
});
const server = await openServer({ session: sluice.session });
process.on('message', () => process.send!({ peak: process.resourceUsage().maxRSS / 1024 }));
process.on('disconnect', () => process.exit());
process.send!({ url: server.url });
