// The command in a separate process, as the launcher starts it but without its cache of compiled code: `node
// sluice-child.ts ARGS`. Uses the built command, which starts in half the time.
const { start } = (await import(
  new URL('../../dist/main.cjs', import.meta.url).href
)) as typeof import('../../src/use/cli/main.ts');
await start();
