import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openScriptedServer, type Script } from '../../run/http/scripted-server.ts';
import { writeZip } from '../../run/write-zip.ts';
import { type Folder, folderOf } from '../run-in-folder.ts';

const lines = (count: number, page = '/p') =>
  Buffer.from(
    Array.from(
      { length: count },
      (_, index) =>
        `${JSON.stringify({ utcTime: new Date(Date.UTC(2024, 2, 1) + index * 60_000).toISOString(), userAnonymousId: `u${index % 7}`, docPath: `${page}/${index % 5}` })}\n`,
    ).join(''),
  );

async function serve(script: Script) {
  const server = await openScriptedServer(script);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

async function count(folder: Folder, address: string, env = {}): Promise<string> {
  const { code, stdout, stderr } = await folder.sluice(['query', 'count', '-f', 'csv', '--events', address], { env });
  return code === 0 ? stdout.trim().split('\n').at(-1)! : `${code}: ${stderr}`;
}

const copies = (folder: Folder) =>
  readdirSync(path.join(folder.root, '.sluice/downloads'), {
    recursive: true,
    encoding: 'utf8',
  }).sort();

/** Serves bytes like a static server: conditions, ranges and If-Range. */
const served =
  (bytes: Uint8Array, etag: string, cuts: readonly number[] = []): Script =>
  ({ headers }, index) => {
    if (headers['if-none-match'] === etag) return { status: 304, headers: { ETag: etag } };
    const from = Number(/^bytes=(\d+)-$/.exec(headers['range'] ?? '')?.[1] ?? 0);
    const isPart = from > 0 && headers['if-range'] === etag;
    const start = isPart ? from : 0;
    const after = cuts[index];
    return {
      status: isPart ? 206 : 200,
      headers: {
        ETag: etag,
        'Content-Range': isPart ? `bytes ${start}-${bytes.length - 1}/${bytes.length}` : undefined,
      },
      bytes: bytes.subarray(start),
      ...(after === undefined ? {} : { trick: { kind: 'cut-off' as const, after } }),
    };
  };

describe('a web address', () => {
  it('is queried, loaded and used as a table, like the file itself', async () => {
    const server = await serve(served(lines(300), '"a"'));
    const folder = folderOf({
      'model.yml': 'cubes:\n  - name: pages\n    sql_table: pages\n    measures:\n      - {name: count, type: count}\n',
    });
    const address = `${server.url}/day.ndjson?sig=SECRETSIG`;
    expect(await count(folder, address)).toBe('300');
    const taken = await folder.sluice(['ingest', address, '--store', 's']);
    expect([taken.code, taken.stderr]).toEqual([0, expect.stringContaining('300 events added')]);
    const again = await folder.sluice(['ingest', address, '--store', 's']);
    expect(again.stderr).toContain(`${server.url}/day.ndjson was loaded on`);
    folder.write('sluice.yaml', `model: model.yml\ntables: {pages: "${address}"}\n`);
    const table = await folder.sluice(['query', '-m', 'pages.count', '-f', 'json', '--with-provenance']);
    expect([table.code, table.stdout]).toEqual([0, expect.stringContaining('300')]);
    for (const text of [taken.stderr, again.stderr, table.stdout, table.stderr])
      expect(text).not.toContain('SECRETSIG');
    expect(server.requests.map(({ target }) => target)).toContain('/day.ndjson?sig=SECRETSIG');
    for (const { headers } of server.requests) {
      expect(headers['authorization'] ?? headers['private-token'] ?? headers['cookie']).toBeUndefined();
      expect(headers['accept-encoding']).toBe('identity');
    }
  });

  it('is downloaded again only if it changed, into a folder that only its owner can read', async () => {
    const server = await serve(served(lines(300), '"a"'));
    const folder = folderOf();
    const address = `${server.url}/day.ndjson`;
    expect(await count(folder, address)).toBe('300');
    expect(await count(folder, address)).toBe('300');
    expect(server.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"a"']);
    const [place] = copies(folder);
    expect(statSync(path.join(folder.root, '.sluice/downloads')).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(folder.root, '.sluice/downloads', place!, 'day.ndjson')).mode & 0o777).toBe(0o600);
    expect(copies(folder)).toHaveLength(3);
    server.answer(served(lines(400), '"b"'));
    expect(await count(folder, address)).toBe('400');
    expect(await count(folder, address)).toBe('400');
    // A modified copy is not used.
    folder.write(path.join('.sluice/downloads', place!, 'day.ndjson'), lines(1));
    expect(await count(folder, address)).toBe('400');
    expect(server.requests.at(-1)!.headers['if-none-match']).toBeUndefined();
  });

  it('is checked by Last-Modified if there is no ETag', async () => {
    const date = 'Fri, 01 Mar 2024 00:00:00 GMT';
    const server = await serve(({ headers }) =>
      headers['if-modified-since'] === date ? { status: 304 } : { headers: { 'Last-Modified': date }, bytes: lines(9) },
    );
    const folder = folderOf();
    expect([await count(folder, server.url), await count(folder, server.url)]).toEqual(['9', '9']);
    expect(server.requests).toHaveLength(2);
  });

  it('is resumed after broken connections', async () => {
    const body = lines(3000);
    const server = await serve(served(body, '"a"', [1000, 70_000, 1]));
    expect(await count(folderOf(), `${server.url}/day.ndjson`)).toBe('3000');
    expect(server.requests.map(({ headers }) => [headers['range'], headers['if-range']])).toEqual([
      [undefined, undefined],
      ['bytes=1000-', '"a"'],
      ['bytes=71000-', '"a"'],
      ['bytes=71001-', '"a"'],
    ]);
  });

  it('is resumed by the next command, and restarted if it changed meanwhile', async () => {
    const server = await serve(served(lines(3000), '"a"', [5000, 0, 0, 0, 0]));
    const folder = folderOf();
    const address = `${server.url}/day.ndjson`;
    expect(await count(folder, address)).toMatch(/^4: .*stopped in the middle of its response.*\n.*resumed/s);
    server.answer(served(lines(3000), '"a"'));
    expect(await count(folder, address)).toBe('3000');
    expect(server.requests.at(-1)!.headers['range']).toBe('bytes=5000-');

    const other = folderOf();
    const before = server.requests.length;
    const old = served(lines(3000), '"a"', [5000]);
    const fresh = served(lines(2000, '/other'), '"b"');
    server.answer((request, index) => (index === before ? old(request, 0) : fresh(request, index)));
    expect(await count(other, address)).toBe('2000');
    expect(server.requests.at(-1)!.headers['if-range']).toBe('"a"');
  });

  it('is not assembled from parts that may differ', async () => {
    const body = lines(3000);
    const folder = folderOf();
    // Weak validators, and a 206 of another position, of another version, and without a request for a range.
    const weak = await serve(served(body, 'W/"a"', [5000]));
    expect(await count(folder, weak.url)).toBe('3000');
    expect(weak.requests.every(({ headers }) => headers['range'] === undefined)).toBe(true);
    for (const wrong of [
      {
        'Content-Range': `bytes 4000-${body.length - 1}/${body.length}`,
        ETag: '"a"',
      },
      {
        'Content-Range': `bytes 5000-${body.length - 1}/${body.length}`,
        ETag: '"b"',
      },
      {
        'Content-Range': `bytes 5000-${body.length}/${body.length + 1}`,
        ETag: '"a"',
      },
    ]) {
      const server = await serve((request, index) =>
        index === 1
          ? { status: 206, headers: wrong, bytes: body.subarray(5000) }
          : served(body, '"a"', [5000])(request, index),
      );
      expect(await count(folder, server.url)).toBe('3000');
      expect(server.requests).toHaveLength(3);
    }
    const partial = await serve(() => ({
      status: 206,
      headers: { 'Content-Range': 'bytes 0-9/20' },
      text: '0123456789',
    }));
    expect(await count(folder, partial.url)).toMatch(/^4: .*only a part/s);
  }, 60_000);

  it('follows redirects, and sends the password only to its own origin', async () => {
    const away = await serve(served(lines(20), '"a"'));
    const server = await serve(({ path: asked }) =>
      asked === '/far'
        ? {
            status: 302,
            headers: { Location: `${away.url}/day.ndjson?sig=other` },
          }
        : { status: 302, headers: { Location: '/far' } },
    );
    const folder = folderOf();
    const env = {
      SLUICE_TOKEN: 'glpat-secret-token',
      GITLAB_TOKEN: 'glpat-secret-token',
    };
    const address = `http://ann:s3cretword@127.0.0.1:${server.port}/near`;
    expect(await count(folder, address, env)).toBe('20');
    expect(await count(folder, address, env)).toBe('20');
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual(
      Array.from({ length: 4 }, () => `Basic ${Buffer.from('ann:s3cretword').toString('base64')}`),
    );
    for (const { headers } of away.requests)
      expect(JSON.stringify(headers)).not.toMatch(/authorization|secret|cookie/i);
    expect(away.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"a"']);
    away.answer(() => ({ status: 404 }));
    const gone = await folder.sluice(['ingest', address], { env });
    expect([gone.code, gone.stderr]).toEqual([
      2,
      expect.stringContaining(`127.0.0.1:${server.port}/near does not exist (404)`),
    ]);
    expect(gone.stderr).not.toMatch(/s3cretword|ann/);
    server.answer(({ path: asked }) => ({
      status: 302,
      headers: { Location: `${asked}x` },
    }));
    expect(await count(folder, address)).toMatch(/^4: .*more than 5 times/s);
  });

  it('without data is refused: a page, an error, no server', async () => {
    const folder = folderOf();
    const secret = '/x.csv?token=SECRETSIG';
    const server = await serve(() => ({
      headers: { 'Content-Type': 'text/html' },
      bytes: Buffer.from('\n<!DOCTYPE html><title>Sign in</title>'),
    }));
    const page = await count(folder, server.url + secret);
    expect(page).toMatch(/^4: .*\/x\.csv answered with a web page \(text\/html\), not with data/s);
    expect(page).not.toContain('SECRETSIG');
    for (const [status, code, what] of [
      [404, 2, 'does not exist'],
      [401, 3, 'does not allow this'],
      [400, 4, 'refused the request'],
    ] as const) {
      server.answer(() => ({ status, text: 'no' }));
      const said = await count(folder, server.url + secret);
      expect(said.startsWith(`${code}: `), said).toBe(true);
      expect(said).toContain(`/x.csv ${what} (${status})`);
      expect(said).not.toContain('SECRETSIG');
    }
    server.answer((_, index) => (index % 2 === 1 ? { bytes: lines(7) } : { status: 503 }));
    expect(await count(folder, server.url)).toBe('7');
    expect(await count(folder, 'http://')).toMatch(/^2: /);
    expect(await count(folder, 'http://ann:s3cretword@example.org/x.csv')).toMatch(/^2: .*plain http/s);
  }, 60_000);

  it('may be compressed: gzip, also as a content encoding, and zip', async () => {
    const folder = folderOf();
    const server = await serve(({ path: asked }) =>
      asked.endsWith('.zip') || asked === '/export'
        ? {
            bytes: writeZip([
              { name: 'a.ndjson', content: lines(30) },
              { name: 'b.ndjson', content: lines(12) },
            ]),
          }
        : {
            headers: asked === '/plain' ? { 'Content-Encoding': 'gzip' } : {},
            bytes: gzipSync(lines(50)),
          },
    );
    expect(await count(folder, `${server.url}/day.ndjson.gz`)).toBe('50');
    expect(await count(folder, `${server.url}/plain`)).toBe('50');
    expect(await count(folder, `${server.url}/all.zip`)).toBe('42');
    expect(await count(folder, `${server.url}/export`)).toBe('42');
    server.answer(() => ({
      headers: { 'Content-Encoding': 'br' },
      bytes: lines(3),
    }));
    expect(await count(folder, `${server.url}/brotli`)).toMatch(/^4: .*compressed with "br"/s);
    const damaged = gzipSync(lines(50)).subarray(0, 200);
    server.answer(() => ({ bytes: damaged }));
    expect(await count(folder, `${server.url}/cut.ndjson.gz`)).toContain(`${server.url}/cut.ndjson.gz`);
  });

  it('supports a mapping, also by its address in sources, and setup by init', async () => {
    const csv = 'at;who;page\n2024-03-01 10:00:00;ann;/a\n2024-03-01 11:00:00;bob;/b\n';
    const server = await serve(() => ({
      headers: { 'Content-Type': 'text/csv', ETag: '"c"' },
      text: csv,
    }));
    const folder = folderOf();
    const address = `${server.url}/shop`;
    const proposed = await folder.sluice(['init', address]);
    expect(proposed.code).toBe(2);
    folder.write('sluice.yaml', proposed.stdout);
    const asked = await folder.sluice([
      'query',
      'count by docPath',
      '-f',
      'csv',
      ...(/^events|^sources/m.test(proposed.stdout) ? [] : ['--events', address]),
    ]);
    expect([asked.code, asked.stderr, asked.stdout]).toEqual([0, expect.any(String), expect.stringContaining('/a,1')]);
    folder.write(
      'sluice.yaml',
      `sources:\n  - files: ${address}\n    columns: {utcTime: at, userAnonymousId: who, docPath: page}\n`,
    );
    expect((await folder.sluice(['query', 'count by docPath', '-f', 'csv'])).stdout).toContain('/b,1');
    expect((await folder.sluice(['doctor'])).stdout).toContain('2 events');
    expect(readFileSync(path.join(folder.root, 'sluice.yaml'), 'utf8')).toContain(address);
  });
});
