// Gets the latest tag from the platform, and counts the commits since then by author.
// Set the platform in the workspace (`platform: {url: …}`), and the token in SLUICE_TOKEN.
// Run: node examples/since-last-release.ts [FOLDER] [PROJECT]
import { platform } from 'sluice';

const [workspace = '.', project = 'acme/shop'] = process.argv.slice(2);
const api = platform({ workspace });

// Await a list to get its first page …
const [latest] = await api.tags.list({ id: project, order_by: 'updated', sort: 'desc', per_page: 1 });
const since = latest?.commit?.created_at ?? undefined;
console.log(latest === undefined ? 'There is no release.' : `${latest.name} was tagged on ${since?.slice(0, 10)}.`);

// … or iterate over it to get all pages.
const commits = new Map<string, number>();
for await (const { id, author_name } of api.commits.list({ id: project, since })) {
  if (id === latest?.target) continue;
  const author = author_name ?? 'nobody';
  commits.set(author, (commits.get(author) ?? 0) + 1);
}
for (const [author, count] of [...commits].sort(([, a], [, b]) => b - a)) console.log(`${author} ${count}`);

for await (const { title, due_date } of api.milestones.list({ id: project, state: 'active' }))
  console.log(`${title} is due ${due_date ?? 'some day'}.`);

await api.close();
