import type { Redactor } from './redact.ts';
import { type Hop, isRedirect, nextHop } from './redirect.ts';
import type { Failed, Received } from './send-once.ts';

/** How a request ended, after all redirects. */
export interface Ending {
  readonly outcome: Received | Failed;
  readonly url: URL;
  /** Whether it left the origin on its way; what comes after that goes without the token, even back at home. */
  readonly strayed: boolean;
}

/** Sends a request, and sends it on where it is redirected. Errors: `bad-redirect`, `redirected-away`, `too-many-redirects`. */
export async function follow(start: Hop, origin: string, send: (hop: Hop, strayed: boolean) => Promise<Received | Failed>, redactor: Redactor): Promise<Ending> {
  const hops = [start];
  let strayed = false;
  for (;;) {
    const hop = hops.at(-1)!;
    strayed ||= hop.url.origin !== origin;
    const outcome = await send(hop, strayed);
    if (outcome.kind === 'failure' || !isRedirect(outcome.status)) return { outcome, url: hop.url, strayed };
    hops.push(nextHop(hops, outcome.status, outcome.header('location'), redactor));
  }
}
