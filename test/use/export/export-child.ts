import type { ExportOptions } from '../../../src/use/index.ts';

// The built library, which starts in half the time.
const { open } = (await import(
  new URL('../../../dist/index.js', import.meta.url).href
)) as typeof import('../../../src/use/index.ts');

// A separate process that can be killed: `node export-child.ts FOLDER EVENTS TO OPTIONS`. EVENTS: files, or the address
// of a server.
const [folder, events, to, options] = process.argv.slice(2);
const source = events!.startsWith('http')
  ? ({ backend: 'cube', env: { SLUICE_CUBE_URL: `${events!}/cubejs-api/v1`, SLUICE_CUBE_TOKEN: 'a.b.c' } } as const)
  : { events: events!, env: {} };
await using sluice = await open({ workspace: folder!, ...source });
const report = await sluice.export(to!, {
  ...(JSON.parse(options!) as ExportOptions),
  onProgress: (stage) => console.log(JSON.stringify(stage)),
});
console.log(JSON.stringify({ outcome: report.outcome, events: report.events }));
