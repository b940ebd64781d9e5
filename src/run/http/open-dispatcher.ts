import type { Agent, Dispatcher } from 'undici';
import { ConfigError } from '../../ask/sluice-error.ts';
import type { Proxy } from './proxy.ts';

export interface DispatcherOptions {
  readonly timeoutMs: number;
  readonly connections: number;
  readonly ca?: string | undefined;
  readonly proxy?: Proxy | undefined;
}

const longestConnectMs = 10_000;

/** undici, loaded now. Time-outs but that of connecting, redirects, retries and decoding are not its matter. Error: `bad-certificate`. */
export async function openDispatcher({ timeoutMs, connections, ca, proxy }: DispatcherOptions): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import('undici');
  const trust = ca === undefined ? {} : { secureContext: await trustToo(ca) };
  const options: Agent.Options = {
    connections, allowH2: false, pipelining: 1, headersTimeout: 0, bodyTimeout: 0,
    connect: { timeout: Math.min(longestConnectMs, timeoutMs), ...trust },
  };
  if (proxy === undefined) return new Agent(options);
  return new EnvHttpProxyAgent({ ...options, requestTls: { ...trust }, httpProxy: proxy.url, httpsProxy: proxy.url, noProxy: proxy.except ?? '' });
}

async function trustToo(ca: string) {
  const { createSecureContext, getCACertificates } = await import('node:tls');
  try {
    if (!ca.includes('-----BEGIN CERTIFICATE-----')) throw new Error('no certificate in it');
    return createSecureContext({ ca: [...getCACertificates('default'), ca] });
  } catch (cause) {
    throw new ConfigError('The certificates that are to be trusted cannot be read.', { code: 'bad-certificate', cause, hint: 'They must be in PEM, from -----BEGIN CERTIFICATE----- on.' });
  }
}
