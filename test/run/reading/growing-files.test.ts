import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runs } from '../../runs.ts';
import { openFiles, scratchFolder } from '../ask-sql.ts';

const folder = scratchFolder();
const line = (fields: object) => `${JSON.stringify({ utcTime: '2024-03-01T00:00:00.000', ...fields })}\n`;
const counts = 'SELECT count(*)::DOUBLE, count(doc_path)::DOUBLE, count(user_key)::DOUBLE FROM events';

describe('a small file of JSON', () => {
  it('that grows by fields that it did not have is read with them', async () => {
    const file = folder.write('grows.ndjson', line({}) + line({ docPath: '/a' }));
    await using events = await openFiles([file]);
    expect(await events.ask(counts)).toEqual([[2, 1, 0]]);
    appendFileSync(file, line({ doc_path: '/b', userAnonymousId: 'u' }));
    expect(await events.ask(counts)).toEqual([[3, 2, 1]]);
    appendFileSync(file, line({ 'TrackedEvents.userId': 'u', url: 'https://a.example/c' }));
    expect(await events.ask(counts)).toEqual([[4, 3, 2]]);
  });

  it('that grows while it is read is read as it was at one time', async () => {
    for (let round = 0; round < runs(12); round++) {
      const file = folder.write(`${round}.ndjson`, line({}).repeat(3));
      await using events = await openFiles([file]);
      const growing = setInterval(() => appendFileSync(file, line({ docPath: '/a', userId: 'u' })), 1);
      try {
        for (let question = 0; question < 5; question++) {
          const [[all, paths, users] = []] = await events.ask(counts);
          expect([paths, users]).toEqual([Number(all) - 3, Number(all) - 3]);
        }
      } finally {
        clearInterval(growing);
      }
    }
  });

  it('may write the letters of its fields in any way', async () => {
    const names = ['docPath', 'doc\\u0050ath', '\\u0064oc_path'];
    const file = folder.write(
      'escapes.ndjson',
      names.map((name) => `{"utcTime" : "2024-03-01T00:00:00.000","${name}"\t: "/\\"a\\":"}\n`).join(''),
    );
    await using events = await openFiles([file]);
    expect(await events.ask(counts)).toEqual([[3, 3, 0]]);
    const array = folder.write(
      'array.json',
      '[{"utcTime"\n:\n"2024-03-01T00:00:00.000",\n"docPath"\n:"/a","x":"\\"userId\\":"}]',
    );
    await using others = await openFiles([array]);
    expect(await others.ask(counts)).toEqual([[1, 1, 0]]);
  });
});
