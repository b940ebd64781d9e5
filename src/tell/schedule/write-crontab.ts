import { inputError } from '../../ask/sluice-error.ts';
import { quote, shellWord } from '../../ask/text.ts';
import { oneLine, type ScheduledReport } from './schedule.ts';

/**
 * Writes a line for crontab. Not every cron supports time zones, and none catches up after the machine was off, so the
 * line checks every hour and runs what is due. Error: `not-schedulable` if a path contains a line break, which a
 * crontab cannot hold, or another control character, which a terminal would obey.
 */
export function writeCrontab({ title, schedule, zone, folder, argv, secrets }: ScheduledReport): string {
  refuseControls([folder, ...argv], 'crontab');
  const command = `cd ${shellWord(folder)} && ${argv.map(shellWord).join(' ')}`;
  const minutes = schedule.fields.minutes?.join(',') ?? '*';
  return [
    `# ${oneLine(title)}: ${oneLine(schedule.text)}, ${zone}.`,
    '# Checks every hour and runs what is due, in any time zone, and also if the machine was off at that time.',
    ...(secrets.length === 0
      ? []
      : [`# Set ${secrets.join(', ')} at the top of the crontab: cron does not know your shell's variables.`]),
    // An unescaped percent sign would end the command.
    `${minutes} * * * * ${command.replaceAll('%', '\\%')}`,
    '',
  ].join('\n');
}

/**
 * Throws `not-schedulable` if a word contains a control character: the file could not hold it, or a terminal would obey
 * it.
 */
export function refuseControls(words: readonly string[], place: string): void {
  const found = words.find((word) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(word));
  if (found === undefined) return;
  const what = /[\r\n\p{Zl}\p{Zp}]/u.test(found) ? 'line break' : 'control character';
  throw inputError(
    'not-schedulable',
    `A path with a ${what} in it cannot be used in a ${place}: ${quote(found)}.`,
    'Rename the file or folder.',
  );
}
