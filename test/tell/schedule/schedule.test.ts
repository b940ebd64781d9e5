import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { toLocal } from '../../../src/ask/time/zone.ts';
import { readCron, readSchedule } from '../../../src/tell/schedule/read-schedule.ts';
import { dueSlots, lastSlot, nextSlot } from '../../../src/tell/schedule/schedule-slots.ts';
import type { CronFields, Schedule, ScheduledReport } from '../../../src/tell/schedule/schedule.ts';
import { writeCrontab } from '../../../src/tell/schedule/write-crontab.ts';
import { writeGitlabJob } from '../../../src/tell/schedule/write-gitlab-job.ts';
import { writeSystemd } from '../../../src/tell/schedule/write-systemd.ts';

const scheduleOf = (text: string): Schedule => {
  const read = readSchedule(text);
  if (!read.ok) throw new Error(read.issues.map(({ message, hint }) => `${message} ${hint}`).join('\n'));
  return read.value;
};

describe('schedules', () => {
  it('are read from words', () => {
    const said: Readonly<Record<string, string>> = {
      hourly: '0 * * * *',
      'hourly at minute 20': '20 * * * *',
      daily: '0 6 * * *',
      'Daily at 7:05': '5 7 * * *',
      'weekdays at 06:30': '30 6 * * 1-5',
      'weekly on sunday at 23:59': '59 23 * * 0',
      'weekly on mon and thursday': '0 6 * * 1,4',
      weekly: '0 6 * * 1',
      'monthly on day 1 at 06:00': '0 6 1 * *',
      'monthly on the 15th': '0 6 15 * *',
      'quarterly on day 2 at 08:00': '0 8 2 1,4,7,10 *',
      '0 6 1 * *': '0 6 1 * *',
      ' 0  6 1   jan-jun/2 MON ': '0 6 1 jan-jun/2 mon',
    };
    for (const [text, cron] of Object.entries(said)) expect([text, scheduleOf(text).cron]).toEqual([text, cron]);
  });

  it('that are invalid are refused with the supported forms', () => {
    const refused: Readonly<Record<string, RegExp>> = {
      fortnightly: /Write, for example, daily/,
      'dayly at 06:00': /Did you mean "daily"/,
      'daily at 24:00': /Write, for example, daily/,
      'weekly on mittwoch': /monday, tuesday/,
      'monthly on day 31': /Use a day up to 28/,
      'monthly on day 0': /Name the day/,
      'daily on monday': /Leave "on monday" out/,
      '60 * * * *': /not a valid minute/,
      '0 6 0 * *': /not a valid day of the month/,
      '0 6 * 13 *': /not a valid month/,
      '5-1 * * * *': /not a valid minute/,
      '*/0 * * * *': /not a valid minute/,
      '0 0 L * 1': /not a valid day of the month/,
      '0 0 * * 1#2': /not a valid day of the week/,
      '0 0 1 * * *': /six|five/,
      '0 6 1 *': /five/,
    };
    for (const [text, expected] of Object.entries(refused)) {
      const read = readSchedule(text);
      expect([text, read.ok]).toEqual([text, false]);
      expect(read.issues.map(({ message, hint }) => `${message} ${hint}`).join('\n')).toMatch(expected);
    }
  });
});

/** Checks every minute of a range. Slow, and literally the rule except for clock changes. */
function slotsByMinute(
  { minutes, hours, days, months, weekdays }: CronFields,
  zone: string,
  after: number,
  until: number,
): number[] {
  const found: number[] = [];
  const has = (values: readonly number[] | undefined, value: number) => values?.includes(value) ?? true;
  for (let at = Math.floor(after / 60_000) * 60_000 + 60_000; at <= until; at += 60_000) {
    const local = new Date(toLocal(at, zone));
    const onDay = has(days, local.getUTCDate());
    const onWeekday = has(weekdays, local.getUTCDay());
    const day = days !== undefined && weekdays !== undefined ? onDay || onWeekday : onDay && onWeekday;
    if (
      day &&
      has(months, local.getUTCMonth() + 1) &&
      has(hours, local.getUTCHours()) &&
      has(minutes, local.getUTCMinutes())
    )
      found.push(at);
  }
  return found;
}

