import { InvalidInputError } from '../../ask/sluice-error.ts';
import { errorIssue } from '../../ask/outcome.ts';
import { shellWord } from '../../ask/shell-word.ts';
import { oneLine } from './one-line.ts';
import type { ScheduledReport } from './scheduled-report.ts';

/**
 * A line for crontab. Not every cron knows zones, and none makes up for a machine that was off: the line asks every hour, and what
 * is due runs. Error: `not-schedulable` where a path has a line break, which no crontab can hold.
 */
export function writeCrontab({ title, schedule, zone, folder, argv }: ScheduledReport): string {
  if ([folder, ...argv].some((part) => /[\r\n\0]/.test(part))) {
    const message = 'A path with a line break in it cannot stand in a crontab.';
    throw new InvalidInputError(message, [errorIssue('not-schedulable', message, { hint: 'Rename the folder.' })]);
  }
  const command = `cd ${shellWord(folder)} && ${argv.map(shellWord).join(' ')}`;
  const minutes = schedule.fields.minutes?.join(',') ?? '*';
  return [
    `# ${oneLine(title)}: ${oneLine(schedule.text)}, ${zone}.`,
    '# It is asked for every hour and runs once when it is due, whatever zone this machine is in, and also where it was off at that time.',
    // A percent sign would end the command.
    `${minutes} * * * * ${command.replaceAll('%', '\\%')}`,
    '',
  ].join('\n');
}
