import { Argument, Command } from 'commander';
import type { Start } from '../invocation.ts';

export function schemaCommand(start: Start): Command {
  const command = new Command('schema')
    .summary('print the JSON Schema of a file that sluice reads')
    .description('Prints a JSON Schema, for editors that complete and check files by one.')
    .addArgument(new Argument('[of]', 'which file').choices(['query', 'funnel', 'report', 'annotations', 'config', 'model']).default('query'))
    .addHelpText('after', `
Examples:
  $ sluice schema query > query.schema.json
  $ sluice schema funnel > funnel.schema.json
  $ sluice schema report > report.schema.json
  $ sluice schema annotations > annotations.schema.json
  $ sluice schema config
  $ sluice schema model`);
  return start(command, async () => (await import('../actions/schema.ts')).runSchema);
}
