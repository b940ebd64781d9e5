import { Option } from 'commander';
import { Command } from '../command/command.ts';
import type { LoadFlags } from '../command/command-flags.ts';
import type { Start } from '../command/invocation.ts';

export function loadCommand(start: Start): Command {
  const command = new Command('load')
    .summary("answer a load request like the platform's API")
    .description(
      'Reads the body of a platform load request and prints the response of the platform. ' +
        'Invalid queries print the error of the platform and exit with code 2.',
    )
    .argument('[file]', 'a JSON file, or - for stdin', '-')
    .option('--dry-run', 'print how the body is read without running it')
    .addOption(
      new Option(
        '--query-type <type>',
        'response format: multi, as the platform requests it, or regular, for a single result',
      )
        .choices(['multi', 'regular'])
        .default('multi'),
    )
    .examples(`
  $ sluice load body.json
  $ echo '{"query": {"measures": ["TrackedEvents.count"]}}' | sluice load
  $ sluice load body.json --dry-run
  $ sluice load body.json --events 'events/*.parquet' > response.json`);
  return start<LoadFlags>(command, async () => (await import('../actions/load.ts')).runLoad);
}
