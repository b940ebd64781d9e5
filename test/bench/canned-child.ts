import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

// A server that replays another server's answers, so that they cost nothing: `node canned-child.ts URL`. It reports its
// address, and the bodies of requests for rows.
const upstream = process.argv[2]!;
const kept = new Map<string, { readonly status: number; readonly bytes: Buffer }>();

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const server = createServer((incoming, response) => {
  void (async () => {
    const body = await readAll(incoming);
    const key = `${incoming.method} ${incoming.url} ${body.toString()}`;
    let answer = kept.get(key);
    if (!answer) {
      const sent = request(`${upstream}${incoming.url}`, {
        method: incoming.method,
        headers: { 'content-type': 'application/json' },
      });
      sent.end(body);
      const found = await new Promise<IncomingMessage>((resolve, reject) =>
        sent.on('response', resolve).on('error', reject),
      );
      answer = { status: found.statusCode ?? 500, bytes: await readAll(found) };
      kept.set(key, answer);
    }
    response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': answer.bytes.length });
    response.end(answer.bytes);
  })();
});
server.listen(0, '127.0.0.1', () =>
  process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
process.on('message', () => {
  const rows = [...kept.keys()]
    .map((key) => key.slice(key.indexOf('{')))
    .filter((body) => body.includes('"dimensions"'));
  process.send!({ bodies: rows });
});
process.on('disconnect', () => process.exit());
