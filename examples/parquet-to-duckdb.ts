// Writes page views per day to page-views.parquet, then computes the mean of each weekday with DuckDB.
// Run: node examples/parquet-to-duckdb.ts [FOLDER]
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { open, sample } from 'sluice';

const workspace = process.argv[2] ?? '.';
await sample({ workspace, ifMissing: true });
const sluice = await open({ workspace });
await sluice.write('pageViewsCount by day last 8 weeks', 'page-views.parquet');
await sluice.close();

const duckdb = await DuckDBInstance.create();
const connection = await duckdb.connect();
const reader = await connection.runAndReadAll(
  `SELECT dayname("TrackedEvents.utcTime.day") AS weekday, round(avg("TrackedEvents.pageViewsCount"), 1) AS views
   FROM read_parquet($file) GROUP BY weekday ORDER BY views DESC`,
  { file: path.join(workspace, 'page-views.parquet') },
);
for (const { weekday, views } of reader.getRowObjectsJson()) console.log(`${weekday}: ${views} page views`);
connection.closeSync();
duckdb.closeSync();
