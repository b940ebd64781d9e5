/**
 * Sets up the runtime of a process that is sluice's own. Not for a library: what is set here is set for all that runs
 * in the process.
 */
export function tuneRuntime(argv: readonly string[]): void {
  // What an export leaves behind are buffers, which the collector hardly sees: it looks at them when the space for
  // young objects is full, or else goes through the whole heap. A small space halves both the time and the memory of an
  // export.
  if (argv.includes('export')) process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
  quietSqlite();
}

/** Node 22 warns that its SQLite, on which locks are built, may change; Node 24 has it as it was. */
function quietSqlite(): void {
  const emit = process.emitWarning.bind(process) as (warning: string | Error, ...about: readonly unknown[]) => void;
  process.emitWarning = (warning: string | Error, ...about: readonly unknown[]) => {
    if (!String(warning).startsWith('SQLite is an experimental feature')) emit(warning, ...about);
  };
}
