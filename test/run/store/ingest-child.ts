import { randomBytes } from 'node:crypto';
import { ingestFiles } from '../../../src/run/duckdb/store/ingest.ts';

// A process of its own that can be killed: `node ingest-child.ts STORE BATCH FILE…`.
const [folder, batch, ...files] = process.argv.slice(2);
const report = await ingestFiles({
  folder: folder!,
  files,
  batchRows: Number(batch),
  threads: 2,
  holder: `process ${process.pid} (node)`,
  now: Date.now,
  randomText: () => randomBytes(6).toString('hex'),
  onWait: (holder) => console.log(`waiting for ${holder}`),
});
console.log(JSON.stringify({ added: report.added, events: report.events }));
