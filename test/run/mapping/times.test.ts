import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Mapping, TimeFormat } from '../../../src/plan/mapping/mapping.ts';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { wallByIntl } from '../../ask/time/zones.ts';
import { scratchFolder } from '../ask-sql.ts';
import { readAll } from '../sources/read-all.ts';
import { runs } from '../../runs.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: { upTo: 2 } });
afterAll(() => engine[Symbol.asyncDispose]());

let number = 0;

/** Reads a column of times as ISO instants with microseconds; `undefined` for a rejected row. */
async function readTimes(
  texts: readonly string[],
  more: Partial<Mapping> = {},
): Promise<readonly (string | undefined)[]> {
  number += 1;
  const file = folder.write(
    `times-${number}.ndjson`,
    texts.map((at, row) => JSON.stringify({ at, row: String(row) })).join('\n'),
  );
  const { rows } = await readAll(engine, file, () => ({ columns: { utcTime: 'at', eventType: 'row' }, ...more }));
  const byRow = new Map(rows.map((row) => [row['event_type'], row['utc_time']]));
  return texts.map((_, row) => byRow.get(String(row)));
}

/** In the engine's TIMESTAMP format. */
function shown(instant: number, micros = 0): string {
  const text = new Date(instant).toISOString().slice(0, 19).replace('T', ' ');
  const fraction = (((instant % 1000) + 1000) % 1000) * 1000 + micros;
  return fraction === 0 ? text : `${text}.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`;
}

const pad = (value: number, length = 2) => String(value).padStart(length, '0');
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const longMonths = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November'],
  'December',
];
const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The parts of the wall time at this offset from UTC in minutes. */
function parts(instant: number, offset = 0) {
  const wall = new Date(instant + offset * 60_000);
  const [y, mo, d] = [wall.getUTCFullYear(), wall.getUTCMonth() + 1, wall.getUTCDate()];
  const [h, mi, s, ms] = [wall.getUTCHours(), wall.getUTCMinutes(), wall.getUTCSeconds(), wall.getUTCMilliseconds()];
  const size = Math.abs(offset);
  const sign = offset < 0 ? '-' : '+';
  const ordinal = Math.floor((Date.UTC(y, mo - 1, d) - Date.UTC(y, 0, 1)) / 86_400_000) + 1;
  return {
    y,
    mo,
    d,
    h,
    mi,
    s,
    ms,
    weekday: wall.getUTCDay(),
    ordinal,
    hours: `${sign}${pad(Math.floor(size / 60))}`,
    minutes: pad(size % 60),
  };
}

/** The ISO 8601 week by definition: the week of the Thursday. */
function weekOf({ y, mo, d, weekday }: ReturnType<typeof parts>): readonly [year: number, week: number, day: number] {
  const day = weekday === 0 ? 7 : weekday;
  const thursday = new Date(Date.UTC(y, mo - 1, d + 4 - day));
  const year = thursday.getUTCFullYear();
  return [year, Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * 86_400_000)) + 1, day];
}

type Writer = (instant: number, offset: number) => string;

const clock = ({ h, mi, s }: ReturnType<typeof parts>) => `${pad(h)}:${pad(mi)}:${pad(s)}`;
const date = ({ y, mo, d }: ReturnType<typeof parts>) => `${y}-${pad(mo)}-${pad(d)}`;

const halfDay = ({ h, mi, s }: ReturnType<typeof parts>) =>
  `${pad(h % 12 || 12)}:${pad(mi)}:${pad(s)} ${h < 12 ? 'AM' : 'PM'}`;

