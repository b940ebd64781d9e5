// A data loader for a static site such as Observable Framework: prints the top pages as JSON to stdout.
// In Framework, save it in src/data/ and read FileAttachment('data/top-pages.json').
// Run: node examples/top-pages.json.ts [FOLDER] > top-pages.json
import { open, query, sample } from 'sluice';

const workspace = process.argv[2] ?? '.';
await sample({ workspace, ifMissing: true });
const sluice = await open({ workspace });

const result = await sluice.query(
  query()
    .measures('TrackedEvents.pageViewsCount', 'TrackedEvents.uniqueUsersCount')
    .by('TrackedEvents.docPath')
    .range('last 28 days')
    .order('TrackedEvents.pageViewsCount', 'desc')
    .limit(10),
);
const pages = result.rows().map((row) => ({
  page: row['TrackedEvents.docPath'],
  views: row['TrackedEvents.pageViewsCount'],
  users: row['TrackedEvents.uniqueUsersCount'],
}));
process.stdout.write(`${JSON.stringify(pages)}\n`);

await sluice.close();
