import { Command, Option } from 'commander';
import { questionLimits } from '../../server/question-limits.ts';
import type { ServeFlags } from '../command/command-flags.ts';
import { collect, memorySize, wholeNumber } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function serveCommand(start: Start): Command {
  const command = new Command('serve')
    .summary('answer over HTTP as the platform and Cube do')
    .description("Answers questions over HTTP from the workspace's events: under /api/v4 as the platform's API does, under /cubejs-api/v1 as a Cube server does. Prints its address on stdout.")
    .addOption(new Option('--port <n>', 'the port to listen on; 0 for one that is free').argParser(wholeNumber).default(4000))
    .option('--bind <address>', 'the address to listen on; any but 127.0.0.1 and ::1 needs a token', '127.0.0.1')
    .option('--token-file <file>', 'a file that holds the token which clients must bring; or the variable SLUICE_SERVE_TOKEN')
    .addOption(new Option('--cors <origin>', 'pages of this origin may ask, e.g. http://localhost:5173; repeatable').argParser(collect))
    .addOption(new Option('--concurrency <n>', 'how many requests are worked on at once').argParser(wholeNumber).default(4))
    .addOption(new Option('--queue <n>', 'how many more may wait; past them the answer is 429').argParser(wholeNumber).default(256))
    .addOption(new Option('--time-limit <seconds>', 'time limit for the work on an answer; past it the answer is 504; 0 for none').argParser(wholeNumber).default(90))
    .addOption(new Option('--memory-limit <size>', "limit for the engine's memory, e.g. 4GB; past it the engine works on the disk").argParser(memorySize))
    .addOption(new Option('--continue-wait <n>', 'answer the first polls of each different request with “Continue wait”').argParser(wholeNumber).default(0))
    .addHelpText('after', `
Examples:
  $ sluice serve
  $ sluice serve --port 0 --events 'events/*.parquet'
  $ sluice serve --cors http://localhost:5173        for a dashboard in development
  $ SLUICE_SERVE_TOKEN=... sluice serve --bind 0.0.0.0

Limits of a request; past one the answer is 400:
  ${questionLimits.queries} queries in a list, or ranges compared
  ${number(questionLimits.filters)} filters; each value of contains and the like is one
  ${number(questionLimits.values)} values of equals, notEquals, in and notIn
  ${number(questionLimits.textLength)} characters in a text
  ${number(questionLimits.entries)} entries in any other list`);
  return start<ServeFlags>(command, async () => (await import('../actions/serve.ts')).runServe);
}

function number(value: number): string {
  return value.toLocaleString('en');
}
