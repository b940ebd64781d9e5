import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';

/** `--param name=value`, each once. Throws `InvalidInputError`. */
export function readGiven(params: readonly string[] = []): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (const param of params) {
    const at = param.indexOf('=');
    const name = param.slice(0, at).trim();
    if (at === -1 || name === '')
      throw usage(`${quote(param)} has no value.`, 'Write --param name=value, such as --param month=2026-10.');
    if (given.has(name)) throw usage(`The parameter ${quote(name)} is given twice.`, 'Give it once.');
    given.set(name, param.slice(at + 1));
  }
  return given;
}

function usage(message: string, hint: string): InvalidInputError {
  return new InvalidInputError(message, [errorIssue('usage', message, { path: ['--param'], hint })], { hint });
}
