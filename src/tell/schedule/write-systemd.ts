import { type CronFields, oneLine, type ScheduledReport } from './schedule.ts';
import { refuseControls } from './write-crontab.ts';

/** A file with its content. */
export interface UnitFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Writes a service and its timer. It checks at each slot and every hour, so missed or failed runs are repeated. Error:
 * `not-schedulable` if a path contains a control character. Source: systemd.timer(5), systemd.syntax(7).
 */
export function writeSystemd({
  name,
  title,
  schedule,
  zone,
  folder,
  argv,
  secrets,
}: ScheduledReport): readonly UnitFile[] {
  refuseControls([folder, ...argv], 'unit');
  const unit = `sluice-${name.replaceAll(/[^\w.-]+/g, '-')}`;
  const about = specifier(oneLine(title)).replaceAll('\\', '\\\\');
  return [
    {
      name: `${unit}.service`,
      text: [
        '[Unit]',
        `Description=${about}`,
        '',
        '[Service]',
        'Type=oneshot',
        `WorkingDirectory=${specifier(folder).replaceAll('\\', '\\\\')}`,
        ...environmentOf(unit, secrets),
        `ExecStart=${argv.map(word).join(' ')}`,
        '',
      ].join('\n'),
    },
    {
      name: `${unit}.timer`,
      text: [
        '[Unit]',
        `Description=${about}: ${specifier(oneLine(schedule.text))}`,
        '',
        '[Timer]',
        `OnCalendar=*-*-* *:${listOf(schedule.fields.minutes)}:00 ${zone}`,
        ...toCalendar(schedule.fields).map((when) => `OnCalendar=${when} ${zone}`),
        'Persistent=true',
        '',
        '[Install]',
        'WantedBy=timers.target',
        '',
      ].join('\n'),
    },
  ];
}

const weekdayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function listOf(values: readonly number[] | undefined): string {
  return values?.map((value) => String(value).padStart(2, '0')).join(',') ?? '*';
}

/** Secrets belong in a file that only their owner can read, never in a unit. */
function environmentOf(unit: string, secrets: readonly string[]): readonly string[] {
  if (secrets.length === 0) return [];
  return [
    `# Set ${secrets.join(', ')} in this file, one per line (NAME=value), and chmod 600 it.`,
    `EnvironmentFile=%h/.config/${unit}.env`,
  ];
}

/**
 * Converts fields to calendar events. In cron, a day of the month and a weekday are alternatives, so they become two
 * events.
 */
function toCalendar({ minutes, hours, days, onLastDay, months, weekdays }: CronFields): readonly string[] {
  const list = listOf;
  const clock = `${list(hours)}:${list(minutes)}:00`;
  const onDays = `*-${list(months)}${onLastDay ? '~01' : `-${list(days)}`} ${clock}`;
  if (weekdays === undefined) return [onDays];
  const onWeekdays = `${weekdays.map((weekday) => weekdayNames[weekday]).join(',')} *-${list(months)}-* ${clock}`;
  return days === undefined ? [onWeekdays] : [onDays, onWeekdays];
}

/** Quotes a word of a command line. */
function word(text: string): string {
  const plain = specifier(text).replaceAll('$', '$$$$');
  if (/^[\w./:@+,=%$-]+$/.test(plain)) return plain;
  return `"${plain.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`;
}

function specifier(text: string): string {
  return text.replaceAll('%', '%%');
}
