import { Command } from '../command/command.ts';
import type { DoctorFlags } from '../command/command-flags.ts';
import type { Start } from '../command/invocation.ts';
import { textOrJson } from '../command/flag-values.ts';

export function doctorCommand(start: Start): Command {
  const command = new Command('doctor')
    .summary('check the setup')
    .description('Prints every setting with its source, and checks events, store, tables, servers and saved queries.')
    .addOption(textOrJson())
    .examples(`
  $ sluice doctor
  $ sluice doctor --events 'events/*.ndjson.gz'
  $ sluice doctor --config other.yaml
  $ sluice doctor -f json`);
  return start<DoctorFlags>(command, async () => (await import('../actions/doctor.ts')).runDoctor);
}
