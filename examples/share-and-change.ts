// Prints the top pages of the last 28 days: their share of all page views, and the change from the 28 days before.
// Run: node examples/share-and-change.ts [FOLDER]
import { open, sample, share } from 'sluice';

const workspace = process.argv[2] ?? '.';
await sample({ workspace, ifMissing: true });
const sluice = await open({ workspace });

const result = await sluice.query(
  'pageViewsCount by docPath last 28 days compare with previous order by pageViewsCount desc',
  { ranges: 'beside' },
);
// The result has all pages, so the shares are of all page views. The table shows the first ten.
const percent = (value: unknown) => Number(Number(value).toFixed(1));
const pages = share(result).rows().slice(0, 10);
console.table(
  pages.map((row) => ({
    page: row['TrackedEvents.docPath'],
    views: row['TrackedEvents.pageViewsCount'],
    'share %': percent(row['TrackedEvents.pageViewsCount.share']),
    before: row['TrackedEvents.pageViewsCount.previous'],
    'change %': percent(row['TrackedEvents.pageViewsCount.changePercent']),
  })),
);

await sluice.close();
