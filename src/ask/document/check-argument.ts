import { errorIssue } from '../outcome.ts';
import { InvalidInputError } from '../sluice-error.ts';
import { didYouMean } from '../suggest.ts';
import { quote } from '../text.ts';
import { describeValue } from './describe-value.ts';

// Arguments of public functions: programs in plain JavaScript are not checked by a compiler. Each function throws
// `InvalidInputError`; `called` is the function that was called, as programs know it.

export function wrongArgument(called: string, message: string, hint?: string): InvalidInputError {
  const issue = errorIssue('wrong-argument', message, { hint });
  return new InvalidInputError(`${called}(): ${message}`, [issue], { hint });
}

/** Text that is not empty, such as the name of a file. */
export function checkText(called: string, argument: string, value: unknown): asserts value is string {
  if (typeof value !== 'string' || value.trim() === '')
    throw wrongArgument(called, `${argument} must be text, not ${value === '' ? 'empty' : describeValue(value)}.`);
}

/** The same for a path, a pattern or an address. */
export function checkPath(called: string, argument: string, value: unknown): asserts value is string {
  checkText(called, argument, value);
  if (value.includes('\0')) throw wrongArgument(called, `${argument} must not contain a null character.`);
}

/** One of some words. */
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

/** What only looks like an object with names and values: it has none of its own. */
const otherKinds = ['Array', 'ArrayBuffer', 'Date', 'Error', 'Map', 'Promise', 'RegExp', 'Set', 'WeakMap', 'WeakSet'];

/** An object with names and values: also of a class, a module or a row of an Arrow table. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  // Not by its class: test runners have classes of their own.
  return !otherKinds.includes(Object.prototype.toString.call(value).slice('[object '.length, -1));
}

export function checkObject(called: string, argument: string, value: unknown): asserts value is object {
  if (isPlainObject(value)) return;
  throw wrongArgument(called, `${argument} must be an object, not ${describeValue(value)}.`);
}

/** Options that a function has no schema for: an object that has some of these names and no others. */
export function checkNames(called: string, options: unknown, names: readonly string[]): void {
  checkObject(called, 'The options', options);
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    const hint = didYouMean(name, names) ?? `Allowed keys: ${names.join(', ')}.`;
    throw wrongArgument(called, `Unknown key ${quote(name)}.`, hint);
  }
}
