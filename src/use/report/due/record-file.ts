import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { BackendError } from '../../../ask/sluice-error.ts';
import { systemReason } from '../../../run/file/system-error.ts';
import { makeOwnFolder, ownerOnly } from '../../../run/file/owner-only.ts';
import { readJson } from '../../../ask/document/parse-exactly.ts';

/** The slot whose report is meant: an ISO instant, or null for a run by hand. */
const slot = z.iso.datetime().nullable();

/** A run has begun on a slot; only the first of a report is written down. */
const begun = z.object({ kind: z.literal('begun'), slot: z.iso.datetime() });

/** The report of a slot has reached somebody, and is not sent there again. `to` is the delivery's own mark. */
const delivered = z.object({ kind: z.literal('delivered'), slot: z.iso.datetime(), to: z.string() });

/** A run is over, well or not. */
const run = z.object({
  kind: z.literal('run'),
  slot,
  /** ISO instant: when it began. */
  started: z.iso.datetime(),
  elapsedMs: z.number(),
  /** Of all that it wrote and sent. */
  bytes: z.number(),
  exit: z.number(),
  formats: z.array(z.string()),
  /** Whether the slot is done with. */
  settled: z.boolean(),
  /** It was not delivered yet, because its data were not fresh. */
  waiting: z.boolean().optional(),
});

/**
 * What alerts came to at a slot, or the schedule itself (`slot: null`), by what they are about. `notices`: the numbers
 * of those that somebody is to be told of, in order.
 */
const judged = z.object({
  kind: z.literal('judged'),
  slot,
  states: z.record(z.string(), z.enum(['raised', 'clear', 'late', 'failed'])),
  notices: z.array(z.string()),
});

/** Somebody was told of a notice, and is not told of it again. `to` is the delivery's own mark. */
const told = z.object({
  kind: z.literal('told'),
  slot: z.null(),
  notice: z.string(),
  to: z.string(),
});

/** A line of the record of a report. */
const runRecordSchema = z.discriminatedUnion('kind', [begun, delivered, run, judged, told]);

export type RunRecord = Readonly<z.infer<typeof runRecordSchema>>;

export type FinishedRun = Extract<RunRecord, { kind: 'run' }>;

/** What a report's file of records says. */
interface RunHistory {
  readonly records: readonly RunRecord[];
  /** Lines that say nothing that can be used. What a run that was killed left unfinished is not among them. */
  readonly strange: number;
}

/**
 * The runs of a report, a line each, in the order in which they ended. Nothing in it is ever changed, lines are added.
 */
export interface RecordFile {
  /** Absolute. */
  readonly path: string;
  read(): Promise<RunHistory>;
  /** Resolves when the line is on the disk. */
  append(record: RunRecord): Promise<void>;
}

/** Opens the file, which need not be there. Errors: `file-unwritable`, `file-unreadable`. */
export function openRecordFile(file: string): RecordFile {
  return {
    path: file,
    async read() {
      const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
        if (cause.code === 'ENOENT') return '';
        throw new BackendError(`${file} cannot be read (${cause.code ?? 'unknown'}).`, {
          code: 'file-unreadable',
          cause,
          hint: 'It records which reports ran. Check its permissions.',
        });
      });
      return readRecords(text);
    },
    async append(record) {
      try {
        await makeOwnFolder(path.dirname(file));
        await using handle = await open(file, 'a+', ownerOnly.file);
        // Behind half a line, which a killed run left, the next one begins anew.
        const whole = await endsLine(handle);
        await handle.appendFile(`${whole ? '' : '\n'}${JSON.stringify(record)}\n`);
        await handle.sync();
      } catch (cause) {
        throw new BackendError(`${file} cannot be written: ${systemReason(cause as NodeJS.ErrnoException)}.`, {
          code: 'file-unwritable',
          cause,
          hint: 'It records which reports ran. Check its permissions, or specify another folder with --state.',
        });
      }
    },
  };
}

async function endsLine(handle: Awaited<ReturnType<typeof open>>): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

/** The half line that a killed run left begins as every record does, and does not end as one. */
export function readRecords(text: string): RunHistory {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const read = lines.map((line) => runRecordSchema.safeParse(readJson(line)).data);
  const strange = lines.filter(
    (line, index) => read[index] === undefined && !(line.startsWith('{') && !line.endsWith('}')),
  ).length;
  return { records: read.filter((record) => record !== undefined), strange };
}
