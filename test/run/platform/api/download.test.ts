import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPlatformApi } from '../../../../src/run/platform/api/open-platform-api.ts';
import { openTestHttp, token } from '../../http/open-test-http.ts';
import { openScriptedServer, type Reply, type Script, type ScriptedServer } from '../../http/scripted-server.ts';
import { serviceOf } from './open-test-api.ts';

const archive = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7 + (index >> 8)) % 256));

async function open(script: Script) {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = await openScriptedServer(script);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const http = openTestHttp(server.url);
  onTestFinished(() => http[Symbol.asyncDispose]());
  const api = openPlatformApi(serviceOf(server.url, http));
  const to = path.join(folder, 'shop.tar.gz');
  return {
    server,
    to,
    folder,
    load: (options: object = {}) => api.exports.download({ id: 'acme/shop' }, { to, ...options }),
  };
}

/** Object storage that supports resuming. `cut`: the number of bytes after which a full answer breaks off. */
function storage(etag: () => string, cut?: number): Script {
  return ({ headers }) => {
    const from = headers['if-range'] === etag() ? Number(/bytes=(\d+)-/.exec(headers['range'] ?? '')?.[1] ?? 0) : 0;
    const range = `bytes ${from}-${archive.length - 1}/${archive.length}`;
    return {
      status: from > 0 ? 206 : 200,
      headers: { etag: etag(), ...(from > 0 && { 'content-range': range }), 'content-type': 'application/gzip' },
      bytes: archive.subarray(from),
      ...(from === 0 && cut !== undefined && { trick: { kind: 'cut-off', after: cut } }),
    };
  };
}

const asked = (server: ScriptedServer) => server.requests.map(({ headers }) => headers['range']);

describe('a download', () => {
  it('asks for bytes as they are, with the token, and leaves nothing but the file', async () => {
    const { server, to, folder, load } = await open(storage(() => '"a"'));
    const seen: number[] = [];
    await load({ onProgress: ({ bytes }: { bytes: number }) => void seen.push(bytes) });
    expect(readFileSync(to).equals(archive)).toBe(true);
    expect(readdirSync(folder)).toEqual(['shop.tar.gz']);
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      path: '/api/v4/projects/acme%2Fshop/export/download',
      headers: { 'accept-encoding': 'identity', 'private-token': token },
    });
    expect(seen.at(-1)).toBe(archive.length);
  });

  it('is resumed by range after a broken connection', async () => {
    const { server, to, load } = await open(storage(() => '"a"', 70_000));
    await load();
    expect(readFileSync(to).equals(archive)).toBe(true);
    expect(asked(server)).toEqual([undefined, 'bytes=70000-']);
  });

  it('begins anew if the archive was made anew meanwhile', async () => {
    let version = 0;
    const { server, to, load } = await open((request, index) => {
      version = index === 0 ? 1 : 2;
      return storage(() => `"${version}"`, index === 0 ? 70_000 : undefined)(request, index);
    });
    await load();
    expect(readFileSync(to).equals(archive)).toBe(true);
    expect(asked(server)).toEqual([undefined, 'bytes=70000-']);
  });

  it('takes no token to another origin', async () => {
    const store = await openScriptedServer(storage(() => '"a"', 50_000));
    onTestFinished(() => store[Symbol.asyncDispose]());
    const { server, to, load } = await open(() => ({
      status: 302,
      headers: { location: `${store.url}/bucket/archive?X-Signature=abc` },
    }));
    await load();
    expect(readFileSync(to).equals(archive)).toBe(true);
    expect(server.requests.map(({ headers }) => headers['private-token'])).toEqual([token, token]);
    expect(store.requests).toHaveLength(2);
    expect(JSON.stringify(store.requests)).not.toContain(token);
  });

  it.each<[Reply, string]>([
    [{ status: 404, json: { message: '404 Not found' } }, 'not-found'],
    [{ status: 401, json: { message: '401 Unauthorized' } }, 'token-refused'],
    [{ text: '<!DOCTYPE html><html>Sign in</html>' }, 'bad-response'],
  ])('that is refused writes no file', async (reply, code) => {
    const { folder, load } = await open(() => reply);
    await expect(load()).rejects.toMatchObject({ code });
    expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).toEqual([]);
  });

  it('needs a place', async () => {
    const { server, load } = await open(() => ({}));
    await expect(load({ to: undefined })).rejects.toMatchObject({ kind: 'input' });
    expect(server.requests).toHaveLength(0);
  });
});
