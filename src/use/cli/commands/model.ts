import { Option } from 'commander';
import { Command } from '../command/command.ts';
import type { ModelFlags } from '../command/command-flags.ts';
import type { Start } from '../command/invocation.ts';

export function modelCommand(start: Start): Command {
  const command = new Command('model')
    .summary('list measures, dimensions and segments')
    .description('Lists cubes with their measures, dimensions and segments.')
    .argument('[cube]', 'show one cube with a description of each member; props: the properties of the events')
    .addOption(
      new Option(
        '-f, --format <name>',
        "output format: ts prints types for the query builder; json and yaml match the platform's /meta",
      )
        .choices(['text', 'json', 'ts', 'yaml'])
        .default('text'),
    )
    .examples(`
  $ sluice model
  $ sluice model TrackedEvents
  $ sluice model props
  $ sluice model -f ts > src/events-model.ts
  $ sluice model -f json`);
  return start<ModelFlags>(command, async () => (await import('../actions/model.ts')).runModel);
}
