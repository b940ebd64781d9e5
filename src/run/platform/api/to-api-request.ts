import { bodyKindOf, isIdempotent, type Operation, parametersOf } from '../../../ask/platform/operation.ts';
import { markOf, type UploadSource } from '../../../ask/platform/parameter.ts';
import type { HttpRequest, StreamedBody } from '../../http/http-client.ts';
import { encodePathParameter, type QueryParameters, toQueryString } from '../../http/query-string.ts';
import { apiPath } from '../platform-options.ts';
import { openMultipart } from './multipart.ts';

type Given = Readonly<Record<string, unknown>>;

/** The parameters sorted by place, under their names there. */
interface Sorted {
  readonly path: string;
  readonly rest: Readonly<Record<string, unknown>>;
  readonly files: Readonly<Record<string, UploadSource>>;
}

/**
 * The request of an operation, with parameters that `readParameters` has validated. Errors: those of a file to send.
 */
export async function toApiRequest(asked: Operation, given: Given, random: () => number): Promise<HttpRequest> {
  const { path, rest, files } = sortParameters(asked, given);
  const request = {
    method: asked.method,
    path,
    safe: isIdempotent(asked),
    final: asked.final,
    // Bodies may contain secrets.
    staysHome: true,
  };
  const isEmpty = Object.keys(rest).length === 0;
  switch (bodyKindOf(asked)) {
    case 'query':
      return { ...request, query: rest as QueryParameters };
    case 'json':
      return isEmpty ? request : { ...request, json: rest };
    case 'form':
      return { ...request, ...withBody('application/x-www-form-urlencoded', toQueryString(rest as QueryParameters)) };
    case 'multipart': {
      const { type, body } = await openMultipart(rest as QueryParameters, files, random);
      return { ...request, ...withBody(type, body) };
    }
  }
}

function withBody(type: string, body: string | StreamedBody): Pick<HttpRequest, 'headers' | 'body'> {
  return { headers: { 'content-type': type }, body };
}

function sortParameters(asked: Operation, given: Given): Sorted {
  const parameters = new Map(parametersOf(asked).map((each) => [each.name, each]));
  const valueOf = (name: string) => given[name] ?? markOf(parameters.get(name)!.schema).default;
  const path = asked.path.replace(/:(\w+)/g, (_, name: string) =>
    encodePathParameter(valueOf(name) as string | number),
  );
  const rest: Record<string, unknown> = {};
  const files: Record<string, UploadSource> = {};
  for (const [name, value] of Object.entries(given)) {
    const { in: place, schema } = parameters.get(name)!;
    const { sentAs = name, spread } = markOf(schema);
    const sent = sentAs.replace(/\{(\w+)\}/g, (_, other: string) => String(valueOf(other)));
    if (value === undefined || place === 'path' || place === 'none') continue;
    if (place === 'file') files[sent] = value as UploadSource;
    else if (spread) Object.assign(rest, value);
    else rest[sent] = value;
  }
  return { path: `${apiPath}${path}`, rest, files };
}
