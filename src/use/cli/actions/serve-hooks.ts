import path from 'node:path';
import { ConfigError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { readToken } from '../../config/read-token.ts';
import { findToken, type TokenSource } from '../../config/settings.ts';
import type { Effects } from '../../process/effects.ts';
import { reportError } from '../../process/report-error.ts';
import { hookFolder, openHooks } from '../../server/hooks/open-hooks.ts';
import type { RunningServer } from '../../server/running-server.ts';
import type { ServeFlags } from '../command/command-flags.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { toReporter } from '../command/narrate.ts';

const defaultAddress = '127.0.0.1:4001';

/** The listener for webhooks that the flags ask for; undefined if they do not. Errors: as `openHooks`, `readToken`. */
export async function openFlaggedHooks(
  flags: ServeFlags & GlobalFlags,
  effects: Effects,
  root: string,
): Promise<RunningServer | undefined> {
  if (!Object.keys(flags).some((flag) => flag.startsWith('hooks'))) return undefined;
  const voice = toReporter(flags, effects);
  const { hooksTokenFile, hooksTokenCommand, hooksSecretFile, hooksSecretCommand } = flags;
  const read = (kind: 'token' | 'secret', file: string | undefined, command: string | undefined) =>
    readHookSecret(kind, { file, command }, effects, root);
  return openHooks(
    {
      ...readAddress(typeof flags.hooks === 'string' ? flags.hooks : defaultAddress),
      token: await read('token', hooksTokenFile, hooksTokenCommand),
      signingSecret: await read('secret', hooksSecretFile, hooksSecretCommand),
      bodyLimit: flags.hooksBodyLimit,
      tolerance: flags.hooksTolerance,
      onDelivery: flags.verbose
        ? ({ id, event, isRepeated }) =>
            void voice.detail(`Webhook ${quote(id)}, ${quote(event ?? 'no event')}${isRepeated ? ', sent again' : ''}`)
        : undefined,
    },
    {
      folder: hookFolder(root),
      now: effects.now,
      onRequest: flags.verbose
        ? ({ method, status }) => {
            if (status >= 300) void voice.detail(`${method} of a webhook refused: ${status}`);
          }
        : undefined,
      onFault: (error) => void reportError(error, effects),
    },
  );
}

/** `4001`, `0.0.0.0:4001`, `[::1]:4001`. */
function readAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host = '127.0.0.1', port] = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port !== undefined) return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
  throw new ConfigError(`\`--hooks\` must be a port or an address and a port, not ${quote(text)}.`, {
    code: 'not-a-listener',
    hint: `Use e.g. 4001, ${defaultAddress} or [::1]:4001.`,
  });
}

/** From a file, a command or the environment, in this order: what stands on a command line, everyone can read. */
async function readHookSecret(
  kind: 'token' | 'secret',
  { file, command }: { readonly file: string | undefined; readonly command: string | undefined },
  { cwd, env }: Effects,
  root: string,
): Promise<string | undefined> {
  if (file !== undefined && command !== undefined)
    throw new ConfigError(`--hooks-${kind}-file and --hooks-${kind}-command cannot be used together.`, {
      code: 'not-a-listener',
      hint: 'Remove one of them.',
    });
  const source: TokenSource | undefined =
    file !== undefined
      ? { kind: 'file', file: path.resolve(cwd, file) }
      : command !== undefined
        ? { kind: 'command', command }
        : findToken(env, [kind === 'token' ? 'SLUICE_HOOKS_TOKEN' : 'SLUICE_HOOKS_SECRET'])?.value;
  return source && readToken(source, { env, cwd: root, setAs: `--hooks-${kind}-command` });
}
