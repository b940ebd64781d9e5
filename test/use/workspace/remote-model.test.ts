import type { SluiceErrorCode } from '../../../src/ask/error-codes.ts';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AbortedError, BackendError } from '../../../src/ask/sluice-error.ts';
import type { RemoteBackend } from '../../../src/run/backend.ts';
import { openRemoteModel } from '../../../src/use/workspace/remote-model.ts';
import { type Folder, openFolder } from '../run-in-folder.ts';

const day = 86_400_000;
const now = Date.UTC(2024, 2, 8, 12);
const meta = (name: string) => ({ cubes: [{ name }] });
let folder: Folder;
beforeEach(() => {
  folder = openFolder();
});
afterEach(() => folder.remove());

const file = () => path.join(folder.root, 'deep', 'meta.json');
const backend = (describe: () => Promise<unknown>): RemoteBackend => ({ describe }) as unknown as RemoteBackend;
const tells = (name: string) => backend(() => Promise.resolve(meta(name)));
const fails = (code: SluiceErrorCode) => backend(() => Promise.reject(new BackendError('It failed.', { code })));
const namesOf = async (from: RemoteBackend, at = now, again = false) => {
  const { model, note, fresh } = await openRemoteModel(from, { file: file(), now: at, again });
  return { names: model.cubes.map(({ name }) => name), fresh, ...(note !== undefined && { note }) };
};

it("is the server's, and for a day the cached one", async () => {
  expect(await namesOf(tells('A'))).toEqual({ names: ['A'], fresh: true });
  expect(await namesOf(tells('B'), now + day - 1)).toEqual({ names: ['A'], fresh: false });
  expect(await namesOf(tells('B'), now + day)).toEqual({ names: ['B'], fresh: true });
  expect(await namesOf(tells('C'), now + day, true)).toEqual({ names: ['C'], fresh: true });
  expect(readdirSync(path.dirname(file()))).toEqual(['meta.json']);
});

it('is the cached one of any age while the server cannot be reached, with a note', async () => {
  await namesOf(tells('A'));
  expect(await namesOf(fails('unreachable'), now + 30 * day)).toEqual({
    names: ['A'],
    fresh: false,
    note: expect.stringContaining('2024-03-08'),
  });
  await expect(namesOf(fails('token-refused'), now + 30 * day)).rejects.toMatchObject({ code: 'token-refused' });
  folder.remove();
  await expect(namesOf(fails('unreachable'))).rejects.toMatchObject({ code: 'unreachable' });
});

it('is the built-in one if the server provides none, or none that is known, with a note', async () => {
  for (const from of [fails('endpoint-not-found'), backend(() => Promise.resolve({ cubes: [{}] }))]) {
    const { names, note } = await namesOf(from);
    expect(names).toContain('TrackedEvents');
    expect(note).toMatch(/built-in/);
  }
});

it('needs no writable folder', async () => {
  folder.write('deep', 'a file in the way');
  expect(await namesOf(tells('A'))).toEqual({ names: ['A'], fresh: true });
});

it('aborts with the signal', async () => {
  const stop = new AbortController();
  const from = backend(() => {
    stop.abort();
    return Promise.reject(new BackendError('It failed.', { code: 'unreachable' }));
  });
  await expect(openRemoteModel(from, { file: file(), now, signal: stop.signal })).rejects.toBeInstanceOf(AbortedError);
});
