// Counts the users of each of the last 14 days. Run: node examples/daily-users.ts [FOLDER]
import { open, query, sample } from 'sluice';

const workspace = process.argv[2] ?? '.';
await sample({ workspace, ifMissing: true });
const sluice = await open({ workspace });

const result = await sluice.query(
  query().measures('TrackedEvents.uniqueUsersCount').time('TrackedEvents.utcTime', 'day').range('last 14 days'),
  { times: 'date' },
);
for (const row of result.rows()) {
  const day = row['TrackedEvents.utcTime.day'] as Date;
  console.log(day.toISOString().slice(0, 10), row['TrackedEvents.uniqueUsersCount']);
}

await sluice.close();
