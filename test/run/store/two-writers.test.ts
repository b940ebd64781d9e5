import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openWriter, type StoreWriter } from '../../../src/run/duckdb/store/open-writer.ts';
import { ingestInChild, writeMany } from './child-writer.ts';
import { lines, scratchStore } from './scratch-store.ts';

const counting = 'SELECT count(*)::INTEGER FROM events';

function hold(folder: string): Promise<StoreWriter> {
  return openWriter({
    folder,
    now: () => 0,
    randomText: () => 'held',
    holder: `process ${process.pid} (node)`,
    threads: 1,
  });
}

describe('two writers', () => {
  it('of one process take turns, and lose nothing', async () => {
    const store = scratchStore();
    const files = Array.from({ length: 6 }, (_, index) =>
      store.write(`${index}.ndjson`, lines({ docPath: `/${index}` }, { docPath: '/both' })),
    );
    const reports = await Promise.all(files.map((file) => store.ingest([file])));
    expect(reports.map(({ added }) => added)).toEqual([2, 2, 2, 2, 2, 2]);
    expect(await store.ask(counting)).toEqual([[12]]);
  });

  it('of two processes take turns: the second says for whom it waits', async () => {
    const store = scratchStore();
    const file = store.write('a.ndjson', lines({ docPath: '/a' }));
    const writer = await hold(store.folder);
    let closing: Promise<void> | undefined;
    const run = await ingestInChild(store.folder, 1000, [file], undefined, {
      onSaid: (said) => {
        if (said.includes('waiting')) closing ??= pause(200).then(() => writer[Symbol.asyncDispose]());
      },
    });
    await closing;
    expect(run.said).toContain(`waiting for process ${process.pid} (`);
    expect(run.said).toContain('"events":1');
  });

  it('do not stand in each other’s way once one of them has been killed', async () => {
    const store = scratchStore();
    const file = store.write('a.ndjson', '');
    writeMany(file, 'a', 100_000);
    const lock = join(store.folder, 'lock');
    const running = ingestInChild(store.folder, 1000, [file], undefined, { onSaid: () => undefined });
    while (!existsSync(lock)) await pause(5);
    const controller = new AbortController();
    const waiting = store.ingest([store.write('b.ndjson', lines({}))], {
      signal: controller.signal,
      onWait: (holder) => void process.kill(Number(/\d+/.exec(holder)?.[0]), 'SIGKILL'),
    });
    const report = await waiting;
    const { killed } = await running;
    expect(report.added).toBe(1);
    expect(report.events).toBe(killed ? 1 : 100_001);
  });

  it('the one that waits can be told to stop, in a queue of one process and for another one', async () => {
    const store = scratchStore();
    const file = store.write('a.ndjson', lines({ docPath: '/a' }));
    const writer = await hold(store.folder);
    const controller = new AbortController();
    await expect(
      store.ingest([file], { signal: controller.signal, onWait: () => setImmediate(() => controller.abort()) }),
    ).rejects.toMatchObject({ code: 'aborted' });
    const next = store.ingest([file]);
    await writer[Symbol.asyncDispose]();
    expect(await next).toMatchObject({ added: 1 });
  });
});
