// A listener in a separate process that can be killed: `node hooks-child.ts FOLDER`. Uses the built library, which
// starts in half the time.
const { open } = (await import(
  new URL('../../../dist/index.js', import.meta.url).href
)) as typeof import('../../../src/use/index.ts');

const sluice = await open({ workspace: process.argv[2]!, env: {} });
const { url } = await sluice.serve({ hooks: { only: true, token: 'correct-horse-battery' } });
console.log(url);
