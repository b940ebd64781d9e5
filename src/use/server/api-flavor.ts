import { AbortedError, SluiceError } from '../../ask/sluice-error.ts';
import { Refusal } from './refusal.ts';
import { jsonReply, type Reply } from './reply.ts';

/** The two API formats of this server: the platform's and Cube's. */
export type ApiFlavor = 'platform' | 'cube';

/** Formats an error for the API's clients. Internal errors do not expose details. */
export function errorReply(flavor: ApiFlavor, error: unknown): Reply {
  if (error instanceof Refusal) return jsonReply(shape(flavor, error), error.status, error.headers);
  if (error instanceof AbortedError)
    return jsonReply(
      flavor === 'platform' ? { message: '503 Service Unavailable' } : { error: 'Error: The request was stopped.' },
      503,
    );
  const message = error instanceof SluiceError ? error.message : 'Internal server error. See the log of the server.';
  // The platform is a proxy in front of the failed service (502); Cube is that service (500).
  return flavor === 'platform' ? jsonReply({ message }, 502) : jsonReply({ error: `Error: ${message}` }, 500);
}

function shape(flavor: ApiFlavor, { message, isUserError }: Refusal): object {
  if (flavor === 'platform') return { message };
  return { ...(isUserError && { type: 'UserError' }), error: message };
}

/** The reply to an unknown path or method. Source: recordings of Cube; the platform's API. */
export function notFoundReply(flavor: ApiFlavor, method: string, path: string): Reply {
  if (flavor === 'platform') return jsonReply({ message: '404 Not Found' }, 404);
  const what = `Cannot ${method} ${path}`.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return {
    status: 404,
    contentType: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': "default-src 'none'" },
    body: `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>${what}</pre>\n</body>\n</html>\n`,
  };
}