/** All notations of a whole second, with an offset or in UTC. */
const forms: Readonly<Record<string, Writer>> = {
  'ISO with Z': (t) => `${date(parts(t))}T${clock(parts(t))}Z`,
  'ISO with t and z': (t) => `${date(parts(t))}t${clock(parts(t))}z`,
  'ISO with an offset': (t, o) =>
    `${date(parts(t, o))}T${clock(parts(t, o))}${parts(t, o).hours}:${parts(t, o).minutes}`,
  'ISO with a short offset': (t, o) =>
    `${date(parts(t, o))}T${clock(parts(t, o))}${parts(t, o).hours}${parts(t, o).minutes}`,
  'ISO without a zone': (t) => `${date(parts(t))}T${clock(parts(t))}`,
  'ISO with a comma': (t) => `${date(parts(t))}T${clock(parts(t))},000Z`,
  'ISO, basic': (t) => `${date(parts(t)).replaceAll('-', '')}T${clock(parts(t)).replaceAll(':', '')}Z`,
  'ISO, basic with an offset': (t, o) =>
    `${date(parts(t, o)).replaceAll('-', '')}T${clock(parts(t, o)).replaceAll(':', '')}${parts(t, o).hours}${parts(t, o).minutes}`,
  'ISO with a 12-hour clock': (t) => `${date(parts(t))} ${halfDay(parts(t))}`,
  'Go, with the name of the zone': (t) => `${date(parts(t))} ${clock(parts(t))}.000 +0000 UTC`,
  'digits alone': (t) => `${date(parts(t))}${clock(parts(t))}`.replaceAll(/[-:]/g, ''),
  'digits alone, with milliseconds': (t) => `${date(parts(t))}${clock(parts(t))}000`.replaceAll(/[-:]/g, ''),
  'dots and the year first': (t) => `${date(parts(t)).replaceAll('-', '.')} ${clock(parts(t))}`,
  Hungarian: (t) => `${date(parts(t)).replaceAll('-', '.')}. ${clock(parts(t))}`,
  Korean: (t) => `${parts(t).y}. ${parts(t).mo}. ${parts(t).d}. ${clock(parts(t))}`,
  Japanese: (t) => `${parts(t).y}年${parts(t).mo}月${parts(t).d}日 ${clock(parts(t))}`,
  'Oracle, with a 12-hour clock': (t) => {
    const { d, mo, y } = parts(t);
    const name = months[mo - 1]!.toUpperCase();
    return `${pad(d)}-${name}-${y} ${halfDay(parts(t)).replaceAll(':', '.').replace(' ', '.000000 ')}`;
  },
  'ISO, by week': (t) => {
    const [year, week, day] = weekOf(parts(t));
    return `${year}-W${pad(week)}-${day}T${clock(parts(t))}Z`;
  },
  'ISO, by day of the year': (t) => `${parts(t).y}-${pad(parts(t).ordinal, 3)}T${clock(parts(t))}Z`,
  'with a blank and UTC': (t) => `${date(parts(t))} ${clock(parts(t))} UTC`,
  'with blanks and an offset': (t, o) =>
    `${date(parts(t, o))} ${clock(parts(t, o))} ${parts(t, o).hours}${parts(t, o).minutes}`,
  'with a blank': (t) => `${date(parts(t))} ${clock(parts(t))}`,
  'RFC 2822': (t, o) => {
    const { weekday, d, mo, y, hours, minutes } = parts(t, o);
    return `${days[weekday]}, ${pad(d)} ${months[mo - 1]} ${y} ${clock(parts(t, o))} ${hours}${minutes}`;
  },
  'RFC 2822, GMT, without weekday': (t) => {
    const { d, mo, y } = parts(t);
    return `${d} ${months[mo - 1]} ${y} ${clock(parts(t))} GMT`;
  },
  Apache: (t, o) => {
    const { d, mo, y, hours, minutes } = parts(t, o);
    return `${pad(d)}/${months[mo - 1]}/${y}:${clock(parts(t, o))} ${hours}${minutes}`;
  },
  'Apache in brackets': (t, o) => {
    const { d, mo, y, hours, minutes } = parts(t, o);
    return `[${pad(d)}/${months[mo - 1]}/${y}:${clock(parts(t, o))} ${hours}${minutes}]`;
  },
  Kibana: (t) => {
    const { d, mo, y } = parts(t);
    return `${months[mo - 1]} ${d}, ${y} @ ${clock(parts(t))}.000`;
  },
  'a Date of JavaScript': (t, o) => {
    const { weekday, d, mo, y, hours, minutes } = parts(t, o);
    return `${days[weekday]} ${months[mo - 1]} ${pad(d)} ${y} ${clock(parts(t, o))} GMT${hours}${minutes} (Some Standard Time)`;
  },
  'the command date': (t) => {
    const { weekday, d, mo, y } = parts(t);
    return `${days[weekday]} ${months[mo - 1]} ${String(d).padStart(2)} ${clock(parts(t))} UTC ${y}`;
  },
  'a month name and a 12-hour clock': (t) => {
    const { d, mo, y } = parts(t);
    const [hour = 0, minute = 0, second = 0] = clock(parts(t)).split(':').map(Number);
    const ordinal = ['th', 'st', 'nd', 'rd'][d > 3 && d < 21 ? 0 : d % 10] ?? 'th';
    return `${longMonths[mo - 1]} ${d}${ordinal}, ${y} at ${hour % 12 || 12}:${pad(minute)}:${pad(second)}${hour < 12 ? ' a.m.' : 'PM'}`;
  },
  'a month name in the middle': (t) => {
    const { d, mo, y } = parts(t);
    return `${d}-${months[mo - 1]}-${y} ${clock(parts(t))}`;
  },
  seconds: (t) => String(t / 1000),
  'seconds with a fraction': (t) => `${t / 1000}.000`,
  milliseconds: (t) => String(t),
  microseconds: (t) => `${t}000`,
  nanoseconds: (t) => `${t}000000`,
};

