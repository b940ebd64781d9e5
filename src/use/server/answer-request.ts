import type { Issue, Outcome } from '../../ask/outcome.ts';
import { toMeta } from '../../plan/model/write-meta.ts';
import type { RejectedLines } from '../../run/backend.ts';
import { toDryRun } from '../../shape/envelope/dry-run.ts';
import { tooManyDays } from '../../shape/fill/wire-fill.ts';
import { sayIssues } from '../answer/load.ts';
import { parsedQuery, readLoad, type BoundLoad } from '../answer/read-load.ts';
import type { Session } from '../session.ts';
import type { Face } from './face.ts';
import type { Project } from './projects.ts';
import type { Parameters } from './read-parameters.ts';
import { checkQuestion, type QuestionLimits } from './question-limits.ts';
import { Refusal } from './refusal.ts';
import { jsonReply, type Reply } from './reply.ts';
import type { LoadAction } from './route.ts';
import { streamLoad } from './stream-load.ts';
import { toSqlResponse } from './write-sql.ts';

export interface AnswerParts {
  readonly session: Session;
  /** Whether the same request was not yet made often enough to be answered. */
  readonly mustWait: (request: unknown) => boolean;
  readonly questionLimits: QuestionLimits;
  readonly onRejected: (rejected: RejectedLines) => void;
}

export interface AskedRequest {
  readonly face: Face;
  readonly action: LoadAction;
  readonly parameters: Parameters;
  /** Only on the platform's face. */
  readonly project: Project | undefined;
  readonly signal: AbortSignal;
}

/** Answers `load`, `dry-run`, `meta` and `sql`. Errors: `Refusal` for a person's mistake, and those of the backend. */
export async function answerRequest(parts: AnswerParts, asked: AskedRequest): Promise<Reply> {
  const { session, mustWait, onRejected } = parts;
  const { face, action, project, signal } = asked;
  if (action === 'meta') return jsonReply(toMeta(session.model));
  const load = bound(readLoad(toBody(asked, parts.questionLimits), session, { queryType: defaultType(asked), project: project?.selector }), face);
  if (action === 'dry-run') return jsonReply(toDryRun(load.plans, load.queryType));
  if (action === 'sql') return jsonReply(await toSqlResponse(load, session, signal));
  const unfillable = face === 'platform' ? load.plans.map(({ query }) => tooManyDays(query)).filter((issue) => issue !== undefined) : [];
  if (unfillable.length > 0) throw new Refusal(400, sayIssues(unfillable));
  if (project?.hasEvents === false) throw new Refusal(404, '404 Clickhouse Database Not Found');
  if (mustWait([face, project?.name, load.multi, load.plans.map(({ query }) => query)])) return jsonReply({ error: 'Continue wait' });
  return { status: 200, body: await streamLoad(load, session, { fillDays: face === 'platform', signal, onRejected }) };
}

/** The platform takes one query; Cube takes a list of them, too, and reads `cache`. What else the parameters say is dropped. */
function toBody({ face, parameters }: AskedRequest, limits: QuestionLimits): unknown {
  const query = parsedQuery(parameters.get('query'));
  const queryType = parameters.get('queryType');
  if (face === 'platform' && (query === undefined || query === null || query === '')) throw new Refusal(400, 'query is missing');
  if (face === 'platform' && Array.isArray(query)) throw new Refusal(400, 'query is invalid');
  checkQuestion(query, limits);
  const cache = face === 'cube' ? parameters.get('cache') : undefined;
  return { query, ...(queryType !== undefined && { queryType }), ...(cache !== undefined && { cache }) };
}

/** The platform asks Cube for several results, whatever its own client asks for. */
function defaultType({ face, action }: AskedRequest): string {
  return face === 'platform' || action !== 'load' ? 'multi' : 'regularQuery';
}

/** What Cube names a mistake of the user: a member that there is not, or not of that kind. */
const userErrors = new Set(['unknown-member', 'wrong-kind', 'mixed-filter', 'no-join']);

/** Cube meets a limit beyond its own as a fault of its own. Source: recordings of Cube's answers. */
const cubeLimitError = { status: 500, message: 'Error: The query limit has been exceeded.' } as const;

function bound(read: Outcome<BoundLoad>, face: Face): BoundLoad {
  if (read.ok) return read.value;
  const errors = read.issues.filter((issue: Issue) => issue.severity === 'error');
  const said = sayIssues(errors);
  if (face === 'cube' && errors.every(({ code }) => code === 'limit-too-high')) throw new Refusal(cubeLimitError.status, `${cubeLimitError.message} ${said}`);
  throw new Refusal(400, said, { isUserError: errors.every(({ code }) => userErrors.has(code)) });
}
