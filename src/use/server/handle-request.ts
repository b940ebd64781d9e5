import type { IncomingMessage } from 'node:http';
import type { Issue, Outcome } from '../../ask/outcome.ts';
import { allProperties } from '../../ask/query/property-name.ts';
import { toMeta } from '../../plan/model/write-meta.ts';
import type { RejectedLines } from '../../run/backend.ts';
import { toDryRun, toNormalizedQuery } from '../../shape/envelope/envelope-query.ts';
import { tooManyDays } from '../../shape/envelope/wire-fill.ts';
import { sayIssues } from '../answer/load.ts';
import { type BoundLoad, parsedQuery, readFreshLoad } from '../answer/read-load.ts';
import type { Session } from '../workspace/session.ts';
import { errorReply, type ApiFlavor, notFoundReply } from './api-flavor.ts';
import { checkHost, originHeaders, preflightHeaders } from './check-origin.ts';
import { authorize, type TokenCheck } from './check-token.ts';
import type { Handled } from './listen.ts';
import type { RequestQueue } from './request-queue.ts';
import type { Project, Projects } from './projects.ts';
import { checkQuestion, type QuestionLimits } from './question-limits.ts';
import { type Parameters, readParameters } from './read-parameters.ts';
import { Refusal } from './refusal.ts';
import { jsonReply, type Reply } from './reply.ts';
import { type LoadAction, type Route, toProjectResource, toRoute, userResource } from './route.ts';
import type { Spool } from './spool.ts';
import { streamLoad } from './stream-load.ts';

interface AnswerParts {
  readonly session: Session;
  /** Whether to answer a request with `Continue wait`, because it has not been repeated often enough. */
  readonly mustWait: (request: unknown) => boolean;
  readonly questionLimits: QuestionLimits;
  readonly onRejected: (rejected: RejectedLines) => void;
}

interface AskedRequest {
  readonly flavor: ApiFlavor;
  readonly action: LoadAction;
  readonly parameters: Parameters;
  /** Only set on the platform's API. */
  readonly project: Project | undefined;
  readonly signal: AbortSignal;
}

/**
 * Answers `load`, `dry-run`, `meta` and `sql`. Throws `Refusal` for mistakes in the request, and the backend's errors.
 */
async function answerRequest(parts: AnswerParts, asked: AskedRequest): Promise<Reply> {
  const { session, mustWait, onRejected } = parts;
  const { flavor, action, project, signal } = asked;
  if (action === 'meta') {
    await session.noticeChanges(signal);
    await session.refreshModel(signal, [allProperties]);
    return jsonReply(toMeta(session.model));
  }
  const load = bound(
    await readFreshLoad(
      toBody(asked, parts.questionLimits),
      session,
      { queryType: defaultType(asked), project: project?.selector },
      signal,
    ),
    flavor,
  );
  if (action === 'dry-run') return jsonReply(toDryRun(load.plans, load.queryType));
  if (action === 'sql') return jsonReply(await toSqlResponse(load, session, signal));
  const unfillable =
    flavor === 'platform'
      ? load.plans.map(({ query }) => tooManyDays(query)).filter((issue) => issue !== undefined)
      : [];
  if (unfillable.length > 0) throw new Refusal(400, sayIssues(unfillable));
  if (project?.hasEvents === false) throw new Refusal(404, '404 Clickhouse Database Not Found');
  if (mustWait([flavor, project?.name, load.multi, load.plans.map(({ query }) => query)]))
    return jsonReply({ error: 'Continue wait' });
  return {
    status: 200,
    body: await streamLoad(load, session, { fillDays: flavor === 'platform', signal, onRejected }),
  };
}

/**
 * Reads the query. The platform accepts one query; Cube also accepts a list, and reads `cache`. Other parameters are
 * ignored.
 */
