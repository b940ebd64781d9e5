import { Command } from 'commander';
import type { ExploreFlags } from '../command/command-flags.ts';
import type { Start } from '../command/invocation.ts';

export function exploreCommand(start: Start): Command {
  const command = new Command('explore')
    .summary('ask, look and refine, in a notebook on the terminal')
    .description('Opens a notebook on the terminal: type a question such as `count by eventType`, press Enter, see the answer; f1 lists the keys, ctrl-c twice leaves.\nWhat is worth keeping is saved as a report.')
    .argument('[report]', 'a report to open, by its name or its file')
    .option('--screen-reader', 'lines to be read out instead of a screen; so it is on a terminal that can draw none (TERM=dumb)')
    .option('--no-mouse', 'leave the mouse to the terminal')
    .addHelpText('after', `
Examples:
  $ sluice explore
  $ sluice explore weekly-overview
  $ sluice explore --events 'events/*.ndjson.gz'
  $ sluice explore --screen-reader`);
  return start<ExploreFlags>(command, async () => (await import('../actions/explore.ts')).runExplore);
}
