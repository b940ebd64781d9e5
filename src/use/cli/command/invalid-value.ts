import { nearest } from '../../../ask/suggest.ts';
import { quote } from '../../../ask/text.ts';

/** What Commander says of a value that a flag or an argument does not take. */
const invalid =
  /^(?:option '([^']*)' argument|command-argument value) '([^]*)' is invalid(?: for argument '[^']*')?\. ([^]*)$/;

export interface InvalidValue {
  readonly message: string;
  /** The nearest of what it takes. */
  readonly near: string | undefined;
}

/**
 * The same as everything else is said here: `--format takes text or json, not "xml".` `command`: what takes an
 * argument. Undefined where it is about something else.
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
