import * as z from 'zod';
import { SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import type { HttpClient } from '../http/http-client.ts';
import { readServerWords } from '../load/server-words.ts';

/** A calendar month; January is 1. */
interface CalendarMonth {
  readonly year: number;
  readonly month: number;
}

/** The platform's own count, or a sentence that says why it is unknown. */
type BilledCount = { readonly events: number } | { readonly why: string };

/** A report does not wait longer for it. */
const usualPatienceMs = 20_000;

const graphqlPath = '/api/graphql';

const counts = z.array(z.object({ year: z.int(), month: z.int(), count: z.int().nonnegative().nullable() }));
const answer = z.object({
  data: z.object({ project: z.object({ productAnalyticsEventsStored: counts.nullable() }).nullable() }).nullish(),
  errors: z.array(z.unknown()).nullish(),
});

/**
 * The platform's own count of a project's events in a month, on which billing is based. It is available only by GraphQL
 * and only to maintainers. Reports treat it as optional: it is requested once, and any failure becomes the reason why
 * it is unknown. Rejects only with `AbortedError` or because of a bug.
 */
export async function fetchBilledEvents(
  http: HttpClient,
  project: string,
  { year, month }: CalendarMonth,
  signal?: AbortSignal,
  patienceMs: number = usualPatienceMs,
): Promise<BilledCount> {
  const patience = AbortSignal.timeout(patienceMs);
  // The months are trusted numbers. The path is a variable, so that no text becomes part of the query.
  const query = `query($path: ID!) { project(fullPath: $path) { productAnalyticsEventsStored(monthSelection: [{year: ${year}, month: ${month}}]) { year month count } } }`;
  try {
    const response = await http.request({
      method: 'POST',
      path: graphqlPath,
      json: { query, variables: { path: project } },
      // Sent only once, because the report does not depend on it.
      safe: false,
      staysHome: true,
      final: [429, 500, 502, 503, 504],
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    });
    const text = await response.text();
    const words = readServerWords(text, http.redact);
    if (response.status !== 200)
      return { why: `The platform answered ${response.status}${words.text === '' ? '' : ` (${words.text})`}.` };
    const read = answer.safeParse(words.fields);
    if (!read.success) return { why: 'The response of the platform cannot be read.' };
    const { data, errors } = read.data;
    const stored = data?.project?.productAnalyticsEventsStored;
    if (!stored && (errors ?? []).length > 0) return { why: 'The platform does not provide it.' };
    if (!data) return { why: 'The response of the platform cannot be read.' };
    if (!stored) return { why: 'The platform shows it only to maintainers.' };
    const found = stored.find((one) => one.year === year && one.month === month);
    return found?.count == null ? { why: 'The platform has no count for the month.' } : { events: found.count };
  } catch (error) {
    throwIfAborted(signal);
    if (!(error instanceof SluiceError)) throw error;
    if (patience.aborted) return { why: `The platform did not answer within ${patienceMs / 1000} s.` };
    return { why: error.message };
  }
}
