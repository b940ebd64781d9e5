import { expect, test } from 'vitest';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { memoryForUsers } from '../../../src/run/duckdb/funnel/user-parts.ts';

const gigabyte = 2 ** 30;

test.each([
  ['16GiB', 4 * gigabyte],
  ['1GiB', gigabyte],
])('with a limit of %s, the events of users may take %i bytes', async (memoryLimit, bytes) => {
  await using engine = await openEngine({ memoryLimit });
  expect(await memoryForUsers(engine)).toBe(bytes);
});
