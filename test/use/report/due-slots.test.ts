import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSchedule } from '../../../src/tell/schedule/read-schedule.ts';
import { dueSlots } from '../../../src/tell/schedule/schedule-slots.ts';
import type { Schedule } from '../../../src/tell/schedule/schedule.ts';
import {
  openRecordFile,
  readRecords,
  type RecordFile,
  type RunRecord,
} from '../../../src/use/report/due/record-file.ts';
import { runDue } from '../../../src/use/report/due/run-due.ts';
import { showInstant } from '../../../src/use/report/run/tell-schedule.ts';

const hour = 3_600_000;

function scheduleOf(text: string): Schedule {
  const read = readSchedule(text);
  if (!read.ok) throw new Error(text);
  return read.value;
}

/** The outcome of a slot: done, failed, or the process ended at some moment. */
type Fate = 'done' | 'fails' | 'dies' | 'dies before the record' | 'dies within the record';

const fates = fc.array(
  fc.constantFrom<Fate>('done', 'done', 'fails', 'dies', 'dies before the record', 'dies within the record'),
  { minLength: 0, maxLength: 4 },
);
const calls = fc.array(fc.record({ waits: fc.integer({ min: 0, max: 50 * 24 }), fates }), {
  minLength: 1,
  maxLength: 5,
});

class Death extends Error {}

const recordsOf = (file: string) => readRecords(readFileSync(file, 'utf8')).records;

