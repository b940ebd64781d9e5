import * as z from 'zod';
import { writePath } from '../../ask/document/located.ts';
import { BackendError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';

/** One answer of a load endpoint, with its rows not yet read. */
export interface Envelope {
  readonly data: unknown;
  /** When the server computed the figures, an ISO instant. */
  readonly refreshed: string | undefined;
  /** Rows of the whole answer without limit and offset. */
  readonly total: number | undefined;
}

const result = z.looseObject({
  data: z.unknown(),
  lastRefreshTime: z.string().nullish(),
  total: z.union([z.int().nonnegative(), z.string().regex(/^\d+$/).transform(Number)]).nullish(),
});

const several = z.looseObject({ results: z.array(z.unknown()).length(1) });

/**
 * The single answer in a response, either in `results` or bare. Unknown keys are ignored. Throws `answer-unreadable`.
 */
export function readEnvelope(body: unknown): Envelope {
  const isSeveral = typeof body === 'object' && body !== null && 'results' in body;
  const bare = isSeveral ? read(several, body).results[0] : body;
  const { data, lastRefreshTime, total } = read(result, bare);
  if (data === undefined || data === null) throw unreadable('It has no "data".');
  const refreshed = lastRefreshTime ? Date.parse(lastRefreshTime) : Number.NaN;
  return {
    data,
    refreshed: Number.isNaN(refreshed) ? undefined : new Date(refreshed).toISOString(),
    total: total ?? undefined,
  };
}

function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  const [issue] = outcome.error.issues;
  const where =
    issue && issue.path.length > 0
      ? ` at ${quote(writePath(issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))))}`
      : '';
  throw unreadable(`It is not the response of a load endpoint${where}.`);
}

function unreadable(what: string): BackendError {
  return new BackendError(`The response of the server cannot be read. ${what}`, {
    code: 'answer-unreadable',
    hint: 'Check that the configured URL is that of the right service.',
  });
}
