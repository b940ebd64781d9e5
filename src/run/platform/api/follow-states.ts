import { failuresInside, type Operation } from '../../../ask/platform/operation.ts';
import { quote, showText } from '../../../ask/text.ts';
import type { Clock } from '../../http/clock.ts';
import { ApiError } from '../../http/http-error.ts';
import type { ApiResponse } from './platform-api.ts';

interface Called extends ApiResponse<unknown> {
  readonly url: string;
}

interface Following {
  readonly clock: Clock;
  readonly call: (status: Operation, given: unknown) => Promise<Called>;
  /** All items of a list. */
  readonly list: (status: Operation, given: unknown) => AsyncIterable<unknown>;
  readonly onState?: ((state: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const firstPauseMs = 1_000;
const longestPauseMs = 15_000;
/** A new export or import may be unknown at first. */
const mostUnknown = 3;
const unknown = 'none';

/**
 * Polls the state of an export or import until it is finished. Resolves with the last answer, even if that lists
 * failures. Throws `ApiError` `not-finished` for a final state other than success, such as `canceled`.
 */
export async function followStates(
  asked: Operation,
  given: unknown,
  first: Called,
  { clock, call, list, onState, signal }: Following,
): Promise<Called> {
  const { starts } = asked;
  const status = starts?.status ?? asked;
  const states = starts?.states ?? status.states;
  if (states === undefined) return first;
  const from = (starts?.id === 'result' ? first.data : given) as { readonly id?: unknown; readonly path?: unknown };
  const id = { id: starts?.id === 'given path' ? from.path : from.id };
  const ask = async (): Promise<Called> => {
    if (status.pagination === undefined) return call(status, id);
    const own = (first.data as { readonly id?: unknown }).id;
    for await (const item of list(status, id))
      if ((item as { readonly id?: unknown }).id === own)
        return { ...first, data: item, failures: failuresInside(status, item).map(showText) };
    return { ...first, data: { ...(first.data as object), [states.field]: unknown }, failures: [] };
  };
  let answer = starts === undefined ? first : await ask();
  let pause = firstPauseMs;
  for (let asks = 1; ; asks += 1) {
    const state = String((answer.data as Readonly<Record<string, unknown>>)[states.field]);
    onState?.(state);
    if (answer.failures.length > 0 || states.done.includes(state)) return answer;
    const mayCome = state === unknown && starts !== undefined && asks < mostUnknown;
    if (!mayCome && !states.going.includes(state)) throw notFinished(answer, states.field, state);
    await clock.sleep(pause, signal);
    pause = Math.min(longestPauseMs, pause * 2);
    answer = await ask();
  }
}

function notFinished({ url, status, data }: Called, field: string, state: string): ApiError {
  const what = state === unknown ? 'no export or import is running' : `${field} is ${quote(state)}`;
  return new ApiError(`${url} will not finish: ${what}.`, {
    code: 'not-finished',
    url,
    status,
    body: data,
    hint: 'Start it again, and check its state in the settings of the project.',
  });
}
