import { throwIfAborted } from '../../ask/sluice-error.ts';
import { showAddress } from './address.ts';
import type { Clock } from './clock.ts';
import { type Credential, readCredential } from './credential.ts';
import { type Ending, follow } from './follow.ts';
import type { Gate } from './gate.ts';
import type { HttpRequest } from './http-client.ts';
import { HttpError } from './http-error.ts';
import { type DispatcherOptions, openDispatcher } from './open-dispatcher.ts';
import { acceptedEncodings } from './read-body.ts';
import type { Redactor } from './redact.ts';
import type { Hop } from './redirect.ts';
import { sendOnce } from './send-once.ts';
import { showDuration } from './show-duration.ts';

export interface SenderOptions extends DispatcherOptions {
  readonly origin: string;
  readonly credential?: Credential | undefined;
  readonly clock: Clock;
  readonly bodyTimeoutMs: number;
  readonly userAgent?: string | undefined;
  readonly trace: (line: string) => void;
}

/** Makes one try of a request, with its redirects. */
export interface Sender extends AsyncDisposable {
  send(request: HttpRequest, start: Hop, attempt: number, signal: AbortSignal): Promise<Ending>;
}

/** Enough for a record, or for a page of a list. */
const usualMaxBytes = 16 * 1024 * 1024;

/** Loads undici with the first request. */
export function openSender(options: SenderOptions, gate: Gate, redactor: Redactor): Sender {
  const { redact } = redactor;
  const { origin, credential, clock, timeoutMs, bodyTimeoutMs, trace } = options;
  let dispatcher: ReturnType<typeof openDispatcher> | undefined;

  const headersFor = async ({ headers = {} }: HttpRequest, { body }: Hop, strayed: boolean) => {
    const usual: Record<string, string> = { accept: 'application/json', 'accept-encoding': acceptedEncodings, 'user-agent': options.userAgent ?? 'sluice' };
    if (body !== undefined) usual['content-type'] = 'application/json';
    if (strayed) return usual;
    for (const [name, value] of Object.entries(headers)) usual[name.toLowerCase()] = value;
    if (credential === undefined) return usual;
    const { name, value, token } = await readCredential(credential);
    redactor.learn(token);
    return { ...usual, [name]: value };
  };

  return {
    async send(request, start, attempt, signal) {
      dispatcher ??= openDispatcher(options);
      const undici = await dispatcher;
      return follow(start, origin, async (hop, strayed) => {
        const headers = await headersFor(request, hop, strayed);
        throwIfAborted(signal);
        const shown = redact(showAddress(hop.url));
        if (redactor.isIn(hop.url)) throw new HttpError(`${shown} is not asked: its address holds the token.`, { code: 'bad-address', url: shown, hint: 'A token is sent in a header alone.' });
        trace(`${hop.method} ${shown}${attempt > 1 ? ` (try ${attempt})` : ''}${strayed ? ' (another origin, without the token)' : ''}`);
        const sentAt = clock.now();
        const { maxBytes = usualMaxBytes, sieve, isData = false } = request;
        const limits = { timeoutMs, bodyTimeoutMs, maxBytes, sieve, isData, watch: redactor.watch() };
        const outcome = await sendOnce(undici, hop, headers, limits, signal);
        trace(`  ${describe(outcome)}, after ${showDuration(clock.now() - sentAt)}`);
        if (outcome.kind === 'response' && !strayed) gate.note(outcome.status, outcome.header);
        return outcome;
      }, redactor);
    },
    [Symbol.asyncDispose]: async () => (await dispatcher?.catch(() => undefined))?.destroy(),
  };
}

/** Without the query of a location, which may be signed. */
function describe(outcome: Ending['outcome']): string {
  if (outcome.kind === 'failure') return outcome.failure.what;
  const location = outcome.header('location');
  return `${outcome.status}, ${outcome.body.length} bytes${location === undefined ? '' : `, to ${location.replace(/[?#].*/s, '')}`}`;
}
