import { BackendError } from '../../ask/sluice-error.ts';
import type { Refusal } from '../load/load-service.ts';
import { toCommonError, withAway, withWords } from '../load/service-error.ts';

/**
 * A refusal of a Cube deployment as an error that says what to do. Codes: `token-missing`, `token-refused`, and those of
 * `toCommonError`. Source: Cube's API gateway: 403 for every fault of the token.
 */
export function toCubeError(refusal: Refusal, host: string): BackendError {
  const { status, words } = refusal;
  const error = (code: string, sentence: string, hint: string) => new BackendError(withWords(sentence, refusal), { code, hint: withAway(hint, refusal) });
  if (status === 401 || status === 403) {
    if (/header isn't set/i.test(words.text)) return error('token-missing', `${host} wants a token, and none was sent`, 'Set SLUICE_CUBE_TOKEN, or name a file or command that gives it: cube.tokenFile, cube.tokenCommand.');
    if (status === 401 || /token|jwt|expired|unauthori/i.test(words.text)) {
      return error('token-refused', `${host} does not take the token`, 'It may have expired, or be signed with another secret. `sluice doctor` tells where it comes from.');
    }
  }
  if (status === 404 && words.kind !== 'json') {
    return error('endpoint-not-found', `There is no Cube API at ${refusal.url}`, 'The address ends in /cubejs-api/v1, unless the deployment has a base path of its own.');
  }
  return toCommonError(refusal, host);
}
