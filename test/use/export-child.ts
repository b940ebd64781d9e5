import { open, type ExportOptions } from '../../src/use/index.ts';

// A process of its own that can be killed: `node export-child.ts FOLDER EVENTS TO OPTIONS`.
const [folder, events, to, options] = process.argv.slice(2);
await using sluice = await open({ workspace: folder!, events: events!, env: {} });
const report = await sluice.export(to!, {
  ...(JSON.parse(options!) as ExportOptions),
  onProgress: (stage) => console.log(JSON.stringify(stage)),
});
console.log(JSON.stringify({ outcome: report.outcome, events: report.events }));