function toBody({ flavor, parameters }: AskedRequest, limits: QuestionLimits): unknown {
  const query = parsedQuery(parameters.get('query'));
  const queryType = parameters.get('queryType');
  if (flavor === 'platform' && (query === undefined || query === null || query === ''))
    throw new Refusal(400, 'query is missing');
  if (flavor === 'platform' && Array.isArray(query)) throw new Refusal(400, 'query is invalid');
  checkQuestion(query, limits);
  const cache = flavor === 'cube' ? parameters.get('cache') : undefined;
  return { query, ...(queryType !== undefined && { queryType }), ...(cache !== undefined && { cache }) };
}

/** The platform always asks Cube for several results; Cube's own clients do not by default. */
function defaultType({ flavor, action }: AskedRequest): string {
  return flavor === 'platform' || action !== 'load' ? 'multi' : 'regularQuery';
}

/** Issues that Cube reports as user errors. */
const userErrors = new Set(['unknown-member', 'wrong-kind', 'mixed-filter', 'no-join']);

/** Cube reports limits above its maximum as an internal error. Source: recordings of Cube's answers. */
const cubeLimitError = { status: 500, message: 'Error: The query limit has been exceeded.' } as const;

function bound(read: Outcome<BoundLoad>, flavor: ApiFlavor): BoundLoad {
  if (read.ok) return read.value;
  const errors = read.issues.filter((issue: Issue) => issue.severity === 'error');
  const said = sayIssues(errors);
  if (flavor === 'cube' && errors.every(({ code }) => code === 'limit-too-high'))
    throw new Refusal(cubeLimitError.status, `${cubeLimitError.message} ${said}`);
  throw new Refusal(400, said, { isUserError: errors.every(({ code }) => userErrors.has(code)) });
}

/** Builds the answer of Cube's `/sql`: each statement with its parameters, and the member of each column. */
async function toSqlResponse({ plans, queryType }: BoundLoad, session: Session, signal: AbortSignal): Promise<object> {
  const answers: object[] = [];
  for (const plan of plans) {
    const { statement, parameters } = await session.explain(plan, { signal });
    answers.push({
      sql: {
        status: 'ok',
        sql: [
          statement,
          parameters.map((parameter) => (typeof parameter === 'bigint' ? String(parameter) : parameter)),
        ],
        query: toNormalizedQuery(plan),
        order: plan.order.map(({ column, descending }) => ({ id: plan.columns[column]?.key, desc: descending })),
        aliasNameToMember: Object.fromEntries(plan.columns.map(({ key, member }) => [key, member])),
        dataSource: 'default',
        external: false,
      },
    });
  }
  return queryType === 'regularQuery' && answers.length === 1 ? (answers[0] as object) : answers;
}

export interface HandlerParts extends AnswerParts {
  readonly projects: Projects;
  readonly queue: RequestQueue;
  readonly checkToken: TokenCheck | undefined;
  readonly origins: readonly string[];
  /** Whether the server only listens on loopback and therefore rejects foreign host names. */
  readonly isLocal: boolean;
  readonly mostBodyBytes: number;
  readonly mostAddressLength: number;
  /** Timeout for the work on an answer in milliseconds; 0: none. */
  readonly answerMs: number;
  readonly spool: Spool;
  /** Whether the server rejects new requests. */
  readonly isStopping: () => boolean;
  /** Called with unexpected errors. */
  readonly onFault: (error: unknown) => void;
}

