// Draws page views and users per day as SVG, and puts the chart into a web page: chart.html.
// Run: node examples/svg-in-a-page.ts [FOLDER]
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { open, sample, toSvg } from 'sluice';

const workspace = process.argv[2] ?? '.';
await sample({ workspace, ifMissing: true });
const sluice = await open({ workspace });

const result = await sluice.query('pageViewsCount, uniqueUsersCount by day last 28 days');
// The SVG escapes all text of events, so it is safe to put into a page.
const svg = await toSvg(result, { preference: 'line', title: 'Page views and users' });
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Our site</title>
<h1>Our site</h1>
${svg}
</html>
`;
await writeFile(path.join(workspace, 'chart.html'), page);
console.log('Wrote chart.html');

await sluice.close();
