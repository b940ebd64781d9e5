import type { RunOptions } from '../backend.ts';
import type { HttpRequest } from '../http/http-client.ts';
import { askUntilDone } from './ask-until-done.ts';
import type { LoadService } from './load-service.ts';

/**
 * What a service says can be asked. The platform's documentation says GET and its code takes POST only; Cube takes GET
 * only. The service's own way goes first, and the other one where nothing is there. Errors: as `askUntilDone`.
 */
export async function requestMeta(service: LoadService, options: RunOptions): Promise<unknown> {
  const request = await service.toRequest('meta', {}, options.signal);
  return (await askUntilDone(service, request, options, otherMethod(request))).body;
}

function otherMethod({ json: _json, ...request }: HttpRequest): HttpRequest {
  return request.method === 'GET' ? { ...request, method: 'POST', json: {} } : { ...request, method: 'GET' };
}
