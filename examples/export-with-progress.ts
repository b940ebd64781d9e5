// Exports all events of last week to the folder `export`, window by window, and verifies the files.
// Run it again after an interruption: it resumes. Run: node examples/export-with-progress.ts [FOLDER]
import { open, sample } from 'sluice';

const workspace = process.argv[2] ?? '.';
await sample({ workspace, ifMissing: true });
const sluice = await open({ workspace });

let shown = 0;
const report = await sluice.export('export', {
  range: 'last week',
  format: 'parquet',
  onProgress(stage) {
    if (stage.kind !== 'fetching' || stage.windows === shown) return;
    shown = stage.windows;
    console.log(`${stage.windows} of ${stage.allWindows ?? '?'} windows`);
  },
});
console.log(
  `${report.outcome}: ${report.events} events in ${report.windows} windows, ${report.added.events} of them new`,
);

const { findings } = await sluice.verifyExport('export');
console.log(findings.length === 0 ? 'The files match their manifests.' : findings);
if (report.outcome !== 'done' || findings.length > 0) process.exitCode = 1;

await sluice.close();
