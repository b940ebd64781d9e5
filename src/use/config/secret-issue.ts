import { errorIssue, type Issue, type IssuePath } from '../../ask/outcome.ts';

/** Code of issues whose source line must not be shown, because it contains the secret. */
export const secretInFile = 'secret-in-file';

/** The issue of a secret in a committed file. Its hint names the key or variable to use instead. */
export function secretIssue(path: IssuePath, file: string): Issue {
  const { what, instead } = secretAt(path);
  return errorIssue(secretInFile, `${what} does not belong in ${file}, which is committed.`, {
    path,
    hint: `Remove it, and revoke it if it was ever committed. ${instead}`,
  });
}

interface Secret {
  readonly what: string;
  readonly instead: string;
}

function secretAt(path: IssuePath): Secret {
  const [first, second, third] = path;
  const key = String(path.at(-1));
  const isAddress = /^(?:url|webhook|events|store|model)$/.test(key) || first === 'events' || first === 'tables';
  const token = isAddress ? 'A URL with a credential' : 'An access token';
  if (first === 'deliver') {
    const from = `deliver[${String(second)}].${third === 'webhook' ? 'webhookFrom' : 'secretFrom'}`;
    return {
      what: third === 'webhook' ? token : 'A secret',
      instead: `Store it in an environment variable, and specify the variable: ${from}.`,
    };
  }
  if (first === 'cube')
    return {
      what: token,
      instead:
        'Set SLUICE_CUBE_TOKEN or SLUICE_CUBE_SECRET instead, or specify a file or command: ' +
        'cube.tokenFile, cube.tokenCommand.',
    };
  if (first === 'platform' || (path.length === 1 && !isAddress))
    return {
      what: token,
      instead: 'Set SLUICE_TOKEN instead, or specify a file or command: platform.tokenFile, platform.tokenCommand.',
    };
  return { what: isAddress ? token : 'A secret', instead: `Write "${key}" without it.` };
}
