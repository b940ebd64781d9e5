import { catalogue } from '../../ask/platform/catalogue.ts';
import { inputError, type InvalidInputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';

/** The error for an operation or resource that does not exist, with the nearest name. */
export function unknownOperation(resource: string, operation: string): InvalidInputError {
  const known = Object.hasOwn(catalogue, resource) ? catalogue[resource as keyof typeof catalogue] : undefined;
  const [what, name, names] = known
    ? [`The resource ${quote(resource)} has no operation`, operation, Object.keys(known)]
    : ['The platform has no resource', resource, Object.keys(catalogue)];
  return inputError(
    'unknown-operation',
    `${what} ${quote(name)}.`,
    didYouMean(name, names) ?? `Use ${names.join(', ')}.`,
  );
}
