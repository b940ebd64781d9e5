// Joins page views with your own table (the team of each page), and adds them up by team.
// Run: node examples/join-with-arquero.ts [FOLDER]
import { type ColumnTable, desc, op, table } from 'arquero';
import { open, sample } from 'sluice';

const workspace = process.argv[2] ?? '.';
await sample({ workspace, ifMissing: true });
const sluice = await open({ workspace });

const teams = table({
  page: ['/', '/pricing', '/docs', '/docs/install', '/cart', '/checkout', '/thanks'],
  team: ['Website', 'Website', 'Docs', 'Docs', 'Shop', 'Shop', 'Shop'],
});
const result = await sluice.query('pageViewsCount by docPath last 28 days');
const byTeam = result
  .toArquero<ColumnTable>()
  .join_left(teams, ['TrackedEvents.docPath', 'page'])
  .groupby('team')
  .rollup({ views: op.sum('TrackedEvents.pageViewsCount') })
  .orderby(desc('views'));
for (const { team, views } of byTeam.objects() as { team?: string; views: number }[])
  console.log(`${team ?? 'No team'}: ${views} page views`);

await sluice.close();
