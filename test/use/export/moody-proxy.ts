import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MoodyProxy extends AsyncDisposable {
  readonly url: string;
  /** Number of each kind of failure. */
  readonly troubles: ReadonlyMap<Trouble, number>;
  /** Called before each request for rows is passed on. */
  onRows: (number: number) => Promise<void> | void;
}

export type Trouble = 'busy' | 'reset' | 'cut' | 'wait' | 'gateway';

/** A proxy before a server that fails some requests in the ways that real servers and proxies do. */
export async function openMoodyProxy(
  upstream: string,
  { oneIn, seed = 11 }: { readonly oneIn: number; readonly seed?: number },
): Promise<MoodyProxy> {
  const troubles = new Map<Trouble, number>();
  let state = seed;
  const next = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  let rows = 0;

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(incoming);
    const kinds: readonly Trouble[] = ['busy', 'reset', 'cut', 'wait', 'gateway'];
    const trouble = next() < 1 / oneIn ? kinds[Math.floor(next() * kinds.length)] : undefined;
    if (trouble) troubles.set(trouble, (troubles.get(trouble) ?? 0) + 1);
    if (trouble === 'busy')
      return void response.writeHead(429, { 'retry-after': '0', 'content-type': 'text/plain' }).end('Retry later');
    if (trouble === 'gateway')
      return void response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>');
    if (trouble === 'wait')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"error":"Continue wait"}');
    if (trouble === 'reset') return void incoming.socket.destroy();
    if (body.includes('"order"')) await proxy.onRows((rows += 1));
    const sent = request(`${upstream}${incoming.url ?? ''}`, {
      method: incoming.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
    });
    sent.end(body);
    // A client that stops reading would block a place at the server.
    response.on('close', () => sent.destroy());
    const found = await new Promise<IncomingMessage>((resolve, reject) =>
      sent.on('response', resolve).on('error', reject),
    );
    response.writeHead(found.statusCode ?? 500, { 'content-type': 'application/json' });
    if (trouble !== 'cut') return void found.pipe(response);
    // Cut off midway: within the first piece if there is only one.
    const [first = Buffer.alloc(0)] = [(await found[Symbol.asyncIterator]().next()).value as Buffer];
    response.write(first.subarray(0, Math.ceil(first.length / 2)), () => incoming.socket.destroy());
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const proxy: MoodyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    troubles,
    onRows: () => undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return proxy;
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
