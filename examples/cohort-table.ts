// Prints weekly retention in percent: a row for each cohort, a column for each week since its start.
// Run: node examples/cohort-table.ts [FOLDER]
import { open, pivot, sample, toTable } from 'sluice';

const workspace = process.argv[2] ?? '.';
await sample({ workspace, ifMissing: true });
const sluice = await open({ workspace });

const retention = await sluice.retention(
  { start: 'pageview', return: 'any', period: 'week', periods: 6 },
  { range: 'last 6 weeks' },
);
const table = pivot(retention, {
  rows: ['retention.cohort.week', 'retention.size'],
  columns: 'retention.period',
  values: ['retention.rate'],
});
console.log(await toTable(table));

await sluice.close();
