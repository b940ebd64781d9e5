import { Option } from 'commander';
import { Command } from '../command/command.ts';
import { questionLimits } from '../../server/question-limits.ts';
import type { ServeFlags } from '../command/command-flags.ts';
import { byteCount, collect, memorySize, wholeNumber } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function serveCommand(start: Start): Command {
  const command = new Command('serve')
    .summary("serve the platform's and Cube's HTTP APIs")
    .description(
      "Serves the events of the workspace over HTTP: the platform's API under /api/v4 and Cube's API " +
        "under /cubejs-api/v1. Prints its URL to stdout. With --hooks it also receives the platform's webhooks, " +
        'keeps each delivery in .sluice/hooks, and prints the URL for them; each --hooks-… flag implies --hooks.',
    )
    .addOption(new Option('--port <n>', 'port to listen on; 0 for any free port').argParser(wholeNumber).default(4000))
    .option('--bind <address>', 'address to listen on; a token is required except for 127.0.0.1 and ::1', '127.0.0.1')
    .option('--token-file <file>', 'file with the token that clients must send (or set SLUICE_SERVE_TOKEN)')
    .addOption(
      new Option(
        '--cors <origin>',
        'allow requests from this origin, e.g. http://localhost:5173; repeatable',
      ).argParser(collect),
    )
    .addOption(
      new Option('--concurrency <n>', 'number of requests to run in parallel').argParser(wholeNumber).default(4),
    )
    .addOption(
      new Option('--queue <n>', 'number of requests that may wait; further requests get a 429')
        .argParser(wholeNumber)
        .default(256),
    )
    .addOption(
      new Option('--time-limit <seconds>', 'time limit for a request; slower requests get a 504; 0 for none')
        .argParser(wholeNumber)
        .default(90),
    )
    .addOption(
      new Option(
        '--memory-limit <size>',
        'memory limit of the engine, e.g. 4GB; above it the engine spills to disk',
      ).argParser(memorySize),
    )
    .addOption(
      new Option('--continue-wait <n>', 'answer the first polls of each distinct request with “Continue wait”')
        .argParser(wholeNumber)
        .default(0),
    )
    .option(
      '--hooks [address]',
      'also receive webhooks, at /hooks of this port or address:port (default 127.0.0.1:4001)',
    )
    .option('--hooks-only', 'receive webhooks and serve no queries')
    .option('--hooks-token-file <file>', 'file with the secret token of the webhook (or set SLUICE_HOOKS_TOKEN)')
    .option('--hooks-token-command <command>', 'command that prints the secret token of the webhook')
    .option('--hooks-secret-file <file>', 'file with the signing secret of the webhook (or set SLUICE_HOOKS_SECRET)')
    .option('--hooks-secret-command <command>', 'command that prints the signing secret of the webhook')
    .addOption(
      new Option(
        '--hooks-body-limit <size>',
        'size limit of a delivery (default 10MB); larger ones get a 413',
      ).argParser(byteCount),
    )
    .addOption(
      new Option(
        '--hooks-tolerance <seconds>',
        'how far the time of a signature may be from the current time (default 300)',
      ).argParser(wholeNumber),
    )
    .examples(`
  $ sluice serve
  $ sluice serve --port 0 --events 'events/*.parquet'
  $ sluice serve --cors http://localhost:5173  for a dashboard in development
  $ SLUICE_SERVE_TOKEN=... sluice serve --bind 0.0.0.0
  $ sluice serve --hooks 0.0.0.0:4001 --hooks-token-file hook-token.txt
  $ SLUICE_HOOKS_TOKEN=... sluice serve --hooks-only

Request limits (a request above a limit gets a 400):
  ${questionLimits.queries} queries in a list, or ranges compared
  ${number(questionLimits.filters)} filters; each value of contains and similar operators counts as one
  ${number(questionLimits.values)} values of equals, notEquals, in and notIn
  ${number(questionLimits.textLength)} characters in a text
  ${number(questionLimits.entries)} entries in any other list`);
  return start<ServeFlags>(command, async () => (await import('../actions/serve.ts')).runServe);
}

/** Avoids `Intl`, which takes longer to load than the whole help. */
function number(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}
