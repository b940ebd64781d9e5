import type { Proxy } from '../../run/http/address.ts';
import type { Environment } from '../config/read-environment.ts';

/** As other tools find it. What stands in NO_PROXY is asked without one. */
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
