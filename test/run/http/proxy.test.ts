import { createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { get, openTestHttp } from './open-test-http.ts';
import { loopbackCertificate, loopbackKey } from './loopback-certificate.ts';
import { openScriptedServer } from './scripted-server.ts';

/** A tunnelling proxy that requires a password. */
async function openProxy(password: string) {
  const tunnels: string[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    return socket;
  };
  const server = createServer((_, response) => response.writeHead(500).end());
  server.on('connection', keep);
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    if (headers['proxy-authorization'] !== `Basic ${Buffer.from(`u:${password}`).toString('base64')}`)
      return void client.end('HTTP/1.1 407 Who are you\r\n\r\n');
    tunnels.push(url);
    const [host = '', port = ''] = url.split(':');
    const there = keep(
      connect(Number(port), host, () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(there).pipe(client);
      }),
    );
    client.on('close', () => there.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a proxy', () => {
  it('is gone through, but for the hosts that are left out', async () => {
    await using proxy = await openProxy('proxy-password');
    await using server = await openScriptedServer(() => ({ text: 'good' }), {
      tls: { key: loopbackKey, cert: loopbackCertificate },
    });
    for (const [except, tunnels] of [
      ['', 1],
      ['127.0.0.1', 1],
      ['other.example', 2],
    ] as const) {
      await using http = openTestHttp(server.url, {
        ca: loopbackCertificate,
        proxy: { url: `http://u:proxy-password@${proxy.host}`, except },
      });
      expect(await (await http.request(get)).text()).toBe('good');
      expect(proxy.tunnels).toHaveLength(tunnels);
    }
    await using distrusting = openTestHttp(server.url, { proxy: { url: `http://u:proxy-password@${proxy.host}` } });
    await expect(distrusting.request(get)).rejects.toMatchObject({
      code: 'unreachable',
      attempts: 1,
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string,
    });
  });

  it('that refuses is named, without its password', async () => {
    await using proxy = await openProxy('proxy-password');
    await using http = openTestHttp('https://code.invalid', {
      proxy: { url: `http://u:wrong-password@${proxy.host}` },
    });
    const error: unknown = await http.request(get).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      name: 'HttpError',
      code: 'unreachable',
      message: 'https://code.invalid cannot be reached: the proxy answered 407.',
    });
    expect(String((error as Error).stack)).not.toContain('wrong-password');
  });

  it('that cannot be reached is named', async () => {
    await using http = openTestHttp('https://code.invalid', { proxy: { url: 'http://127.0.0.1:1' } });
    await expect(http.request(get)).rejects.toMatchObject({
      name: 'HttpError',
      code: 'unreachable',
      hint: expect.stringContaining('the proxy 127.0.0.1:1') as string,
    });
  });

  it.each(['nonsense', 'ftp://127.0.0.1', 'http://a:%zz@127.0.0.1:1'])('is not at %j', (url) => {
    expect(() => openTestHttp('https://code.invalid', { proxy: { url } })).toThrow(
      expect.objectContaining({ name: 'ConfigError', code: 'bad-proxy' }),
    );
  });
});
