import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readStore } from '../../../src/run/store/store-contents.ts';
import { ingestInChild, writeMany } from './child-writer.ts';
import { scratchStore, type ScratchStore } from './scratch-store.ts';

const kills = Number(process.env['TEST_KILLS'] ?? 6);
const events = Number(process.env['TEST_KILL_EVENTS'] ?? 2000);
/** Checks the store: it contains whole files, each once or not at all, and no other files than it names. */
async function checkStore(store: ScratchStore, truth: ReadonlyMap<string, number>): Promise<number> {
  const contents = await readStore(store.folder);
  if (!contents) return 0;
  const counted = await store.ask(
    'SELECT source, count(*)::INTEGER FROM (SELECT src AS source FROM events) GROUP BY 1',
  );
  const held = new Map(counted.map(([source, count]) => [String(source), Number(count)]));
  for (const [name, count] of held) expect([name, count]).toEqual([name, truth.get(name)]);
  expect(contents.sources.map(({ file }) => file.split('/').at(-1)!.replace('.ndjson', '')).sort()).toEqual(
    [...held.keys()].sort(),
  );
  expect(
    contents.sources.every(
      ({ rejectedFile }) =>
        rejectedFile !== undefined && existsSync(join(store.folder, '..', 'rejected', 'store', rejectedFile)),
    ),
  ).toBe(true);
  return held.size;
}

describe('a writer that is killed', () => {
  it(`at any moment (${kills} of them) leaves the store as it was or as it should be, and the next one makes up for it`, {
    timeout: 60_000 + kills * 60_000,
  }, async () => {
    const store = scratchStore();
    const truth = new Map<string, number>();
    const files: string[] = [];
    for (let index = 0; index < 6; index += 1) {
      const name = `file-${index}`;
      const count = Math.ceil((events / 6) * (0.5 + index / 5));
      truth.set(name, count);
      const body = store.write(`${name}.ndjson`, '');
      writeMany(body, name, count);
      files.push(body);
    }
    const total = [...truth.values()].reduce((sum, count) => sum + count, 0);
    const batch = Math.ceil(total / 4);
    const whole = await ingestInChild(store.folder, batch, files);
    expect(whole.said).toContain(`"events":${total}`);
    rmSync(join(store.folder, '..'), { recursive: true });
    const note = join(store.folder, 'scratch');
    const putAside: string[] = [];
    let killed = 0;
    let partly = 0;
    let seed = 7;
    let held = 0;
    let span = whole.ms;
    for (let attempt = 0; killed < kills && attempt < 3 * kills; attempt += 1) {
      seed = (seed * 48_271) % 2_147_483_647;
      // From before startup is complete to shortly after the remaining work ends.
      const left = 1 - (0.6 * (held % files.length)) / files.length;
      const run = await ingestInChild(
        store.folder,
        batch,
        files,
        Math.round(span * left * (0.15 + 0.9 * (seed / 2_147_483_647))),
      );
      killed += run.killed ? 1 : 0;
      // The machine may have been less busy this time.
      if (!run.killed) span = Math.min(span, run.ms / left);
      held = await checkStore(store, truth);
      if (held > 0 && held < files.length) partly += 1;
      if (existsSync(note)) putAside.push(readFileSync(note, 'utf8'));
      // Sometimes start from an empty store, so that every part of the work is covered.
      if (held < files.length && seed % 4 > 0) continue;
      held = 0;
      for (const folder of [...putAside.splice(0), join(store.folder, '..')])
        rmSync(folder, { recursive: true, force: true });
    }
    const last = await ingestInChild(store.folder, batch, files);
    expect(last.said).toContain(`"events":${total}`);
    expect(await checkStore(store, truth)).toBe(files.length);
    expect(putAside.filter((folder) => existsSync(folder))).toEqual([]);
    const contents = (await readStore(store.folder))!;
    expect(readdirSync(join(store.folder, 'segments')).sort()).toEqual(
      contents.segments.map(({ name }) => name).sort(),
    );
    expect(store.rejected()).toHaveLength(files.length);
    expect(killed).toBeGreaterThan(kills / 3);
    if (process.env['TEST_KILLS'] !== undefined)
      console.log(`${killed} killed, ${partly} times some files were in, ${Math.round(whole.ms)} ms for a whole run`);
  });
});