/** Answers one request. Never rejects: errors become replies. */
export async function handleRequest(
  parts: HandlerParts,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<Handled> {
  const address = request.url ?? '/';
  const [path = '/', ...rest] = address.split('?');
  const search = rest.join('?');
  const route = toRoute(path);
  const flavor: ApiFlavor = path.startsWith('/api/') ? 'platform' : 'cube';
  let shared: Readonly<Record<string, string>> = {};
  const work = startWork(signal);
  const hold = async () => work.begin(await parts.queue.enter(work.signal), parts.answerMs);
  const answer = async (): Promise<Reply> => {
    if (address.length > parts.mostAddressLength)
      throw new Refusal(
        414,
        `The URL is longer than ${parts.mostAddressLength} characters. Send the query in the body of a POST.`,
      );
    if (parts.isLocal) checkHost(request.headers.host);
    shared = originHeaders(request.headers, { allowed: parts.origins });
    if (request.method === 'OPTIONS')
      return {
        status: 204,
        headers: { ...(request.headers.origin !== undefined && preflightHeaders), allow: 'GET, POST, OPTIONS' },
        body: '',
      };
    if (route.kind === 'health')
      return parts.isStopping() ? jsonReply({ health: 'DOWN' }, 503) : jsonReply({ health: 'HEALTH' });
    if (parts.isStopping())
      throw new Refusal(503, 'The server is stopping.', { headers: { connection: 'close', 'retry-after': '5' } });
    if (flavor === 'platform') authorize(flavor, request, search, parts.checkToken);
    const wrong = wrongMethod(route, flavor, request.method ?? '', path);
    if (wrong) return wrong;
    if (flavor === 'cube') authorize(flavor, request, search, parts.checkToken);
    return answerRoute(parts, route, request, search, work.signal, hold);
  };

  const toFailed = (error: unknown): Reply => {
    const failure = work.isLate() ? tooLate(parts.answerMs) : error;
    const told = errorReply(flavor, failure);
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

/** Tracks the work on an answer: its place in the queue and its timeout. */
function startWork(client: AbortSignal) {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let late = false;
  let leave = (): void => undefined;
  return {
    /** Fires when the client disconnects, the time is over, or the answer is no longer needed. */
    signal: AbortSignal.any([client, stopping.signal]),
    isLate: () => late && !client.aborted,
    begin(release: () => void, mostMs: number) {
      leave = release;
      if (mostMs > 0)
        timer = setTimeout(() => {
          late = true;
          stopping.abort();
        }, mostMs);
    },
    stop: () => stopping.abort(),
    /** Frees the place, even while the client still reads the answer. */
    end() {
      clearTimeout(timer);
      leave();
    },
  };
}

function tooLate(mostMs: number): Refusal {
  return new Refusal(
    504,
    `The answer took longer than ${mostMs / 1_000} seconds. Use a shorter range or fewer members.`,
  );
}

/** Answers contain private data: they must not be cached, and browsers must not guess their type. */
const safeHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

function wrongMethod(route: Route, flavor: ApiFlavor, method: string, path: string): Reply | undefined {
  const isUnknown =
    route.kind === 'unknown' ||
    route.kind === 'platform-unknown' ||
    (route.kind === 'cube' && route.action === undefined);
  if (isUnknown) return notFoundReply(flavor, method, path);
  const takesPost = route.kind === 'cube' || route.kind === 'platform-load';
  // The platform accepts queries only by POST, and `meta` also by GET.
  const takesGet = route.kind !== 'platform-load' || route.action === 'meta';
  if ((/^(?:GET|HEAD)$/.test(method) && takesGet) || (method === 'POST' && takesPost)) return undefined;
  if (flavor === 'cube') return notFoundReply(flavor, method, path);
  const allow = [...(takesGet ? ['GET'] : []), ...(takesPost ? ['POST'] : []), 'OPTIONS'].join(', ');
  return jsonReply({ message: '405 Method Not Allowed' }, 405, { allow });
}

async function answerRoute(
  parts: HandlerParts,
  route: Route,
  request: IncomingMessage,
  search: string,
  signal: AbortSignal,
  hold: () => Promise<void>,
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
      return answerRequest(parts, { flavor: 'platform', action: route.action, parameters, project, signal });
    }
    case 'cube': {
      const parameters = await readParameters(request, search, parts.mostBodyBytes);
      await hold();
      return answerRequest(parts, {
        flavor: 'cube',
        action: route.action ?? 'meta',
        parameters,
        project: undefined,
        signal,
      });
    }
    default:
      throw new Refusal(404, '404 Not Found');
  }
}
