import { errorIssue } from '../outcome.ts';
import { InvalidInputError } from '../sluice-error.ts';
import { didYouMean } from '../suggest.ts';
import { quote } from '../text.ts';
import { describeValue } from './describe-value.ts';

// Checks for arguments of public functions: no compiler checks programs in plain JavaScript. Each throws
// `InvalidInputError`; `called` is the public name of the called function.

export function wrongArgument(called: string, message: string, hint?: string): InvalidInputError {
  const issue = errorIssue('wrong-argument', message, { hint });
  return new InvalidInputError(`${called}(): ${message}`, [issue], { hint });
}

/** Requires text that is not blank, such as the name of a file. */
export function checkText(called: string, argument: string, value: unknown): asserts value is string {
  if (typeof value !== 'string' || value.trim() === '')
    throw wrongArgument(called, `${argument} must be text, not ${value === '' ? 'empty' : describeValue(value)}.`);
}

/** Requires a path, a pattern or an address: text without null characters. */
export function checkPath(called: string, argument: string, value: unknown): asserts value is string {
  checkText(called, argument, value);
  if (value.includes('\0')) throw wrongArgument(called, `${argument} must not contain a null character.`);
}

/** Requires one of these words. */
export function checkWord<Word extends string>(
  called: string,
  argument: string,
  value: unknown,
  words: readonly Word[],
): asserts value is Word {
  if ((words as readonly unknown[]).includes(value)) return;
  const hint = (typeof value === 'string' ? didYouMean(value, words) : undefined) ?? `Use one of ${words.join(', ')}.`;
  throw wrongArgument(called, `${argument} cannot be ${describeValue(value)}.`, hint);
}

/** Objects that are not records of names and values. */
const otherKinds = ['Array', 'ArrayBuffer', 'Date', 'Error', 'Map', 'Promise', 'RegExp', 'Set', 'WeakMap', 'WeakSet'];

/** An object with names and values, including instances of classes, modules and rows of Arrow tables. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  // Compare tags and not classes: test runners bring their own classes.
  return !otherKinds.includes(Object.prototype.toString.call(value).slice('[object '.length, -1));
}

export function checkObject(called: string, argument: string, value: unknown): asserts value is object {
  if (isPlainObject(value)) return;
  throw wrongArgument(called, `${argument} must be an object, not ${describeValue(value)}.`);
}

/** Checks options without a schema: an object with no other names than these. */
export function checkNames(called: string, options: unknown, names: readonly string[]): void {
  checkObject(called, 'The options', options);
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    const hint = didYouMean(name, names) ?? `Allowed keys: ${names.join(', ')}.`;
    throw wrongArgument(called, `Unknown key ${quote(name)}.`, hint);
  }
}
