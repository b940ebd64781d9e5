import type { IncomingMessage } from 'node:http';
import { answerRequest, type AnswerParts } from './answer-request.ts';
import { authorize } from './authorize.ts';
import { checkHost, originHeaders, preflightHeaders } from './check-origin.ts';
import type { TokenCheck } from './check-token.ts';
import { errorReply, notFoundReply, type Face } from './face.ts';
import type { Gate } from './gate.ts';
import { toProjectResource, userResource } from './platform-resources.ts';
import type { Projects } from './projects.ts';
import { readParameters } from './read-parameters.ts';
import { Refusal } from './refusal.ts';
import { jsonReply, type Reply } from './reply.ts';
import { toRoute, type Route } from './route.ts';
import type { Spool } from './spool.ts';

export interface HandlerParts extends AnswerParts {
  readonly projects: Projects;
  readonly gate: Gate;
  readonly checkToken: TokenCheck | undefined;
  readonly origins: readonly string[];
  /** Listens on loopback alone, where a foreign name in `Host` is a page's trick. */
  readonly isLocal: boolean;
  readonly mostBodyBytes: number;
  readonly mostAddressLength: number;
  /** Milliseconds that the work on an answer may take; 0: as long as it takes. */
  readonly answerMs: number;
  readonly spool: Spool;
  /** No new requests are taken. */
  readonly isStopping: () => boolean;
  /** Told of what should not happen. */
  readonly onFault: (error: unknown) => void;
}

export interface Handled {
  readonly reply: Reply;
  /** What is replied if the answer fails before any of it was sent. */
  readonly toFailed: (error: unknown) => Reply;
  /** To be called when the reply is sent, or given up. */
  readonly close: () => Promise<void>;
}

/** Answers one request. Never rejects: what goes wrong is a reply, too. */
export async function handleRequest(parts: HandlerParts, request: IncomingMessage, signal: AbortSignal): Promise<Handled> {
  const address = request.url ?? '/';
  const [path = '/', ...rest] = address.split('?');
  const search = rest.join('?');
  const route = toRoute(path);
  const face: Face = path.startsWith('/api/') ? 'platform' : 'cube';
  let shared: Readonly<Record<string, string>> = {};
  const work = startWork(signal);
  const hold = async () => work.begin(await parts.gate.enter(work.signal), parts.answerMs);
  const answer = async (): Promise<Reply> => {
    if (address.length > parts.mostAddressLength) throw new Refusal(414, `The address is longer than ${parts.mostAddressLength} characters. Send the query in the body of a POST.`);
    if (parts.isLocal) checkHost(request.headers.host);
    shared = originHeaders(request.headers, { allowed: parts.origins });
    if (request.method === 'OPTIONS') return { status: 204, headers: { ...(request.headers.origin !== undefined && preflightHeaders), allow: 'GET, POST, OPTIONS' }, body: '' };
    if (route.kind === 'health') return parts.isStopping() ? jsonReply({ health: 'DOWN' }, 503) : jsonReply({ health: 'HEALTH' });
    if (parts.isStopping()) throw new Refusal(503, 'The server is stopping.', { headers: { connection: 'close', 'retry-after': '5' } });
    if (face === 'platform') authorize(face, request, search, parts.checkToken);
    const wrong = wrongMethod(route, face, request.method ?? '', path);
    if (wrong) return wrong;
    if (face === 'cube') authorize(face, request, search, parts.checkToken);
    return answerRoute(parts, route, request, search, work.signal, hold);
  };

  const toFailed = (error: unknown): Reply => {
    const failure = work.isLate() ? tooLate(parts.answerMs) : error;
    const told = errorReply(face, failure);
    if (told.status >= 500 && !signal.aborted && !(failure instanceof Refusal)) parts.onFault(error);
    return { ...told, headers: { ...shared, ...safeHeaders, ...told.headers } };
  };
  const reply = await answer().catch(toFailed);
  const headers = { ...shared, ...safeHeaders, ...reply.headers };
  if (typeof reply.body === 'string') {
    work.end();
    return { toFailed, close: async () => undefined, reply: { ...reply, headers } };
  }
  const spooled = parts.spool.read(reply.body, work.end);
  const close = async () => {
    work.stop();
    await spooled.close();
  };
  return { toFailed, close, reply: { ...reply, headers, body: spooled.pieces } };
}

/** Work on an answer: it has a place among those that are worked on, and a time by which it must be done. */
function startWork(client: AbortSignal) {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let late = false;
  let leave = (): void => undefined;
  return {
    /** Fires when the client is gone, the time is over, or nobody needs the answer any more. */
    signal: AbortSignal.any([client, stopping.signal]),
    isLate: () => late && !client.aborted,
    begin(release: () => void, mostMs: number) {
      leave = release;
      if (mostMs > 0) timer = setTimeout(() => {
        late = true;
        stopping.abort();
      }, mostMs);
    },
    stop: () => stopping.abort(),
    /** The place is free for others, however long the client takes to read the answer. */
    end() {
      clearTimeout(timer);
      leave();
    },
  };
}

function tooLate(mostMs: number): Refusal {
  return new Refusal(504, `The answer took longer than ${mostMs / 1_000} seconds. Ask about a shorter range, or for fewer members.`);
}

/** Answers hold figures: nobody on the way keeps them, and no browser guesses what they are. */
const safeHeaders: Readonly<Record<string, string>> = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

function wrongMethod(route: Route, face: Face, method: string, path: string): Reply | undefined {
  const isUnknown = route.kind === 'unknown' || route.kind === 'platform-unknown' || (route.kind === 'cube' && route.action === undefined);
  if (isUnknown) return notFoundReply(face, method, path);
  const takesPost = route.kind === 'cube' || route.kind === 'platform-load';
  // The platform has its questions posted; only what it says of itself can be got, too.
  const takesGet = route.kind !== 'platform-load' || route.action === 'meta';
  if ((method === 'GET' && takesGet) || (method === 'POST' && takesPost)) return undefined;
  if (face === 'cube') return notFoundReply(face, method, path);
  const allow = [...(takesGet ? ['GET'] : []), ...(takesPost ? ['POST'] : []), 'OPTIONS'].join(', ');
  return jsonReply({ message: '405 Method Not Allowed' }, 405, { allow });
}

async function answerRoute(
  parts: HandlerParts, route: Route, request: IncomingMessage, search: string, signal: AbortSignal, hold: () => Promise<void>,
): Promise<Reply> {
  switch (route.kind) {
    case 'platform-user':
      return jsonReply(userResource);
    case 'platform-project':
      await hold();
      return jsonReply(toProjectResource(await parts.projects.find(route.project, signal)));
    case 'platform-load': {
      const parameters = await readParameters(request, search, parts.mostBodyBytes);
      await hold();
      const project = await parts.projects.find(route.project, signal);
      return answerRequest(parts, { face: 'platform', action: route.action, parameters, project, signal });
    }
    case 'cube': {
      const parameters = await readParameters(request, search, parts.mostBodyBytes);
      await hold();
      return answerRequest(parts, { face: 'cube', action: route.action ?? 'meta', parameters, project: undefined, signal });
    }
    default:
      throw new Refusal(404, '404 Not Found');
  }
}
