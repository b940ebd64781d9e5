import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openScriptedServer, type Script } from '../../run/http/scripted-server.ts';
import { writeZip } from '../../run/write-zip.ts';
import { type Folder, folderOf } from '../run-in-folder.ts';

const events = Array.from({ length: 90 }, (_, index) => ({
  utcTime: new Date(Date.UTC(2024, 2, 1) + index * 60_000).toISOString(),
  userAnonymousId: `u${index % 7}`,
  docPath: `/p/${index % 5}`,
  // What looks like the end of the list.
  note: index % 2 === 0 ? '"]}' : '\\',
}));
const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');

const more = lines.split('\n').slice(0, 45).join('\n');

/** The same events in a list within an object, or in several. */
const wrapped: Readonly<Record<string, string>> = {
  'in one line': JSON.stringify({ status: 'ok', results: events }),
  'over many lines': JSON.stringify({ data: { events }, took: 3 }, undefined, 2),
  'page after page': [0, 30, 60].map((at) => JSON.stringify({ results: events.slice(at, at + 30) })).join('\n'),
};

const query = ['query', 'count, uniqueUsersCount by docPath', '-f', 'csv', '--events'];

async function ask(folder: Folder, source: string): Promise<string> {
  const { code, stdout, stderr } = await folder.sluice([...query, source]);
  return code === 0 ? stdout : `${code}: ${stderr}`;
}

/** Loads a source into a store of its own, then asks the store. */
async function load(folder: Folder, source: string, store: string): Promise<string> {
  const { code, stderr } = await folder.sluice(['ingest', source, '--store', store]);
  if (code !== 0) return `${code}: ${stderr}`;
  return (await folder.sluice([...query.slice(0, -1), '--store', store])).stdout;
}

async function serve(script: Script) {
  const server = await openScriptedServer(script);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

describe.each(Object.entries(wrapped))('a list of events within an object, %s', (_, text) => {
  it('is read inside a zip, alone and beside other files', async () => {
    const folder = folderOf({
      'plain.ndjson': lines,
      'one.zip': writeZip([{ name: 'export.json', content: Buffer.from(text) }]),
      'nameless.zip': writeZip([{ name: 'export', content: Buffer.from(text) }]),
      'packed.zip': writeZip([{ name: 'export.json.zst', content: zstdCompressSync(text) }]),
      'two.zip': writeZip([
        { name: 'a/export.json', content: Buffer.from(text) },
        { name: 'b.ndjson', content: Buffer.from(more) },
      ]),
      'two/a.ndjson': lines,
      'two/b.ndjson': more,
    });
    const once = await ask(folder, 'plain.ndjson');
    expect(once).toContain('/p/0,18,7');
    for (const name of ['one.zip', 'nameless.zip', 'packed.zip']) {
      expect([name, await ask(folder, name)]).toEqual([name, once]);
      expect([name, await load(folder, name, `${name} store`)]).toEqual([name, once]);
    }
    const both = await ask(folder, 'two');
    expect(both).toContain('/p/0,27,7');
    expect(await ask(folder, 'two.zip')).toBe(both);
    expect(await load(folder, 'two.zip', 'store of two')).toBe(both);
  });

  it('is read from a web address, packed or not', async () => {
    const bodies: Readonly<Record<string, Uint8Array>> = {
      '/events': Buffer.from(text),
      '/events.json': Buffer.from(text),
      '/events.json.zst': zstdCompressSync(text),
      '/events.zip': writeZip([{ name: 'export.json', content: Buffer.from(text) }]),
    };
    const server = await serve(({ path: asked }) => ({
      headers: { 'Content-Type': 'application/json', ETag: `"${asked}"` },
      bytes: bodies[asked]!,
    }));
    const folder = folderOf({ 'plain.ndjson': lines });
    const once = await ask(folder, 'plain.ndjson');
    for (const [index, name] of Object.keys(bodies).entries()) {
      expect([name, await ask(folder, server.url + name)]).toEqual([name, once]);
      expect([name, await load(folder, server.url + name, `s${index}`)]).toEqual([name, once]);
    }
  });
});

describe('a list of events within an object that is not whole', () => {
  const broken = wrapped['in one line']!.slice(0, -400);

  it('is told of by the name of its member or address', async () => {
    const server = await serve(() => ({ bytes: Buffer.from(broken) }));
    const folder = folderOf({
      'cut.zip': writeZip([{ name: 'in/cut.json', content: Buffer.from(broken) }]),
    });
    for (const [source, shown] of [
      ['cut.zip', 'cut.zip/in/cut.json:'],
      [`${server.url}/cut.json`, `${server.url}/cut.json:`],
    ] as const) {
      for (const command of [
        [...query, source],
        ['ingest', source, '--store', shown.slice(0, 4)],
      ]) {
        const { code, stderr } = await folder.sluice(command);
        expect([source, code, stderr]).toEqual([source, 5, expect.stringContaining(shown)]);
        expect(stderr).toContain('the list is not closed');
      }
    }
  });

  it('is refused with the lists to choose from, by the same names', async () => {
    const several = JSON.stringify({ a: { events }, b: events.slice(2) });
    const server = await serve(() => ({ bytes: Buffer.from(several) }));
    const folder = folderOf({
      'all.zip': writeZip([{ name: 'several.json', content: Buffer.from(several) }]),
    });
    for (const [source, shown] of [
      ['all.zip', 'all.zip/several.json'],
      [`${server.url}/several.json`, `${server.url}/several.json`],
    ] as const) {
      const said = await ask(folder, source);
      expect(said).toContain(shown);
      expect(said).toContain('a.events (90 objects), b (88 objects)');
      // The copy on this machine is no file of the reader's.
      expect(said).not.toContain('.sluice/downloads');
      expect(said).not.toMatch(/sluice-(zip|download)/);
    }
  });
});