describe('what is due', () => {
  it('is done slot by slot, each once, whatever happens on the way, and what fails holds up no other', async () => {
    const root = mkdtempSync(path.join(tmpdir(), 'sluice-test-'));
    try {
      let number = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(
            '15 */4 * * *',
            'daily at 02:30',
            'weekdays at 06:00',
            '*/30 3 * * *',
            'weekly on sunday at 23:59',
          ),
          fc.constantFrom('Europe/Berlin', 'UTC', 'America/St_Johns'),
          // Around the last Sunday of October, when daylight saving time ends.
          fc.integer({ min: 0, max: 10 * 24 }).map((hours) => Date.parse('2026-10-20T00:17:31Z') + hours * hour),
          calls,
          async (text, zone, start, story) => {
            const schedule = scheduleOf(text);
            const file = path.join(root, `${number++}.ndjson`);
            const outputs: number[] = [];
            /** Runs that did not settle a slot: they failed, or ended before they were recorded. */
            let fatesLost = 0;
            let now = start;
            const call = async (fatesLeft: Fate[]) => {
              let fate: Fate = 'done';
              const real = openRecordFile(file);
              const records: RecordFile = {
                ...real,
                async append(record) {
                  if (record.kind === 'run' && fate === 'dies before the record') throw new Death();
                  if (fate !== 'dies within the record' || record.kind !== 'run') return real.append(record);
                  const line = JSON.stringify(record);
                  appendFileSync(file, line.slice(0, 1 + (line.length >> 1)));
                  throw new Death();
                },
              };
              const run = async ({ slot }: { readonly slot: number }) => {
                fate = fatesLeft.shift() ?? 'done';
                if (fate === 'dies') throw new Death();
                outputs.push(slot);
                if (fate !== 'done') fatesLost += 1;
                return {
                  started: new Date(now).toISOString(),
                  elapsedMs: 1,
                  bytes: 1,
                  exit: fate === 'fails' ? 1 : 0,
                  formats: ['html'],
                  settled: fate !== 'fails',
                };
              };
              try {
                for await (const _ of runDue({ schedule, zone, records }, { now }, run));
              } catch (error) {
                if (!(error instanceof Death)) throw error;
              }
            };
            for (const { waits, fates: ahead } of story) {
              now += waits * 60_000;
              await call([...ahead]);
            }
            await call([]);
            const runs = recordsOf(file).flatMap((record) => (record.kind === 'run' ? [record] : []));
            const settled = runs.filter((run) => run.settled).map(({ slot }) => Date.parse(slot ?? ''));
            const [begun] = recordsOf(file);
            const first = begun?.slot === undefined || begun.slot === null ? now : Date.parse(begun.slot);
            // The first slot is the latest at the first call; then all slots follow.
            const monthBefore = { latest: start - 40 * 24 * hour, open: [] };
            expect(dueSlots(schedule, zone, monthBefore, start + story[0]!.waits * 60_000).at(-1)).toBe(first);
            expect([...settled].sort((a, b) => a - b)).toEqual(
              dueSlots(schedule, zone, { latest: first - 1, open: [] }, now),
            );
            // A settled slot is not output again, unless the process ended before it was recorded.
            expect(outputs.length).toBeLessThanOrEqual(settled.length + fatesLost);
            const before = outputs.length;
            await call([]);
            expect(outputs).toHaveLength(before);
          },
        ),
        { numRuns: 80 },
      );
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

function recordsInMemory(): RecordFile {
  const records: RunRecord[] = [];
  return {
    path: 'days.ndjson',
    read: () => Promise.resolve({ records: [...records], strange: 0 }),
    append: (record) => Promise.resolve(void records.push(record)),
  };
}

it('runs nothing if its runs cannot be recorded, also after it could', async () => {
  const records = recordsInMemory();
  const ran: number[] = [];
  const call = async (now: number, isFull: boolean) => {
    const append = isFull ? () => Promise.reject(new Error('full')) : records.append;
    const run = ({ slot }: { readonly slot: number }) => {
      ran.push(slot);
      return Promise.resolve({
        started: new Date(now).toISOString(),
        elapsedMs: 1,
        bytes: 1,
        exit: 0,
        formats: [],
        settled: true,
      });
    };
    const schedule = scheduleOf('hourly');
    for await (const _ of runDue({ schedule, zone: 'UTC', records: { ...records, append } }, { now }, run));
  };
  const start = Date.parse('2024-03-01T12:00Z');
  await call(start, false);
  await expect(call(start + hour, true)).rejects.toThrow('full');
  expect(ran).toEqual([start]);
  await call(start + hour, false);
  expect(ran).toEqual([start, start + hour]);
});

it('runs each slot when it comes, also if a clock that was ahead ran it before', async () => {
  const start = Date.parse('2024-03-01T12:00Z');
  for (const text of ['daily at 06:00', 'hourly', 'weekly on sunday at 23:59'])
    for (const offset of [3, 14, 20, 30, 24 * 20]) {
      const schedule = scheduleOf(text);
      const records = recordsInMemory();
      const runs: { readonly slot: number; readonly at: number }[] = [];
      // Every hour, while the clock is right for six days, ahead for two, and right again.
      for (let at = start; at < start + 40 * 24 * hour; at += hour) {
        const isAhead = at >= start + 6 * 24 * hour && at < start + 8 * 24 * hour;
        const now = at + (isAhead ? offset * hour : 0) + (runs.length % 7) * 1000;
        const run = ({ slot }: { readonly slot: number }) => {
          runs.push({ slot, at });
          const started = new Date(now).toISOString();
          return Promise.resolve({ started, elapsedMs: 900, bytes: 1, exit: 0, formats: [], settled: true });
        };
        for await (const _ of runDue({ schedule, zone: 'UTC', records }, { now }, run));
      }
      const mended = start + 8 * 24 * hour;
      const expected = dueSlots(schedule, 'UTC', { latest: mended + hour, open: [] }, start + 39 * 24 * hour);
      for (const slot of expected) {
        const own = runs.filter((one) => one.slot === slot && one.at >= mended).map(({ at }) => at - slot);
        expect(own, `${text}, ${offset} hours, ${new Date(slot).toISOString()}`).toHaveLength(1);
        expect(own[0]).toBeLessThanOrEqual(hour);
      }
    }
});

it('runs no more than a day again after a clock that was behind', async () => {
  const start = Date.parse('2024-03-01T06:00:30Z');
  for (const behind of [4 * 24 * hour, start - 1000]) {
    const records = recordsInMemory();
    let count = 0;
    for (let at = start; at < start + 20 * 24 * hour; at += hour) {
      const now = at === start + 10 * 24 * hour + 5 * hour ? at - behind : at;
      const run = () => {
        count += 1;
        const started = new Date(now).toISOString();
        return Promise.resolve({ started, elapsedMs: 900, bytes: 1, exit: 0, formats: [], settled: true });
      };
      for await (const _ of runDue({ schedule: scheduleOf('daily at 06:00'), zone: 'UTC', records }, { now }, run));
    }
    expect(count).toBeLessThanOrEqual(22);
  }
});

it('a time that occurs twice is shown with its offset', () => {
  const shown = [0, 1, 2].map((hour) => showInstant(Date.UTC(2024, 9, 27, hour), 'Europe/Berlin'));
  expect(shown).toEqual(['2024-10-27 02:00 +02:00', '2024-10-27 02:00 +01:00', '2024-10-27 03:00']);
});
