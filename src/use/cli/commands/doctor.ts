import { Command } from 'commander';
import type { Start } from '../invocation.ts';

export function doctorCommand(start: Start): Command {
  const command = new Command('doctor')
    .summary('check the set-up')
    .description('Tells every setting and where it came from, and tries the engine and the events.')
    .addHelpText('after', `
Examples:
  $ sluice doctor
  $ sluice doctor --events 'events/*.ndjson.gz'
  $ sluice doctor --config other.yaml`);
  return start(command, async () => (await import('../actions/doctor.ts')).runDoctor);
}
