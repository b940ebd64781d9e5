/**
 * Configures the runtime of a process that only runs sluice. Not for libraries: the settings affect the whole process.
 */
export function tuneRuntime(argv: readonly string[]): void {
  // Exports leave many buffers, which live outside the heap and hardly trigger garbage collection. A small young
  // generation is collected often; that halves the time and the memory of an export.
  if (argv.includes('export')) process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
  quietSqlite();
}

/** Node 22 warns that SQLite, which locks use, is experimental; Node 24 has the same API. */
function quietSqlite(): void {
  const emit = process.emitWarning.bind(process) as (warning: string | Error, ...about: readonly unknown[]) => void;
  process.emitWarning = (warning: string | Error, ...about: readonly unknown[]) => {
    if (!String(warning).startsWith('SQLite is an experimental feature')) emit(warning, ...about);
  };
}
