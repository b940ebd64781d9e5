import { Command } from '../command/command.ts';
import type { ExploreFlags } from '../command/command-flags.ts';
import type { Start } from '../command/invocation.ts';

export function exploreCommand(start: Start): Command {
  const command = new Command('explore')
    .summary('explore data in a terminal notebook')
    .description(
      'Opens a notebook on the terminal: type a question such as `count by eventType` and press Enter. ' +
        'Press f1 for the keys, ctrl-c twice to quit.\nA notebook can be saved as a report.',
    )
    .argument('[report]', 'report to open (name or file)')
    .option('--screen-reader', 'print lines for a screen reader instead of drawing a screen (default if TERM=dumb)')
    .option('--no-mouse', 'do not capture the mouse')
    .examples(`
  $ sluice explore
  $ sluice explore weekly-overview
  $ sluice explore --events 'events/*.ndjson.gz'
  $ sluice explore --screen-reader`);
  return start<ExploreFlags>(command, async () => (await import('../actions/explore.ts')).runExplore);
}
