import { catalogue } from '../../ask/platform/catalogue.ts';
import { type InvalidInputError, invalidInput } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';

/** Names what the catalogue does not have, and the nearest that it has. */
export function unknownOperation(resource: string, operation: string): InvalidInputError {
  const known = Object.hasOwn(catalogue, resource) ? catalogue[resource as keyof typeof catalogue] : undefined;
  const [what, name, names] = known
    ? [`The resource ${quote(resource)} has no operation`, operation, Object.keys(known)]
    : ['The platform has no resource', resource, Object.keys(catalogue)];
  const message = `${what} ${quote(name)}.`;
  const hint = didYouMean(name, names) ?? `Use ${names.join(', ')}.`;
  return invalidInput('unknown-operation', message, hint);
}
