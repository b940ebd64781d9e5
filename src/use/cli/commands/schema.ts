import { Argument, Command } from 'commander';
import type { Start } from '../command/invocation.ts';

export function schemaCommand(start: Start): Command {
  const command = new Command('schema')
    .summary('print the JSON Schema of a file that sluice reads or writes')
    .description('Prints a JSON Schema, for editors that complete and check files by one. report-json is that of a report as `-f json` writes it, for programs that read it.')
    .addArgument(new Argument('[of]', 'which file').choices(['query', 'funnel', 'report', 'annotations', 'config', 'model', 'report-json']).default('query'))
    .addHelpText('after', `
Examples:
  $ sluice schema query > query.schema.json
  $ sluice schema funnel > funnel.schema.json
  $ sluice schema report > report.schema.json
  $ sluice schema annotations > annotations.schema.json
  $ sluice schema config
  $ sluice schema model
  $ sluice schema report-json > report-json.schema.json`);
  return start(command, async () => (await import('../actions/schema.ts')).runSchema);
}
