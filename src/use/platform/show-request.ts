import type { Operation } from '../../ask/platform/operation.ts';
import { hidden, hideSecrets } from '../../ask/platform/parameter.ts';
import { toAddress } from '../../run/http/address.ts';
import { toApiRequest } from '../../run/platform/api/to-api-request.ts';

/** A request as it would be sent, with secrets hidden. */
interface ShownRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Data for JSON bodies, text for others, null if there is none. */
  readonly body: unknown;
}

/** Builds the request of an operation without sending it. `…` replaces secrets. */
export async function toShownRequest(
  asked: Operation,
  given: Readonly<Record<string, unknown>>,
  base: URL,
): Promise<ShownRequest> {
  const shown = hideSecrets(asked.params, given) as Readonly<Record<string, unknown>>;
  const { method, path, query, headers = {}, json, body } = await toApiRequest(asked, shown, () => 0.5);
  const text =
    typeof body === 'object'
      ? `${body.bytes} bytes of multipart/form-data: ${Object.entries(shown)
          .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
          .join(', ')}`
      : body;
  return {
    method,
    url: decodeHidden(toAddress(base, path, query).href),
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    body: json ?? (text === undefined ? null : decodeHidden(text)),
  };
}

function decodeHidden(text: string): string {
  return text.replaceAll(encodeURIComponent(hidden), hidden);
}

/** Formats a request as text: request line, headers and body. */
export function writeRequest({ method, url, headers, body }: ShownRequest): string {
  const head = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\n');
  if (body === null) return `${head}\n`;
  return `${head}\n\n${typeof body === 'string' ? body : JSON.stringify(body, null, 2)}\n`;
}
