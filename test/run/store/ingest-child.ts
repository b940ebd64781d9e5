import { randomBytes } from 'node:crypto';
import { forgetUsers } from '../../../src/run/duckdb/store/forget.ts';
import { ingestFiles } from '../../../src/run/duckdb/store/ingest.ts';
import { pruneStore } from '../../../src/run/duckdb/store/prune.ts';

// A process of its own that can be killed: `node ingest-child.ts STORE BATCH FILE…`, or `… STORE forget USER`, `… STORE
// prune MS`.
const [folder, batch, ...files] = process.argv.slice(2);
const writer = {
  folder: folder!,
  threads: 2,
  holder: `process ${process.pid} (node)`,
  now: Date.now,
  randomText: () => randomBytes(6).toString('hex'),
  onWait: (holder: string) => console.log(`waiting for ${holder}`),
};
if (batch === 'forget') console.log(JSON.stringify(await forgetUsers({ ...writer, users: files })));
else if (batch === 'prune') console.log(JSON.stringify(await pruneStore({ ...writer, before: Number(files[0]) })));
else {
  const report = await ingestFiles({ ...writer, files, batchRows: Number(batch) });
  console.log(JSON.stringify({ added: report.added, events: report.events }));
}
