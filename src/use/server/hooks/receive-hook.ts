import type { IncomingMessage } from 'node:http';
import { AbortedError } from '../../../ask/sluice-error.ts';
import type { Handled } from '../listen.ts';
import { decodeBody, readBody } from '../read-parameters.ts';
import { Refusal } from '../refusal.ts';
import { jsonReply, type Reply } from '../reply.ts';
import type { RequestQueue } from '../request-queue.ts';
import { type DeliveryCheck, single } from './check-delivery.ts';
import type { Deliveries } from './deliveries.ts';
import type { ReceivedHook } from './hook-options.ts';

export interface ReceiverParts {
  readonly deliveries: Deliveries;
  readonly check: DeliveryCheck;
  readonly gate: RequestQueue;
  readonly mostBodyBytes: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onDelivery: ((received: ReceivedHook) => void) | undefined;
  readonly onFault: (error: unknown) => void;
}

/** The path that webhooks are posted to. */
export const hookPath = '/hooks';

/** Receives one delivery and replies. Never rejects. */
export async function receiveHook(
  parts: ReceiverParts,
  request: IncomingMessage,
  signal: AbortSignal,
  isStopping: () => boolean,
): Promise<Handled> {
  const toFailed = (error: unknown): Reply => {
    if (error instanceof Refusal) return jsonReply({ message: error.message }, error.status, error.headers);
    if (!(error instanceof AbortedError)) parts.onFault(error);
    return jsonReply({ message: '503 Service Unavailable: the delivery was not kept.' }, 503, { 'retry-after': '5' });
  };
  const reply = await answer(parts, request, signal, isStopping).catch(toFailed);
  return {
    toFailed,
    close: async () => undefined,
    reply: {
      ...reply,
      headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...reply.headers },
    },
  };
}

async function answer(
  parts: ReceiverParts,
  request: IncomingMessage,
  signal: AbortSignal,
  isStopping: () => boolean,
): Promise<Reply> {
  const { headers, method } = request;
  const address = (request.url ?? '/').split('?', 1)[0];
  if ((address === '/readyz' || address === '/livez') && method === 'GET')
    return isStopping() ? jsonReply({ health: 'DOWN' }, 503) : jsonReply({ health: 'HEALTH' });
  if (address !== hookPath) throw new Refusal(404, `404 Not Found: webhooks are received at ${hookPath}.`);
  if (method !== 'POST')
    throw new Refusal(405, '405 Method Not Allowed: deliveries are POST requests.', { headers: { allow: 'POST' } });
  if (isStopping())
    throw new Refusal(503, 'The listener is stopping.', { headers: { connection: 'close', 'retry-after': '5' } });
  parts.check.checkHead(headers, parts.now());
  checkType(request);
  const id = single(headers, 'webhook-id') ?? single(headers, 'idempotency-key');
  if (id === undefined) throw new Refusal(400, 'The header webhook-id or Idempotency-Key is missing.');
  const leave = await parts.gate.enter(signal);
  try {
    const bytes = await readBody(request, parts.mostBodyBytes);
    parts.check.checkBody(headers, bytes);
    const event = textOf(headers, 'x-gitlab-event') ?? textOf(headers, 'x-service-event');
    const isNew = await parts.deliveries.keep({
      id: textIn('webhook-id or Idempotency-Key', id),
      received: new Date(parts.now()).toISOString(),
      event,
      instance: textOf(headers, 'x-gitlab-instance') ?? textOf(headers, 'x-service-instance'),
      body: jsonText(bytes),
    });
    parts.onDelivery?.({ id, event, isRepeated: !isNew });
    return jsonReply({ id, repeated: !isNew }, isNew ? 201 : 200);
  } finally {
    leave();
  }
}

function checkType({ headers }: IncomingMessage): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== undefined && type !== 'application/json' && !type.endsWith('+json'))
    throw new Refusal(415, 'The body must be JSON (application/json).');
  const packing = headers['content-encoding']?.trim().toLowerCase();
  if (packing !== undefined && packing !== '' && packing !== 'identity')
    throw new Refusal(415, 'The body must not be compressed.');
}

/** Validates JSON without the parser's message, which would expose part of the body. */
function jsonText(bytes: Buffer): string {
  const text = decodeBody(bytes);
  if (text.trim() === '') throw new Refusal(400, 'The body is empty.');
  try {
    JSON.parse(text);
  } catch {
    throw new Refusal(400, 'The body is not JSON.');
  }
  return text;
}

function textOf(headers: IncomingMessage['headers'], name: string): string | null {
  const value = single(headers, name);
  return value === undefined ? null : textIn(name, value);
}

const longest = 1_000;

function textIn(name: string, value: string): string {
  if (value.length <= longest && /^[\x20-\x7e]+$/.test(value)) return value;
  throw new Refusal(400, `The header ${name} must be at most ${longest} printable ASCII characters.`);
}
