import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AbortedError, open, type Sluice } from '../../../src/use/index.ts';
import { fewEvents, type Folder, now, openFolder } from '../run-in-folder.ts';

let folder: Folder;
let s: Sluice;

beforeAll(async () => {
  folder = openFolder({ 'events.ndjson': fewEvents });
  s = await open({ workspace: folder.root, events: 'events.ndjson', env: {}, now: () => now, onNote: () => undefined });
});
afterAll(async () => {
  await s.close();
  folder.remove();
});

describe('a signal', () => {
  it('that fired before a call stops it, also if the call would be short', async () => {
    const result = await s.query('count by docPath');
    const options = { signal: AbortSignal.abort() };
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      query: () => s.query('count', options),
      stream: () => s.stream('count', options).next(),
      explain: () => s.explain('count', options),
      validate: () => s.validate('count', options),
      drill: () => s.drill(result, 0, options),
      users: () => s.users('count', options),
      funnel: () => s.funnel({ steps: ['/', '/docs'] }, options),
      retention: () => s.retention({ period: 'day' }, options),
      cohorts: () => s.cohorts.list(options),
    };
    for (const [name, call] of Object.entries(calls)) await expect(call(), name).rejects.toBeInstanceOf(AbortedError);
  });

  it('that fires between the rows of a batch stops the stream, which releases its answer', async () => {
    const stopping = new AbortController();
    const seen: unknown[] = [];
    const read = async () => {
      for await (const row of s.stream('count by docPath', { signal: stopping.signal })) {
        seen.push(row);
        stopping.abort();
      }
    };
    await expect(read()).rejects.toBeInstanceOf(AbortedError);
    expect(seen).toHaveLength(1);
  });

  it('is the cause of the error when it ends work of the engine', async () => {
    const stopping = new AbortController();
    const slow = "count by docPath where docPath matches '(.*x){9}'";
    const asking = s.write(slow, 'stopped.csv', { signal: stopping.signal });
    stopping.abort(new Error('enough'));
    await expect(asking).rejects.toMatchObject({ name: 'AbortedError', cause: { message: 'enough' } });
  });
});
