// Runs the report in monthly-report.md, by default for the last closed month, and writes it as HTML and Markdown.
// Run: node examples/monthly-report.ts [FOLDER] [MONTH], for example: node examples/monthly-report.ts . 2026-08
import { fileURLToPath } from 'node:url';
import { open, sample } from 'sluice';

const [workspace = '.', month] = process.argv.slice(2);
await sample({ workspace, ifMissing: true });
const sluice = await open({ workspace });

const file = fileURLToPath(new URL('monthly-report.md', import.meta.url));
const report = sluice.report(file, { params: month === undefined ? {} : { month } });
const { status, report: answer, files } = await report.run({ to: 'monthly/', formats: ['html', 'markdown'] });

console.log(`${answer.title}: ${status}`);
for (const block of answer.blocks)
  if (block.kind === 'prose') for (const { path, text } of block.figures) console.log(`  ${path}: ${text}`);
for (const { path } of files) console.log(`Wrote ${path}`);
// Fail a scheduled job if a check or cell failed.
if (status !== 'good') process.exitCode = 1;

await sluice.close();
