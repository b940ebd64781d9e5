import * as z from 'zod';
import { SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import type { HttpClient } from '../http/http-client.ts';
import { readServerWords } from '../load/server-words.ts';

/** A month of the calendar, January is 1. */
export interface CalendarMonth {
  readonly year: number;
  readonly month: number;
}

/** What a platform says of its own count, or why it is unknown: a sentence. */
export type BilledCount = { readonly events: number } | { readonly why: string };

const graphqlPath = '/api/graphql';

const counts = z.array(z.object({ year: z.int(), month: z.int(), count: z.int().nonnegative().nullable() }));
const answer = z.object({
  data: z.object({ project: z.object({ productAnalyticsEventsStored: counts.nullable() }).nullable() }).nullish(),
  errors: z.array(z.unknown()).nullish(),
});

/**
 * The platform's own count of a project's events in a month, which is what it bills. It says it by GraphQL alone, and
 * to maintainers alone. An aside of a report: it is asked once, and whatever fails is the reason why it is unknown.
 * Rejects only with `AbortedError`, and with what is a bug.
 */
export async function fetchBilledEvents(
  http: HttpClient,
  project: string,
  { year, month }: CalendarMonth,
  signal?: AbortSignal,
): Promise<BilledCount> {
  // The months are numbers of ours. A path is a variable, so that no text becomes a part of the query.
  const query = `query($path: ID!) { project(fullPath: $path) { productAnalyticsEventsStored(monthSelection: [{year: ${year}, month: ${month}}]) { year month count } } }`;
  try {
    const response = await http.request({
      method: 'POST',
      path: graphqlPath,
      json: { query, variables: { path: project } },
      // Sent once: the report can do without.
      safe: false,
      staysHome: true,
      final: [429, 500, 502, 503, 504],
      signal,
    });
    const text = await response.text();
    const words = readServerWords(text, http.redact);
    if (response.status !== 200)
      return { why: `The platform answered ${response.status}${words.text === '' ? '' : ` (${words.text})`}.` };
    const read = answer.safeParse(words.fields);
    if (!read.success) return { why: 'The platform gave an answer that cannot be read.' };
    const { data, errors } = read.data;
    const stored = data?.project?.productAnalyticsEventsStored;
    if (!stored && (errors ?? []).length > 0) return { why: 'The platform does not offer it.' };
    if (!data) return { why: 'The platform gave an answer that cannot be read.' };
    if (!stored) return { why: 'The platform gives it to maintainers only.' };
    const found = stored.find((one) => one.year === year && one.month === month);
    return found?.count == null ? { why: 'The platform has no count of the month.' } : { events: found.count };
  } catch (error) {
    throwIfAborted(signal);
    if (!(error instanceof SluiceError)) throw error;
    return { why: error.message };
  }
}
