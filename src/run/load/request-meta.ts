import * as z from 'zod';
import type { RunOptions } from '../backend.ts';
import type { HttpRequest } from '../http/http-client.ts';
import { askUntilDone } from './ask-until-done.ts';
import type { LoadService } from './load-service.ts';

const meta = z.looseObject({ cubes: z.array(z.looseObject({ name: z.string() })) });

/** The names of the cubes that `meta` lists; undefined if it is not a `meta` response. */
export function readMetaNames(value: unknown): readonly string[] | undefined {
  const read = meta.safeParse(value);
  return read.success ? read.data.cubes.map(({ name }) => name) : undefined;
}

/**
 * A service's description of its members. The platform's documentation says GET, but its code accepts only POST; Cube
 * accepts only GET. Tries the service's own method first, and the other if the endpoint is not found. Errors: those of
 * `askUntilDone`.
 */
export async function requestMeta(service: LoadService, options: RunOptions): Promise<unknown> {
  const request = await service.toRequest('meta', {}, options.signal);
  return (await askUntilDone(service, request, options, otherMethod(request))).body;
}

function otherMethod({ json: _json, ...request }: HttpRequest): HttpRequest {
  return request.method === 'GET' ? { ...request, method: 'POST', json: {} } : { ...request, method: 'GET' };
}
