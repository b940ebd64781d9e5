import { nearest } from '../../../ask/suggest.ts';
import { quote } from '../../../ask/text.ts';

/** Commander's message for an invalid value of a flag or an argument. */
const invalid =
  /^(?:option '([^']*)' argument|command-argument value) '([^]*)' is invalid(?: for argument '[^']*')?\. ([^]*)$/;

interface InvalidValue {
  readonly message: string;
  /** The nearest valid value. */
  readonly near: string | undefined;
}

/**
 * Rewrites the message in sluice's style: `--format must be text or json, not "xml".` `command`: the command whose
 * argument is invalid. Returns undefined for other messages.
 */
export function readInvalidValue(said: string, command: string): InvalidValue | undefined {
  const [, flags, value, why] = invalid.exec(said) ?? [];
  if (value === undefined || why === undefined) return undefined;
  const name = flags === undefined ? command : (/--[\w-]+/.exec(flags)?.[0] ?? flags);
  const choices = /^Allowed choices are (.*)\.$/.exec(why)?.[1]?.split(', ');
  if (choices === undefined) return { message: `${name} does not accept ${quote(value)}. ${why}`, near: undefined };
  const listed = choices.length === 1 ? choices[0]! : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)!}`;
  return { message: `${name} must be ${listed}, not ${quote(value)}.`, near: nearest(value, choices) };
}
