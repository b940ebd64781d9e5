import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventFields } from '../../../src/plan/model/event-fields.ts';
import { readManifest } from '../../../src/run/store/store-manifest.ts';
import { lines, type ScratchStore, scratchStore } from './scratch-store.ts';

/** A store that the first layout's version wrote: the two files, without the forgotten user. */
const recorded = new URL('../../data/store-of-layout-1/', import.meta.url).pathname;
const sources = ['first.ndjson', 'second.csv'].map((name) => join(recorded, name));
const forgotten = 'user 22';
const more = { eventnCtxEventId: 'new', userAnonymousId: 'user 1', country: 'SE', utm_source: 'paper' };

function earlier(): ScratchStore {
  const store = scratchStore();
  const isOfStore = (from: string) => !sources.includes(from);
  cpSync(recorded, store.folder, { recursive: true, filter: isOfStore });
  return store;
}

/** The same files, loaded by this version. */
async function ingestedAgain(): Promise<ScratchStore> {
  const store = scratchStore();
  await store.ingest(sources);
  await store.forget(forgotten);
  return store;
}

const columns = [...eventFields.map(({ column }) => column), 'further', 'user_key'].join(', ');
const everything = `SELECT ${columns} FROM events ORDER BY ALL`;

describe('a store of layout 1', () => {
  it('is read as if its files had been loaded by this version', async () => {
    const store = earlier();
    const before = store.files();
    const rows = await store.ask(everything);
    expect(rows).toHaveLength(232);
    expect(rows).toEqual(await (await ingestedAgain()).ask(everything));
    const countries = await store.ask(
      'SELECT country, count(*) FROM events WHERE country <> $$$$ GROUP BY 1 ORDER BY 1',
    );
    expect(countries.map(([country]) => country)).toEqual(['AT', 'DE', 'FR', 'JP', 'US']);
    expect(store.files()).toEqual(before);
  });

  it('is upgraded by the next writer, which knows its files and the forgotten user', async () => {
    const [store, again] = [earlier(), await ingestedAgain()];
    const told: string[] = [];
    for (const one of [store, again]) {
      const file = one.write('more.ndjson', lines(more, { userAnonymousId: forgotten }));
      const { files } = await one.ingest([...sources, file]);
      told.push(files.map(({ outcome, added, forgotten: skipped }) => `${outcome} ${added} ${skipped}`).join(', '));
    }
    expect(told[0]).toBe(told[1]);
    const [manifest, fresh] = await Promise.all([readManifest(store.folder), readManifest(again.folder)]);
    expect(manifest).toMatchObject({ version: 2, salt: '3a188fdcae33fb9a83409d0e' });
    expect(Object.keys(manifest?.projections ?? {})).toEqual(Object.keys(fresh?.projections ?? {}));
    const kinds = manifest?.segments.map(({ projections }) => Object.keys(projections ?? {}));
    expect(kinds).toEqual(manifest?.segments.map(() => ['pages', 'counts', 'hours', 'ids']));
    expect(await store.ask(everything)).toEqual(await again.ask(everything));
  });

  it('stays as it is if it cannot be upgraded', async () => {
    const store = earlier();
    const manifest = readFileSync(join(store.folder, 'manifest.json'), 'utf8');
    const [, lost] = [...manifest.matchAll(/"name":"([^"]+)"/g)].map(([, name]) =>
      join(store.folder, 'segments', name!),
    );
    rmSync(lost!);
    const before = store.files();
    await expect(store.ingest([store.write('more.ndjson', lines(more))])).rejects.toMatchObject({
      code: 'store-damaged',
    });
    expect(store.files().filter((file) => !/\/lock$/.test(file))).toEqual(before);
    expect(readFileSync(join(store.folder, 'manifest.json'), 'utf8')).toBe(manifest);
  });
});
