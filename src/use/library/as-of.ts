import { type AsOf, isAsOf } from '../process/as-of.ts';
import { type Present, readAsOf } from '../process/read-as-of.ts';
import { unwrap } from '../workspace/refuse.ts';
import { wrongArgument } from '../../ask/document/check-argument.ts';
import { describeValue } from '../../ask/document/describe-value.ts';

/** Converts a reference time that a program passed. Throws `InvalidInputError` if it is not a time. */
export function toPresent(asOf: AsOf, called = 'asOf'): Present {
  if (!isAsOf(asOf)) throw wrongArgument(called, `Expected a time, not ${describeValue(asOf)}.`);
  if (typeof asOf === 'number') return () => asOf;
  if (typeof asOf === 'string') return unwrap(readAsOf(asOf, 'asOf'), 'The reference time');
  const instant = asOf.getTime();
  return () => instant;
}
