import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Engine, openEngine } from '../../../../src/run/duckdb/engine/engine.ts';
import { openEventFiles } from '../../../../src/run/duckdb/reading/event-files.ts';
import type { FactKeeper } from '../../../../src/run/duckdb/reading/source/find-fact.ts';
import { openFactKeeper } from '../../../../src/run/kept/keep-facts.ts';
import { openKeptFiles } from '../../../../src/run/kept/kept-files.ts';
import { scratchFolder } from '../../ask-sql.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: { upTo: 2 } });
afterAll(() => engine[Symbol.asyncDispose]());

const later = () => Date.now() + 60_000;
const facts = openFactKeeper(openKeptFiles({ folder: join(folder.path, 'kept'), now: later }), 'same', later);

const question =
  'SELECT coalesce(doc_path, referer, event_type, user_id) AS what, count(*)::INTEGER FROM events GROUP BY 1 ORDER BY 1';

/** More than eight megabytes of page views, and some records whose fields have other names. */
const pad = 'x'.repeat(400);
const plain = `{"utcTime":"2024-03-01T10:00:00","docPath":"/a","pad":"${pad}"}\n`.repeat(20_000);
const odd = [
  '{"TrackedEvents.utcTime":"2024-03-01","TrackedEvents.docPath":"/spelled"}',
  '{"utc_time":"2024-03-01","page\\u0055rlpath":"/escaped"}',
  '{"utcTime":"2024-03-01","props":{"referer":"/nested"}}',
  '{"utcTime":"2024-03-01","user_id":"only a user"}',
].join('\n');
const counted = [
  ['/a', 20_000],
  ['/escaped', 1],
  ['/spelled', 1],
  ['only a user', 1],
  [null, 1],
];

/** Opens a file as a process does, and collects the numbers of names that its views read. */
async function openFile(path: string, keeper: FactKeeper | undefined) {
  const read: number[] = [];
  const seen = new Proxy(engine, {
    get(target, key: keyof Engine) {
      if (key !== 'rows') return target[key];
      return (text: string) => {
        const [, columns] = /^CREATE OR REPLACE VIEW[^]*columns = \{([^}]*)\}/.exec(text) ?? [];
        if (columns !== undefined) read.push(columns.split("'VARCHAR'").length - 1);
        return target.rows(text);
      };
    },
  });
  const files = await openEventFiles(seen, [path], 'anonymous', 'events', { facts: keeper, narrow: true });
  return {
    read,
    async ask() {
      await files.refresh(question);
      const rows = await engine.rows(question);
      files.markTextRead();
      return rows;
    },
  };
}

describe('the names that a large file uses', () => {
  it('are read for the second question, kept for other processes, and dropped if the file grows', async () => {
    const path = folder.write('large.ndjson', `${plain}${odd}\n`);
    const all = await openFile(path, undefined);
    expect(await all.ask()).toEqual(counted);
    const first = await openFile(path, facts);
    for (let time = 0; time < 3; time += 1) expect(await first.ask()).toEqual(counted);
    const [many = 0, few = 0] = first.read;
    expect([first.read.length, all.read, many > 60, few < 12]).toEqual([2, [many], true, true]);
    const second = await openFile(path, facts);
    expect(await second.ask()).toEqual(counted);
    expect(second.read).toEqual([few]);
    appendFileSync(path, '{"derivedTstamp":"2024-03-01","Jitsu.pageUrlpath":"/new"}\n');
    const grown = counted.toSpliced(2, 0, ['/new', 1]);
    for (const open of [second, first]) expect(await open.ask()).toEqual(grown);
    const third = await openFile(path, facts);
    for (let time = 0; time < 2; time += 1) expect(await third.ask()).toEqual(grown);
    // The second process learned them anew.
    expect(third.read).toEqual([few + 2]);
  });

  it('are not known of a file that cannot be read as it is', async () => {
    const path = folder.write('array.json', `[${plain.trim().replaceAll('\n', ',')},{"utcTime":"2024-03-01"}`);
    const broken = await openFile(path, facts);
    await broken.ask().catch(() => undefined);
    await broken.ask().catch(() => undefined);
    expect(new Set(broken.read).size).toBe(1);
  });
});
