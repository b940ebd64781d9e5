import type { IncomingMessage } from 'node:http';
import { tokenInAuthorization, type TokenCheck } from './check-token.ts';
import type { Face } from './face.ts';
import { Refusal } from './refusal.ts';

/**
 * Refuses who does not bring the token, each face with its own status and words. A token in the address is refused
 * even where none is needed: addresses end up in logs and histories.
 */
export function authorize(face: Face, { headers, socket }: IncomingMessage, search: string, check: TokenCheck | undefined): void {
  if (new URLSearchParams(search).has('private_token')) {
    throw new Refusal(401, '401 Unauthorized: a token in the address is not taken. Send it in the header PRIVATE-TOKEN.');
  }
  if (!check) return;
  const address = socket.remoteAddress ?? '';
  if (face === 'cube') {
    if (headers.authorization === undefined) throw new Refusal(403, "Authorization header isn't set");
    if (!check(tokenInAuthorization(headers.authorization), address)) throw new Refusal(403, 'Invalid token');
    return;
  }
  const inHeader = headers['private-token'];
  const bearer = /^bearer\s/i.test(headers.authorization ?? '') ? tokenInAuthorization(headers.authorization ?? '') : undefined;
  const given = typeof inHeader === 'string' ? inHeader : bearer;
  if (given === undefined || !check(given, address)) throw new Refusal(401, '401 Unauthorized');
}