// Numbers are unambiguous between 1973 and 2286.
const second = fc.integer({ min: Date.UTC(1973, 3) / 1000, max: Date.UTC(2099, 11) / 1000 }).map((s) => s * 1000);
const offset = fc.integer({ min: -56, max: 56 }).map((quarters) => quarters * 15);

describe('a column of times', () => {
  it('is read to the minute, too', async () => {
    const texts = ['2024-03-08T10:05+02:00', '2024-03-08T10:05Z', '2024-03-08T10:05-0330', '2024-03-08T10+02'];
    expect(await readTimes(texts)).toEqual([
      ...['2024-03-08 08:05:00', '2024-03-08 10:05:00', '2024-03-08 13:35:00', '2024-03-08 08:00:00'],
    ]);
  });

  it('is read with month names of any length, and years of two digits', async () => {
    const meanings = {
      '8-Mar-24': '2024-03-08 00:00:00',
      '08/Mar/24 9:30 PM': '2024-03-08 21:30:00',
      '08 Mar 2024': '2024-03-08 00:00:00',
      '8 March 2024, 9:30': '2024-03-08 09:30:00',
      'March 8, 2024': '2024-03-08 00:00:00',
      'Sept. 8, 2024': '2024-09-08 00:00:00',
      'Sep. 8, 2024 9:30 PM': '2024-09-08 21:30:00',
      'Friday, March 8, 2024 9:30:15 AM': '2024-03-08 09:30:15',
      'Mar 8 2024 09:30:15.250+01:00': '2024-03-08 08:30:15.25',
      'Fri Mar  8 09:30:15 2024': '2024-03-08 09:30:15',
      'Fri Mar 8 09:30:15 +0100 2024': '2024-03-08 08:30:15',
      'Fri Mar 8 09:30:15 2024 -0330': '2024-03-08 13:00:15',
      'May 31, 2024 12:05 AM': '2024-05-31 00:05:00',
      'Mar 32, 2024': undefined,
      'Mars 8, 2024': undefined,
      'Mar 8, 24': undefined,
      'version 8 2024': undefined,
    };
    expect(await readTimes(Object.keys(meanings))).toEqual(Object.values(meanings));
  });

  it.each(Object.entries(forms))('is read: %s', async (_, write) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(second, offset), { minLength: 1, maxLength: 30 }), async (instants) => {
        const texts = instants.map(([instant, from]) => write(instant, from));
        expect(await readTimes(texts)).toEqual(instants.map(([instant]) => shown(instant)));
      }),
      { numRuns: runs(4) },
    );
  });

  it.each([
    ['day-first', ({ d, mo, y }: ReturnType<typeof parts>) => `${pad(d)}/${pad(mo)}/${y}`],
    ['month-first', ({ d, mo, y }: ReturnType<typeof parts>) => `${mo}/${d}/${y}`],
  ] as const)('is read %s if some day is above 12', async (format, written) => {
    await fc.assert(
      fc.asyncProperty(fc.array(second, { minLength: 1, maxLength: 20 }), async (instants) => {
        const all = [...instants, Date.UTC(2024, 2, 31, 23, 5, 9)];
        const texts = all.map((instant) => `${written(parts(instant))} ${clock(parts(instant))}`);
        expect(await readTimes(texts)).toEqual(all.map((instant) => shown(instant)));
        const declared = await readTimes(texts.slice(0, -1), { timeFormat: format as TimeFormat });
        expect(declared).toEqual(instants.map((instant) => shown(instant)));
      }),
      { numRuns: runs(6) },
    );
  });

  it('is read with a 12-hour clock as programs of several languages write it', async () => {
    const meanings = {
      '3/14/2024, 9:05:07\u202fPM': '2024-03-14 21:05:07',
      '3/14/2024 9:05:07 p. m.': '2024-03-14 21:05:07',
      '3/14/2024, 9:05 a.\u00a0m.': '2024-03-14 09:05:00',
      '3/14/2024 12:05am': '2024-03-14 00:05:00',
      '3/14/2024 13:05 PM': undefined,
    };
    expect(await readTimes(Object.keys(meanings))).toEqual(Object.values(meanings));
    expect(await readTimes(['March 14, 2024 at 9:05:07\u202fPM'])).toEqual(['2024-03-14 21:05:07']);
  });

  it('is read as days if all are numbers that spreadsheets write for recent dates', async () => {
    const serials = ['45364.541666666664', '45364', '45364,5', '45364.75', '45365.9999999884'];
    const wall = ['13 13:00:00', '13 00:00:00', '13 12:00:00', '13 18:00:00', '14 23:59:59.999'];
    expect(await readTimes(serials)).toEqual(wall.map((time) => `2024-03-${time}`));
    const [local] = await readTimes(serials, { timezone: 'Europe/Berlin' });
    expect(local).toBe('2024-03-13 12:00:00');
    await expect(readTimes(['453', '90000'])).rejects.toMatchObject({ code: 'time-unreadable' });
    expect(await readTimes(['1', '60.5'], { timeFormat: 'excel' })).toEqual([
      '1899-12-31 00:00:00',
      '1900-02-28 12:00:00',
    ]);
  });

  it('has no years of two digits, and no numbers that lost their digits', async () => {
    await expect(readTimes(['11/02/24 10:00', '12/03/24 11:00'])).rejects.toMatchObject({ code: 'time-unreadable' });
    expect(await readTimes(['2024-03-14 10:00', '11/02/24 10:00'])).toEqual(['2024-03-14 10:00:00', undefined]);
    await expect(readTimes(['1.71045E+12', '1.7105E+12'])).rejects.toMatchObject({
      code: 'time-unreadable',
      hint: expect.stringContaining('rounded'),
    });
    expect(await readTimes(['1.710410711e+09'])).toEqual(['2024-03-14 10:05:11']);
  });

  it('of digits alone is read to the hour or minute if all values are dates', async () => {
    expect(await readTimes(['2024031410', '202403142205'])).toEqual(['2024-03-14 10:00:00', '2024-03-14 22:05:00']);
    expect(await readTimes(['2024031410', '2024031422'], { timezone: 'Europe/Berlin' })).toEqual([
      '2024-03-14 09:00:00',
      '2024-03-14 21:00:00',
    ]);
    expect(await readTimes(['2024031410', '2024139922'])).toEqual(['2034-02-20 06:56:50', '2034-02-21 13:05:22']);
  });

  it('is an error that asks for the format if no day tells the order, or days tell both', async () => {
    await expect(readTimes(['03/04/2024 10:00', '05/06/2024 10:00'])).rejects.toMatchObject({
      code: 'time-order-ambiguous',
    });
    await expect(readTimes(['13/04/2024 10:00', '05/26/2024 10:00'])).rejects.toMatchObject({
      code: 'time-order-ambiguous',
    });
    expect(await readTimes(['03/03/2024 1:05 PM'])).toEqual(['2024-03-03 13:05:00']);
    // Dates with dots have the day first, unless some day shows otherwise.
    expect(await readTimes(['03.04.2024 10:00', '05.06.2024'])).toEqual(['2024-04-03 10:00:00', '2024-06-05 00:00:00']);
    expect(await readTimes(['03.04.2024', '05.26.2024'])).toEqual(['2024-03-04 00:00:00', '2024-05-26 00:00:00']);
  });

  it('is decided over all of the file, never row by row', async () => {
    const head = Array.from({ length: 1200 }, (_, n) => String(1_700_000_000 + n));
    const rest = Array.from({ length: 2000 }, (_, n) => String(1_700_000_000_000 + n));
    const read = await readTimes([...head, ...rest]);
    expect(read.slice(0, 1200).every((time) => time === undefined)).toBe(true);
    expect(read.slice(1200).every((time) => time?.startsWith('2023-11-14 22:13'))).toBe(true);
  });

  it.each(['UTC', 'Asia/Tokyo'])('is read value by value, whatever zones the others name: %s', async (timezone) => {
    const hour = timezone === 'UTC' ? 10 : 1;
    const meanings = {
      '2024-07-01 10:00:00 EST': '15:00',
      '2024-07-01 10:00:00EDT': '14:00',
      '2024-07-01 10:00:00 PST': '18:00',
      '2024-07-01 10:00:00 PDT': '17:00',
      '2024-07-01 10:00:00 CET': '09:00',
      '2024-07-01 10:00:00 cest': '08:00',
      '2024-07-01 10:00:00 JST': '01:00',
      '2024-07-01 10:00:00 UTC': '10:00',
      '2024-07-01 10:00:00 America/New_York': '14:00',
      '2024-07-01 10:00:00 America/Port-au-Prince': '14:00',
      '2024-07-01T10:00:00 Asia/Kolkata': '04:30',
      '2024-07-01 10:00:00 Etc/GMT+5': '15:00',
      '2024-07-01 10:00:00 UTC+5': '05:00',
      '2024-07-01 10:00:00 EST5EDT': '14:00',
      '2024-07-01 10:00:00 Singapore': '02:00',
      '2024-07-01 10:00:00+05:30': '04:30',
      '2024-07-01 10:00:00Z': '10:00',
      // Abbreviations with several meanings have none.
      '2024-07-01 10:00:00 BST': undefined,
      '2024-07-01 10:00:00 CST': undefined,
      '2024-07-01 10:00:00 IST': undefined,
      '2024-07-01 10:00:00 Nowhere': undefined,
      // In the zone of the mapping.
      '2024-07-01 10:00:00': `${pad(hour)}:00`,
      '2024/07/01 10:00:00': `${pad(hour)}:00`,
      '2024-07-01T10:00:00.5': `${pad(hour)}:00:00.5`,
      '20240701T100000': `${pad(hour)}:00`,
    };
    const entry = fc.constantFrom(...Object.entries(meanings));
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 40, maxLength: 60 }), async (entries) => {
        const read = await readTimes(
          entries.map(([text]) => text),
          { timezone, timeFormat: 'iso' },
        );
        const wanted = entries.map(([, time]) => time && `2024-07-01 ${time.length > 5 ? time : `${time}:00`}`);
        expect(read).toEqual(wanted);
      }),
      { numRuns: runs(10) },
    );
  });

  it('keeps fractions to the microsecond', async () => {
    expect(await readTimes(['1700000000.123456', '1700000000'])).toEqual([
      '2023-11-14 22:13:20.123456',
      '2023-11-14 22:13:20',
    ]);
    expect(await readTimes(['1700000000123456789'])).toEqual(['2023-11-14 22:13:20.123456']);
    expect(await readTimes(['2024-03-08T10:00:00.123456Z'])).toEqual(['2024-03-08 10:00:00.123456']);
  });

  it('is refused with the value and the accepted forms if it is none', async () => {
    await expect(readTimes(['yesterday', 'noon'])).rejects.toMatchObject({
      code: 'time-unreadable',
      message: expect.stringContaining('"noon"'),
      hint: expect.stringContaining('ISO 8601'),
    });
  });

  it('takes a declared pattern, and numbers of any year where their unit is declared', async () => {
    expect(await readTimes(['8.3.2024 9h05'], { timeFormat: '%d.%m.%Y %Hh%M' })).toEqual(['2024-03-08 09:05:00']);
    expect(await readTimes(['0', '-86400'], { timeFormat: 'seconds' })).toEqual([
      '1970-01-01 00:00:00',
      '1969-12-31 00:00:00',
    ]);
  });

  it('takes the zone of a declared pattern from its name, never from a guess', async () => {
    const texts = ['PST', 'EDT', 'CEST', 'UTC', 'America/New_York', 'BST', 'CST', 'IST'].map(
      (zone) => `01.07.2024 10:00 ${zone}`,
    );
    expect(await readTimes(texts, { timeFormat: '%d.%m.%Y %H:%M %Z' })).toEqual([
      ...['18:00', '14:00', '08:00', '10:00', '14:00'].map((time) => `2024-07-01 ${time}:00`),
      ...[undefined, undefined, undefined],
    ]);
  });

  it.each([
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
    'Africa/Monrovia',
    'America/St_Johns',
  ])('without a zone is of the one that is declared: %s', async (zone) => {
    // The first instant at which the clock shows the time; the jump if it never does.
    const oracle = (wall: string): string => {
      const wanted = Date.parse(`${wall}Z`);
      const at = (instant: number) => Date.parse(`${wallByIntl(instant, zone)}Z`);
      for (let instant = wanted - 15 * 3_600_000; instant <= wanted + 15 * 3_600_000; instant += 60_000) {
        const start = instant + (wanted % 60_000);
        if (at(start) === wanted) return shown(start);
        if (at(start) < wanted && at(start + 60_000) > wanted && at(start + 60_000) - at(start) > 60_000) {
          for (let s = start; ; s += 1000) if (at(s) > wanted) return shown(s);
        }
      }
      throw new Error(`no instant for ${wall}`);
    };
    const changes = [
      '2024-03-31T02:30:00',
      '2024-10-27T02:30:00',
      '2024-03-10T02:15:00',
      '2024-11-03T01:15:00',
      '2024-04-07T01:45:00',
      '2024-10-06T02:10:00',
    ];
    const far = ['1975-05-01T02:30:00', '1985-03-31T02:30:00', '1994-12-31T23:59:00', '1995-01-05T00:00:00'];
    const late = ['2049-12-31T23:59:00', '2050-07-01T12:00:00', '2061-03-27T02:30:00'];
    const walls = [...changes, '2024-07-01T12:00:00', '2024-01-01T00:00:00', '1999-12-31T23:59:00', ...far, ...late];
    expect(await readTimes(walls, { timezone: zone })).toEqual(walls.map(oracle));
    const named = walls.map((wall) => `${wall}Z`);
    expect(await readTimes(named, { timezone: zone })).toEqual(named.map((text) => shown(Date.parse(text))));
  });
});

