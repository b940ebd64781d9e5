import { Command, Option } from 'commander';
import type { ModelFlags } from '../command/command-flags.ts';
import type { Start } from '../command/invocation.ts';

export function modelCommand(start: Start): Command {
  const command = new Command('model')
    .summary('show what can be asked')
    .description('Lists cubes with their measures, dimensions and segments.')
    .argument('[cube]', 'only this cube, with a line about each of its members')
    .addOption(new Option('-f, --format <name>', 'ts gives types for the query builder, json and yaml what the platform answers to /meta').choices(['text', 'json', 'ts', 'yaml']).default('text'))
    .addHelpText('after', `
Examples:
  $ sluice model
  $ sluice model TrackedEvents
  $ sluice model -f ts > src/events-model.ts
  $ sluice model -f json`);
  return start<ModelFlags>(command, async () => (await import('../actions/model.ts')).runModel);
}
