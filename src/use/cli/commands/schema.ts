import { Argument } from 'commander';
import { Command } from '../command/command.ts';
import { type SchemaName, schemaNames, schemaOf } from '../../model/json-schemas.ts';
import { exitCodes } from '../../process/exit-code.ts';
import type { Start } from '../command/invocation.ts';

export function schemaCommand(start: Start): Command {
  const command = new Command('schema')
    .summary('print the JSON Schema of a file format')
    .description(
      'Prints a JSON Schema, for editors that complete and check files. ' +
        'report-json describes the output of reports with `-f json`.',
    )
    .addArgument(new Argument('[of]', 'file format').choices(schemaNames).default('query'))
    .examples(`
  $ sluice schema query > query.schema.json
  $ sluice schema funnel > funnel.schema.json
  $ sluice schema report > report.schema.json
  $ sluice schema annotations > annotations.schema.json
  $ sluice schema config
  $ sluice schema model
  $ sluice schema report-json > report-json.schema.json`);
  return start(command, async () => async ({ args, effects }) => {
    await effects.stdout.write(`${JSON.stringify(await schemaOf((args[0] ?? 'query') as SchemaName), null, 2)}\n`);
    return exitCodes.done;
  });
}