it('reads an offset after a blank, as Ruby and git write it, also in files of canonical columns', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          instant: fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2040, 0, 1) }),
          offset: fc.integer({ min: -12 * 4, max: 14 * 4 }).map((quarters) => quarters * 15),
          colon: fc.constantFrom('', ':'),
          blank: fc.constantFrom(' ', '  '),
          middle: fc.constantFrom(' ', 'T'),
        }),
        { minLength: 1, maxLength: 20 },
      ),
      async (times) => {
        const texts = times.map(({ instant, offset, colon, blank, middle }) => {
          const wall = parts(instant, offset);
          return `${date(wall)}${middle}${clock(wall)}.${pad(wall.ms, 3)}${blank}${wall.hours}${colon}${wall.minutes}`;
        });
        const expected = times.map(({ instant }) => shown(instant));
        expect(await readTimes(texts)).toEqual(expected);
        number += 1;
        const lines = texts.map((utcTime, row) => JSON.stringify({ utcTime, eventType: String(row) }));
        const { rows, rejected } = await readAll(engine, folder.write(`times-${number}.ndjson`, lines.join('\n')));
        const byRow = new Map(rows.map((row) => [row['event_type'], row['utc_time']]));
        expect([texts.map((_, row) => byRow.get(String(row))), rejected]).toEqual([expected, []]);
      },
    ),
    { numRuns: runs(20) },
  );
});
