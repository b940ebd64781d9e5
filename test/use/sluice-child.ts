import { runInProcess } from '../../src/use/cli/run-in-process.ts';

// The command in a process of its own, as the launcher starts it: `node sluice-child.ts ARGS`.
await runInProcess(process.argv.slice(2));