describe('slots of a schedule', () => {
  const field = (least: number, most: number) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('*') },
      { weight: 3, arbitrary: fc.integer({ min: least, max: most }).map(String) },
      fc.integer({ min: 2, max: 9 }).map((step) => `*/${step}`),
      fc
        .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
        .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    );

  it('are all minutes for which its fields hold', () => {
    fc.assert(
      fc.property(
        field(0, 59),
        field(0, 23),
        field(1, 31),
        field(1, 12),
        field(0, 7),
        fc.integer({ min: 0, max: 300 * 86_400_000 }),
        (minute, hour, day, month, weekday, offset) => {
          const cron = [minute, hour, day, month, weekday].join(' ');
          const fields = readCron(cron);
          if (!fields.ok) throw new Error(cron);
          const after = Date.parse('2026-01-05T12:34:56Z') + offset;
          const until = after + 2 * 86_400_000;
          // In a zone without changes the rule is simple.
          const expected = slotsByMinute(fields.value, 'Asia/Kolkata', after, until);
          const schedule: Schedule = { text: cron, cron, fields: fields.value };
          const due = (most?: number) => dueSlots(schedule, 'Asia/Kolkata', { latest: after, open: [] }, until, most);
          expect(due()).toEqual(expected);
          expect(due(3)).toEqual(expected.slice(0, 3));
          if (expected.length > 0) expect(lastSlot(schedule, 'Asia/Kolkata', until)).toBe(expected.at(-1));
          if (expected.length > 0) expect(nextSlot(schedule, 'Asia/Kolkata', after)).toBe(expected[0]);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('that the clock skips are one slot at the jump if hours are named, whatever names them', () => {
    const jump = Date.parse('2024-03-31T01:00Z');
    const fields = fc.constantFrom('0', '30', '*/30', '*/10', '15,45', '*');
    const hours = fc.constantFrom('2', '1,2', '2,4', '2,3', '0-5', '*/2', '5', '*');
    const days = fc.constantFrom('* *', '31 3', '* 3');
    const weekdays = fc.constantFrom('*', '0', '1');
    fc.assert(
      fc.property(fields, hours, days, weekdays, (minute, hour, monthly, weekday) => {
        const schedule = scheduleOf(`${minute} ${hour} ${monthly} ${weekday}`);
        const [after, until] = [jump - 7_200_000, jump + 7_200_000];
        const around = slotsByMinute(schedule.fields, 'Europe/Berlin', after, until);
        // The skipped hour, where a clock without a change has it.
        const skipped = slotsByMinute(schedule.fields, 'UTC', jump + 3_540_000, jump + 7_140_000);
        const isMoved = schedule.fields.hours !== undefined && skipped.length > 0;
        const expected = [...new Set([...around, ...(isMoved ? [jump] : [])])].sort((a, b) => a - b);
        expect(dueSlots(schedule, 'Europe/Berlin', { latest: after, open: [] }, until)).toEqual(expected);
        for (const slot of expected) {
          expect(nextSlot(schedule, 'Europe/Berlin', slot - 1)).toBe(slot);
          expect(lastSlot(schedule, 'Europe/Berlin', slot)).toBe(slot);
        }
      }),
    );
  });

  it('that occur twice are one slot if hours are named, whatever names them', () => {
    const zones = fc.constantFrom(
      ['Europe/Berlin', '2026-10-25T01:00Z'],
      ['America/New_York', '2026-11-01T06:00Z'],
      ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
    );
    const fields = fc.constantFrom('0', '30', '*/30', '*/20', '15,45', '*');
    const hours = fc.constantFrom('1', '2', '1,2', '2,4', '0-5', '*/2', '5', '*');
    fc.assert(
      fc.property(zones, fields, hours, ([zone = '', at = ''], minute, hour) => {
        const schedule = scheduleOf(`${minute} ${hour} * * *`);
        const [after, until] = [Date.parse(at) - 7_200_000, Date.parse(at) + 7_200_000];
        const seen = new Set<number>();
        const expected = slotsByMinute(schedule.fields, zone, after, until).filter((slot) => {
          const local = toLocal(slot, zone);
          const isAgain = schedule.fields.hours !== undefined && seen.has(local);
          seen.add(local);
          return !isAgain;
        });
        expect(dueSlots(schedule, zone, { latest: after, open: [] }, until)).toEqual(expected);
        for (const [index, slot] of expected.entries()) {
          expect(nextSlot(schedule, zone, expected[index - 1] ?? after)).toBe(slot);
          expect(lastSlot(schedule, zone, (expected[index + 1] ?? until + 1) - 1)).toBe(slot);
          const latest = dueSlots(
            schedule,
            zone,
            { latest: after, open: [] },
            until,
            Infinity,
            expected.length - index,
          );
          expect(latest).toEqual(expected.slice(index));
        }
      }),
    );
  });

  it('come once a day at clock changes, too', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/St_Johns']) {
      for (const text of ['daily at 01:30', 'daily at 02:00', 'daily at 02:30', 'daily at 00:00', 'daily at 03:00']) {
        const slots = dueSlots(
          scheduleOf(text),
          zone,
          { latest: Date.parse('2026-01-01T12:00:00Z'), open: [] },
          Date.parse('2027-01-01T12:00:00Z'),
        );
        const days = slots.map((slot) => new Date(toLocal(slot, zone)).toISOString().slice(0, 10));
        expect([zone, text, slots.length, new Set(days).size]).toEqual([zone, text, 365, 365]);
      }
    }
  });
});

const report = (changes: Partial<ScheduledReport> = {}): ScheduledReport => ({
  name: 'monthly-usage',
  title: 'Usage',
  schedule: scheduleOf('monthly on day 1 at 06:00'),
  zone: 'Europe/Berlin',
  folder: '/srv/reports',
  argv: ['sluice', 'report', 'run', '--due', 'reports/monthly-usage.md'],
  state: '.sluice/reports',
  outputs: ['out'],
  secrets: [],
  ...changes,
});

const hostile = fc.string({
  unit: fc.constantFrom(
    'a',
    ' ',
    "'",
    '"',
    '%',
    '$',
    '\\',
    '`',
    ';',
    '&',
    '\n',
    '#',
    'ü',
    '{{',
    '~',
    '\u001b[2J',
    '\u009b',
    '\u2028',
  ),
  minLength: 1,
  maxLength: 12,
});

const control = /[\p{Cc}\p{Zl}\p{Zp}]/u;

describe('crontab lines', () => {
  it('run every hour at the minute of the schedule', () => {
    expect(writeCrontab(report())).toBe(`# Usage: monthly on day 1 at 06:00, Europe/Berlin.
# Checks every hour and runs what is due, in any time zone, and also if the machine was off at that time.
0 * * * * cd /srv/reports && sluice report run --due reports/monthly-usage.md
`);
  });

  it('pass each word to the shell unchanged, whatever it contains', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-test-'));
    try {
      fc.assert(
        fc.property(hostile, hostile, (title, file) => {
          if (control.test(file))
            return void expect(() => writeCrontab(report({ title, folder, argv: ['printf', '%s', file] }))).toThrow(
              /(line break|control character)/,
            );
          const text = writeCrontab(report({ title, folder, argv: ['printf', '%s', file] }));
          const lines = text.trimEnd().split('\n');
          expect(lines).toHaveLength(3);
          expect(lines.slice(0, 2).every((line) => line.startsWith('#'))).toBe(true);
          // As cron reads it: the text after five fields, with \% as %.
          const command = lines[2]!.split(' ').slice(5).join(' ');
          expect(command).not.toMatch(/(?<!\\)%/);
          expect(spawnSync('sh', ['-c', command.replaceAll('\\%', '%')]).stdout.toString()).toBe(file);
        }),
        { numRuns: 40 },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuse a path with a line break', () => {
    expect(() => writeCrontab(report({ folder: '/srv/a\n0 * * * * rm' }))).toThrow('line break');
  });

  it('name the variables that cron does not know', () => {
    expect(writeCrontab(report({ secrets: ['SLUICE_TOKEN', 'HOOK_SECRET'] })).split('\n')[2]).toMatch(
      /^# Set SLUICE_TOKEN, HOOK_SECRET at the top of the crontab/,
    );
  });
});

describe('systemd timers', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('start at the slots of the schedule, in its zone, and catch up on missed ones', () => {
    const [service, timer] = writeSystemd(report());
    expect(service).toEqual({
      name: 'sluice-monthly-usage.service',
      text: '[Unit]\nDescription=Usage\n\n[Service]\nType=oneshot\nWorkingDirectory=/srv/reports\nExecStart=sluice report run --due reports/monthly-usage.md\n',
    });
    expect(timer?.text).toContain(
      'OnCalendar=*-*-* *:00:00 Europe/Berlin\nOnCalendar=*-*-01 06:00:00 Europe/Berlin\nPersistent=true\n',
    );
    expect(writeSystemd(report({ secrets: ['SLUICE_TOKEN'] }))[0]?.text).toContain(
      '# Set SLUICE_TOKEN in this file, one per line (NAME=value), and chmod 600 it.\nEnvironmentFile=%h/.config/sluice-monthly-usage.env\nExecStart=',
    );
    expect(writeSystemd(report({ schedule: scheduleOf('0 6 1 * mon') }))[1]?.text).toContain(
      'OnCalendar=*-*-01 06:00:00 Europe/Berlin\nOnCalendar=Mon *-*-* 06:00:00 Europe/Berlin\n',
    );
  });

  it('contain no unintended line, and escape what systemd would interpret', () => {
    fc.assert(
      fc.property(hostile, hostile, (title, file) => {
        if (control.test(file))
          return void expect(() => writeSystemd(report({ title, argv: ['sluice', file] }))).toThrow(
            /(line break|control character)/,
          );
        const [service, timer] = writeSystemd(report({ title, argv: ['sluice', file] }));
        expect(`${service?.text}${timer?.text}`.replaceAll('\n', '')).not.toMatch(control);
        expect(service?.text.split('\n')).toHaveLength(8);
        expect(timer?.text.split('\n')).toHaveLength(11);
        expect(`${service?.text}${timer?.text}`.replaceAll('%%', '')).not.toContain('%');
        // Only command lines expand variables.
        expect(service?.text.split('\nExecStart=')[1]?.replaceAll('$$', '')).not.toContain('$');
      }),
    );
  });

  it.skipIf(!existsSync('/usr/bin/systemd-analyze'))('pass systemd-analyze (skipped without it)', () => {
    for (const text of ['monthly on day 1 at 06:00', 'weekdays at 05:45', '*/20 1-3 * feb,mar 1,3', '0 0 13 * fri']) {
      const [, timer] = writeSystemd(report({ schedule: scheduleOf(text) }));
      for (const [, calendar = ''] of timer!.text.matchAll(/OnCalendar=(.*)/g))
        expect(spawnSync('systemd-analyze', ['calendar', calendar]).status).toBe(0);
    }
    writeFileSync(path.join(folder, 'x'), '');
  });
});

describe('jobs of the platform', () => {
  it('are YAML that runs due reports, with a call that creates the schedule', () => {
    const text = writeGitlabJob(report(), {
      url: 'https://code.example.org/',
      project: 'acme/site',
      sluice: { kind: 'folder', path: '/srv/sluice', version: '0.1.0' },
    });
    expect(parse(text)).toEqual({
      'sluice-monthly-usage': {
        image: 'node:24',
        rules: [{ if: '$CI_PIPELINE_SOURCE == "schedule"' }],
        resource_group: 'sluice-monthly-usage',
        cache: { key: 'sluice-monthly-usage', paths: ['.sluice/reports/'], when: 'always' },
        script: [
          'npm install --no-save /srv/sluice',
          'npx --no-install sluice report run --due reports/monthly-usage.md',
        ],
        artifacts: { when: 'always', paths: ['out/'] },
      },
    });
    const call = text
      .split('\n')
      .filter((line) => line.startsWith('# ') || line.startsWith('#   '))
      .slice(3)
      .map((line) => line.replace(/^# ?/, ''))
      .join('\n');
    const { stdout } = spawnSync('bash', ['-c', `curl() { printf '%s\\n' "$@"; }; GITLAB_TOKEN=secret; ${call}`]);
    expect(stdout.toString().trimEnd().split('\n')).toEqual([
      '--request',
      'POST',
      '--header',
      'PRIVATE-TOKEN: secret',
      '--data-urlencode',
      'description=Usage',
      '--data-urlencode',
      'ref=main',
      '--data-urlencode',
      'cron=0 * * * *',
      '--data-urlencode',
      'cron_timezone=Europe/Berlin',
      '--data-urlencode',
      'active=true',
      'https://code.example.org/api/v4/projects/acme%2Fsite/pipeline_schedules',
    ]);
  });
});

describe('the last day of a month', () => {
  it.each(['Europe/Berlin', 'America/St_Johns', 'UTC'])('is the day before the first in %s', (zone) => {
    const schedule = scheduleOf('monthly on the last day at 20:30');
    let slot = Date.parse('2023-12-15T00:00:00Z');
    for (let month = 0; month < 26; month += 1) {
      slot = nextSlot(schedule, zone, slot) ?? 0;
      const local = (instant: number) =>
        new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(instant);
      expect(local(slot)).toMatch(/ 20:30$/);
      expect(local(slot + 12 * 3_600_000).slice(8, 10)).toBe('01');
    }
  });

  it('is passed to systemd as such, and works for quarters, too', () => {
    expect(writeSystemd(report({ schedule: scheduleOf('monthly on last day at 20:30') }))[1]?.text).toContain(
      'OnCalendar=*-*~01 20:30:00',
    );
    expect(scheduleOf('quarterly on the last day at 06:00').cron).toBe('0 6 L 3,6,9,12 *');
    expect(scheduleOf('0 6 L * *').fields).toMatchObject({ onLastDay: true, days: undefined });
    expect(readSchedule('0 6 L * 1').ok).toBe(false);
  });
});
