import { errorIssue, type IssuePath } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';

/** A chart that reaches for what does not lie in it. */
export function outsideError(what: string, hint: string, path: IssuePath = []): InvalidInputError {
  const message = `A chart cannot hold ${what}.`;
  return new InvalidInputError(message, [errorIssue('chart-reaches-outside', message, { path, hint })], { code: 'chart-reaches-outside', hint });
}

/** Throws where a Vega specification names an address: of data, of a picture, of a link. Nothing is ever fetched for a chart. */
export function refuseOutside(spec: object): void {
  visit(spec, []);
}

function visit(value: unknown, path: IssuePath): void {
  if (Array.isArray(value)) return value.forEach((item, index) => visit(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return;
  const part = value as { readonly [key: string]: unknown };
  if (typeof part['url'] === 'string' || (path.at(-2) === 'data' && part['url'] !== undefined)) {
    throw outsideError('data from an address', 'Put the rows into the chart: data.values.', path);
  }
  if (part['type'] === 'image' && (path.at(-2) === 'marks' || part['encode'] !== undefined)) throw outsideError('pictures', 'Leave out the marks of type image.', path);
  if (path.includes('encode') && part['href'] !== undefined) throw outsideError('links', 'Leave out the channel href.', path);
  for (const [key, child] of Object.entries(part)) if (key !== 'values') visit(child, [...path, key]);
}
