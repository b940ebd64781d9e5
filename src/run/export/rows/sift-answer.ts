import { invariant } from '../../../ask/invariant.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Value } from '../../../plan/column.ts';
import type { Backend, Batch, JsonRow, RunOptions } from '../../backend.ts';
import type { BodySieve } from '../../http/body-sieve.ts';

/**
 * Lets the rows of a plan through a sieve, as the text of a load answer: a server's own bytes, else what the engine
 * writes, else what its values make. Rejects as `Backend.run`, and as the sieve does.
 */
export async function siftAnswer(backend: Backend, plan: Plan, sieve: BodySieve, options: RunOptions): Promise<void> {
  if (backend.siftRows) return backend.siftRows(plan, sieve, options);
  await sieve.begin();
  await sieve.take(Buffer.from('{"data":['));
  let first = true;
  for await (const bytes of await writtenRows(backend, plan, options)) {
    if (!first) await sieve.take(Buffer.from(','));
    first = false;
    await sieve.take(bytes);
  }
  await sieve.take(Buffer.from(']}'));
  const rest = await sieve.end();
  invariant(Buffer.from(rest).toString() === '{"data":[]}', 'what was written is no load answer');
}

async function writtenRows(backend: Backend, plan: Plan, options: RunOptions): Promise<AsyncIterable<Uint8Array>> {
  const json = await backend.runJson?.(plan, layoutOf(plan), { ...options, sparing: true });
  if (json) return bytesOf(json.chunks);
  return writeBatches((await backend.run(plan, options)).batches, plan);
}

function layoutOf({ columns }: Plan): JsonRow {
  return [...columns.flatMap(({ key }, index) => [`${index === 0 ? '{' : ','}${JSON.stringify(key)}:`, index]), '}'];
}

async function* bytesOf(chunks: AsyncIterable<{ readonly bytes: Uint8Array }>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const { bytes } of chunks) yield bytes;
}

async function* writeBatches(batches: AsyncIterable<Batch>, { columns }: Plan): AsyncGenerator<Uint8Array, void, undefined> {
  const keys = columns.map(({ key }) => JSON.stringify(key));
  for await (const { rowCount, columns: values } of batches) {
    if (rowCount === 0) continue;
    const rows = Array.from({ length: rowCount }, (_, row) => `{${keys.map((key, index) => `${key}:${writeValue(values[index]![row] ?? null)}`).join(',')}}`);
    yield Buffer.from(rows.join(','));
  }
}

/** As the wire has it: numbers are text. */
function writeValue(value: Value): string {
  return value === null || typeof value === 'boolean' ? String(value) : JSON.stringify(String(value));
}
