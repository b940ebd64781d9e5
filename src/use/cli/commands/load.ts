import { Command, Option } from 'commander';
import type { LoadFlags } from '../command/command-flags.ts';
import type { Start } from '../command/invocation.ts';

export function loadCommand(start: Start): Command {
  const command = new Command('load')
    .summary("answer a load body as the platform's API does")
    .description("Takes the body of the platform's load request, and prints the platform's response to it. What cannot be answered gets the platform's error, with exit code 2.")
    .argument('[file]', 'a JSON file, or - for stdin', '-')
    .option('--dry-run', 'say how the body is understood, and run nothing')
    .addOption(new Option('--query-type <type>', 'the form of the response that the request wants: multi, as the platform asks for it, or regular, which has room for a single result').choices(['multi', 'regular']).default('multi'))
    .addHelpText('after', `
Examples:
  $ sluice load body.json
  $ echo '{"query": {"measures": ["TrackedEvents.count"]}}' | sluice load
  $ sluice load body.json --dry-run
  $ sluice load body.json --events 'events/*.parquet' > response.json`);
  return start<LoadFlags>(command, async () => (await import('../actions/load.ts')).runLoad);
}
