import * as z from 'zod';
import { describeValue } from '../ask/document/describe-value.ts';
import { readValue } from '../ask/document/read-value.ts';
import { errorIssue } from '../ask/outcome.ts';
import { InvalidInputError } from '../ask/sluice-error.ts';
import { optionSchemas } from './option-schemas.ts';
import { valueOf } from './refuse.ts';

export type CheckedFunction = keyof typeof optionSchemas;

/**
 * Refuses options that a function does not have or cannot use: programs in plain JavaScript are not checked by a compiler.
 * Throws `InvalidInputError` that names every mistake and the nearest option or value.
 */
export function checkOptions(name: CheckedFunction, options: unknown): void {
  if (options !== undefined) valueOf(readValue(options, optionSchemas[name] as z.ZodType), `The options of ${name}()`);
}

/** The same for an argument that must be text, such as the name of a file. */
export function checkText(name: string, argument: string, value: unknown): void {
  if (typeof value === 'string' && value.trim() !== '') return;
  throw wrongArgument(name, `${argument} must be text, not ${value === '' ? 'empty' : describeValue(value)}.`);
}

/** The same for an answer. */
export function checkResult(name: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && 'rowCount' in value && 'columns' in value && 'provenance' in value) return;
  throw wrongArgument(name, `A result is expected, not ${describeValue(value)}.`, 'Pass what `query()` resolves with; `await` it first.');
}

export function wrongArgument(name: string, message: string, hint?: string): InvalidInputError {
  const issue = errorIssue('wrong-argument', message, { hint });
  return new InvalidInputError(`${name}(): ${message}`, [issue], { hint });
}
