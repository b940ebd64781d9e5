import { createHash, createHmac } from 'node:crypto';
import { AbortedError, ConfigError, SluiceError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { isPrivateWay } from '../../../run/http/address.ts';
import type { HttpResponse } from '../../../run/http/http-client.ts';
import { openHttp } from '../../../run/http/open-http.ts';
import { isPlainAddress, type WebhookDelivery } from '../../../tell/delivery/delivery.ts';
import type { Environment } from '../../config/read-environment.ts';
import { findProxy } from '../../workspace/open-download.ts';
import { version } from '../../workspace/version.ts';
import { renderReport } from '../report-format.ts';
import { type DeliveryWorld, type Outgoing, type Sent, toWebVersion } from './outgoing.ts';

/** Limit for the response of a webhook, which is read only for errors. */
const mostAnswerBytes = 1_000_000;

/** Timeout for the response of a webhook, in milliseconds. */
const longestSilenceMs = 30_000;

/**
 * Sends a report by POST, with retries if they may help, and never to another origin. `Idempotency-Key` is the same for
 * each attempt; signatures follow Standard Webhooks. Errors: `variable-missing`, `bad-address`, `not-delivered`, and
 * those of `HttpError`.
 */
export async function postReport(delivery: WebhookDelivery, outgoing: Outgoing, world: DeliveryWorld): Promise<Sent> {
  const { env, clock, signal, silenceMs = longestSilenceMs } = world;
  const isSecret = delivery.url.kind === 'variable';
  const address = toAddress(
    delivery.url.kind === 'variable' ? readVariable(env, delivery.url.name) : delivery.url.text,
    isSecret,
  );
  if (delivery.url.kind === 'variable' && !world.allowHttp && !isPrivateWay(address)) {
    throw new ConfigError(
      `The address in ${delivery.url.name} is not used over plain http, because others could read the report.`,
      {
        code: 'plain-http',
        hint: 'Use an https:// address, or set `allowHttp: true` (SLUICE_ALLOW_HTTP=true) if you trust the network.',
      },
    );
  }
  const secret = delivery.secretFrom === undefined ? undefined : readVariable(env, delivery.secretFrom);
  const body = await toBody(delivery, outgoing, world);
  // One address may take several bodies of a report, which are no duplicates.
  const id = createHash('sha256')
    .update(JSON.stringify([outgoing.occasion, delivery.body]))
    .digest('hex')
    .slice(0, 32);
  const headers: Record<string, string> = {
    'content-type': delivery.body === 'html' ? 'text/html; charset=utf-8' : 'application/json',
    'idempotency-key': id,
    ...(secret === undefined ? {} : sign(id, Math.floor(clock.now() / 1000), body, secret)),
  };
  try {
    await using http = openHttp({
      url: address.origin,
      clock,
      random: Math.random,
      timeoutMs: silenceMs,
      bodyTimeoutMs: silenceMs,
      userAgent: `sluice/${version}`,
      proxy: findProxy(address.href, env),
      trace: isSecret ? undefined : world.trace,
    });
    // Retries are safe: the key lets the receiver detect duplicates.
    const response = await http.request({
      method: 'POST',
      path: address,
      headers,
      body,
      staysHome: true,
      safe: true,
      maxBytes: mostAnswerBytes,
      signal,
    });
    if (response.status >= 200 && response.status < 300)
      return { formats: [delivery.body], bytes: Buffer.byteLength(body), files: [] };
    throw await toRefusal(response);
  } catch (error) {
    if (error instanceof AbortedError) throw error;
    if (delivery.url.kind === 'variable') throw withoutAddress(error, delivery.url.name, silenceMs);
    throw isSilent(error)
      ? new SluiceError(error.message, { code: 'timed-out', hint: answerSooner(silenceMs) })
      : error;
  }
}

/** The body: a report in its format, or a chat message. */
async function toBody(
  { body, link }: WebhookDelivery,
  { report, base }: Outgoing,
  world: DeliveryWorld,
): Promise<string> {
  if (body === 'slack' || body === 'teams') {
    const { writeSlackMessage, writeTeamsMessage } = await import('../../../tell/report/report-to-chat.ts');
    return (body === 'slack' ? writeSlackMessage : writeTeamsMessage)(report, toWebVersion(link, base));
  }
  const { main } = await renderReport(report, body, { base: undefined, printing: world });
  return typeof main === 'string' ? main : new TextDecoder().decode(main);
}

/** Headers that let a receiver verify sender, time and text. Source: https://www.standardwebhooks.com. */
function sign(id: string, seconds: number, body: string, secret: string): Readonly<Record<string, string>> {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`,
  };
}

/** Webhooks take no token, so the hint differs from that of other HTTP errors. */
async function toRefusal(response: HttpResponse): Promise<SluiceError> {
  const { status, url } = response;
  const said = (await response.text()).trim();
  const hint =
    status >= 500 || status === 429
      ? 'The next run sends it again.'
      : 'Check the URL and what its server requires. sluice sends no token, and a signature only with secretFrom.';
  return new SluiceError(`${url} did not accept the report (${status})${said === '' ? '' : `: ${quote(said)}`}.`, {
    code: status >= 500 ? 'server-error' : status === 429 ? 'rate-limited' : 'refused-by-server',
    hint,
  });
}

function isSilent(error: unknown): error is SluiceError {
  return error instanceof SluiceError && error.code === 'timed-out';
}

/** A webhook has no ranges or settings that would make it faster. */
function answerSooner(silenceMs: number): string {
  return (
    `Check that its server answers within ${silenceMs / 1000} seconds. ` +
    'It may have the report; the next run sends it again.'
  );
}

/** Replaces an HTTP error, whose message contains the secret address. */
function withoutAddress(error: unknown, variable: string, silenceMs: number): SluiceError {
  if (isSilent(error))
    return new SluiceError(`The address in ${variable} did not answer in time.`, {
      code: 'timed-out',
      hint: answerSooner(silenceMs),
    });
  const why = error instanceof SluiceError ? error.code : 'failed';
  const hint =
    why === 'redirected-away'
      ? 'It redirects to another origin, and the report is not sent there. ' +
        `If that origin is right, set its URL in ${variable}.`
      : 'Check the URL (secret, not shown) and its server.';
  return new SluiceError(`The address in ${variable} did not accept the report (${why}).`, {
    code: why === 'unreachable' ? why : 'not-delivered',
    hint,
  });
}

function toAddress(text: string, isSecret: boolean): URL {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url && isWeb && url.username === '' && url.password === '' && (isSecret || isPlainAddress(text))) return url;
  throw new ConfigError('The webhook URL is not valid.', {
    code: 'bad-address',
    hint: 'Write the full URL, such as https://hooks.example.org/reports, without user and password.',
  });
}

/** The trimmed value of an environment variable. Error: `variable-missing`. */
function readVariable(env: Environment, name: string): string {
  const value = env[name]?.trim() ?? '';
  if (value !== '') return value;
  throw new ConfigError(`The variable ${name} is not set. The delivery of the report needs it.`, {
    code: 'variable-missing',
    hint: 'Set it in the environment of the report. secretFrom or webhookFrom refers to it.',
  });
}
