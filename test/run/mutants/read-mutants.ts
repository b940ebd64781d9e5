import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SluiceError } from '../../../src/ask/sluice-error.ts';
import { openTables } from '../../../src/run/duckdb/answer/table-views.ts';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { toBackendError } from '../../../src/run/duckdb/engine/to-backend-error.ts';
import { openEventFiles } from '../../../src/run/duckdb/reading/event-files.ts';
import { readAll } from '../sources/read-all.ts';
import { mutate, randomFrom } from './mutate.ts';
import { type Kind, seedsOf } from './seeds.ts';

// Reads damaged files in a separate process that the parent watches. Arguments: `kind`, first number, count, folder.
// Prints what it reads next, and the result.

const [kind, first, most, folder] = [
  process.argv[2] as Kind,
  Number(process.argv[3]),
  Number(process.argv[4]),
  process.argv[5]!,
];
const seeds = Object.entries(await seedsOf(kind));
mkdirSync(folder, { recursive: true });

for (let number = first; number < first + most; number++) {
  const random = randomFrom(number);
  const [name, bytes] = seeds[Math.floor(random() * seeds.length)]!;
  const path = join(folder, `${number}-${name}`);
  writeFileSync(path, mutate(bytes, random));
  process.stdout.write(`${JSON.stringify({ number, path })}\n`);
  const begun = performance.now();
  const outcomes: string[] = [];
  for (const read of [readAsStore, readAsQuestion, readAsTable])
    outcomes.push(
      await read(path).then(
        () => 'read',
        (error: unknown) => codeOf(error, path),
      ),
    );
  process.stdout.write(
    `${JSON.stringify({ number, path, outcomes, milliseconds: Math.round(performance.now() - begun), peak: process.resourceUsage().maxRSS })}\n`,
  );
}

async function readAsStore(path: string): Promise<void> {
  await using engine = await openEngine({ threads: 1, memoryLimit: '1GB' });
  await readAll(engine, path).catch(async (error: unknown) => {
    throw await toBackendError(error, { files: [path], tables: [], hasEvents: true });
  });
}

async function readAsQuestion(path: string): Promise<void> {
  await using engine = await openEngine({ threads: 1, memoryLimit: '1GB' });
  try {
    const events = await openEventFiles(engine, [path], 'anonymous');
    await events.inspectPacking();
    await events.inspectParquet();
    await engine.rows('SELECT max(hash(e)) FROM events AS e').catch(async (error: unknown) => {
      if (!(await events.mend())) throw error;
      await engine.rows('SELECT max(hash(e)) FROM events AS e');
    });
  } catch (error) {
    throw await toBackendError(error, { files: [path], tables: [], hasEvents: true });
  }
}

async function readAsTable(path: string): Promise<void> {
  await using engine = await openEngine({ threads: 1, memoryLimit: '1GB' });
  try {
    await openTables(engine, new Map([['t', [path]]]));
    await engine.rows('SELECT max(hash(t)) FROM t');
  } catch (error) {
    throw await toBackendError(error, { files: [path], tables: ['t'], hasEvents: false });
  }
}

/** A code, with a leading `!` if the error does not name the file or is internal. */
function codeOf(error: unknown, path: string): string {
  if (!(error instanceof SluiceError)) return `!${String(error).slice(0, 200)}`;
  return error.message.includes(path)
    ? error.code
    : `!${error.code}: ${error.message} ${String((error.cause as Error | undefined)?.message).slice(0, 300)}`;
}
