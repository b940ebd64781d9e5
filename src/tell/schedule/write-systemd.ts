import { oneLine } from './one-line.ts';
import type { CronFields } from './schedule.ts';
import type { ScheduledReport } from './scheduled-report.ts';

/** A file and what it holds. */
export interface UnitFile {
  readonly name: string;
  readonly text: string;
}

/** A service and its timer. What was missed while the machine was off runs when it is on again. Source: systemd.timer(5), systemd.syntax(7). */
export function writeSystemd({ name, title, schedule, zone, folder, argv }: ScheduledReport): readonly UnitFile[] {
  const unit = `sluice-${name.replaceAll(/[^\w.-]+/g, '-')}`;
  const about = specifier(oneLine(title)).replaceAll('\\', '\\\\');
  return [
    {
      name: `${unit}.service`,
      text: ['[Unit]', `Description=${about}`, '', '[Service]', 'Type=oneshot', `WorkingDirectory=${specifier(folder).replaceAll('\\', '\\\\')}`, `ExecStart=${argv.map(word).join(' ')}`, ''].join('\n'),
    },
    {
      name: `${unit}.timer`,
      text: ['[Unit]', `Description=${about}: ${specifier(oneLine(schedule.text))}`, '', '[Timer]', ...toCalendar(schedule.fields).map((when) => `OnCalendar=${when} ${zone}`), 'Persistent=true', '', '[Install]', 'WantedBy=timers.target', ''].join('\n'),
    },
  ];
}

const weekdayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** As calendar events. Where cron has both a day of the month and one of the week, either will do: two events. */
function toCalendar({ minutes, hours, days, months, weekdays }: CronFields): readonly string[] {
  const list = (values: readonly number[] | undefined) => values?.map((value) => String(value).padStart(2, '0')).join(',') ?? '*';
  const clock = `${list(hours)}:${list(minutes)}:00`;
  const onDays = `*-${list(months)}-${list(days)} ${clock}`;
  if (weekdays === undefined) return [onDays];
  const onWeekdays = `${weekdays.map((weekday) => weekdayNames[weekday]).join(',')} *-${list(months)}-* ${clock}`;
  return days === undefined ? [onWeekdays] : [onDays, onWeekdays];
}

/** A word of a command line. */
function word(text: string): string {
  const plain = specifier(text).replaceAll('$', '$$$$');
  if (/^[\w./:@+,=%$-]+$/.test(plain)) return plain;
  return `"${plain.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`;
}

function specifier(text: string): string {
  return text.replaceAll('%', '%%');
}
