import type { Download } from '../../run/duckdb/reading/find-files.ts';
import type { Proxy } from '../../run/http/address.ts';
import type { Environment } from '../config/read-environment.ts';
import type { Settings } from '../config/settings.ts';
import { version } from './version.ts';
import type { DownloadProgress } from '../../run/download/fetch-once.ts';

/** Dependencies of a download. */
export interface DownloadSurroundings {
  /** Environment variables with proxies. */
  readonly env: Environment;
  /** Receives the lines that `--verbose` shows. */
  readonly trace?: ((line: string) => void) | undefined;
  readonly onDownload?: ((progress: DownloadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Downloads data from URLs, each once; a failed download can be tried again. The implementation loads on first use.
 */
export function openDownload({ downloads }: Pick<Settings, 'downloads'>, around: DownloadSurroundings): Download {
  const known = new Map<string, Promise<string>>();
  return (address) => {
    const downloaded = known.get(address) ?? downloadAnew(address);
    known.set(address, downloaded);
    downloaded.catch(() => known.delete(address));
    return downloaded;
  };

  async function downloadAnew(address: string): Promise<string> {
    const [{ openDownload: open }, { systemClock }] = await Promise.all([
      import('../../run/download/open-download.ts'),
      import('../process/system-clock.ts'),
    ]);
    const download = open({
      folder: downloads.value,
      clock: systemClock,
      random: Math.random,
      proxyOf: (url) => findProxy(url, around.env),
      userAgent: `sluice/${version}`,
      onProgress: around.onDownload,
      trace: around.trace,
      signal: around.signal,
    });
    return download(address);
  }
}

/** Finds the proxy for a URL in the usual variables. Hosts in NO_PROXY need none. */
export function findProxy(url: string, env: Environment): Proxy | undefined {
  const names = /^https:/i.test(url)
    ? ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']
    : ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];
  const found = names.map((name) => env[name]).find((value) => value !== undefined && value !== '');
  return found === undefined
    ? undefined
    : {
        url: /^[a-z]+:\/\//i.test(found) ? found : `http://${found}`,
        except: env['no_proxy'] ?? env['NO_PROXY'],
      };
}
