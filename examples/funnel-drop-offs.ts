// Follows users from the front page to an account, and prints the step that loses the most of them.
// Run: node examples/funnel-drop-offs.ts [FOLDER]
import { open, sample } from 'sluice';

const workspace = process.argv[2] ?? '.';
await sample({ workspace, ifMissing: true });
const sluice = await open({ workspace });

const result = await sluice.funnel(
  { steps: [{ name: 'home', target: '/' }, '/pricing', '/signup', '/signup/done'], within: '1 day' },
  { range: 'last 28 days' },
);

let worst = { name: '', dropOff: 0 };
for (const row of result.rows()) {
  const name = String(row['funnel.name']);
  const dropOff = Number(row['funnel.dropOff']);
  console.log(`${name}: ${row['funnel.count']} users, ${dropOff} dropped off before it`);
  if (dropOff > worst.dropOff) worst = { name, dropOff };
}
console.log(`Most users drop off before: ${worst.name}`);

await sluice.close();
