import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { BackendError } from '../../../ask/sluice-error.ts';
import { plural } from '../../../ask/text.ts';
import { systemReason } from '../../../run/file/system-error.ts';
import { makeOwnFolder, ownerOnly } from '../../../run/file/owner-only.ts';
import { readJson } from '../../../ask/document/parse-exactly.ts';

/** The slot of the report: an ISO instant, or null for a manual run. */
const slot = z.iso.datetime().nullable();

/** A run of a slot began. Nothing is delivered if this cannot be recorded, because nobody would know of it. */
const begun = z.object({ kind: z.literal('begun'), slot: z.iso.datetime() });

/** The report of a slot was delivered, and is not sent there again. `to` is the mark of the delivery. */
const delivered = z.object({ kind: z.literal('delivered'), slot: z.iso.datetime(), to: z.string() });

/** A run ended, successfully or not. */
const run = z.object({
  kind: z.literal('run'),
  slot,
  /** ISO instant of its start. */
  started: z.iso.datetime(),
  elapsedMs: z.number(),
  /** Total size of its files and messages. */
  bytes: z.number(),
  exit: z.number(),
  formats: z.array(z.string()),
  /** True if the slot needs no further run. */
  settled: z.boolean(),
  /** True if delivery waits for fresh data. */
  waiting: z.boolean().optional(),
  /** Why it failed, in sentences. */
  reasons: z.array(z.string()).optional(),
});

/**
 * States of alerts at a slot, or of the schedule itself (`slot: null`), by subject. `notices`: IDs of the notices to
 * send, in order.
 */
const judged = z.object({
  kind: z.literal('judged'),
  slot,
  states: z.record(z.string(), z.enum(['raised', 'clear', 'late', 'failed'])),
  notices: z.array(z.string()),
});

/** A notice was sent, and is not sent there again. `to` is the mark of the delivery. */
const told = z.object({
  kind: z.literal('told'),
  slot: z.null(),
  notice: z.string(),
  to: z.string(),
});

/** A run dated in the future was found at this time: its clock was ahead. */
const clock = z.object({ kind: z.literal('clock'), slot: z.null(), at: z.iso.datetime() });

/** A line of a report's record file. */
const runRecordSchema = z.discriminatedUnion('kind', [begun, delivered, run, judged, told, clock]);

export type RunRecord = Readonly<z.infer<typeof runRecordSchema>>;

export type FinishedRun = Extract<RunRecord, { kind: 'run' }>;

const mostReasons = 10;
const mostLetters = 500;

/** The reasons of a run for its record; undefined if it has none. */
export function toReasons(reasons: readonly string[]): Pick<FinishedRun, 'reasons'> | undefined {
  const cut = (text: string) => (text.length > mostLetters ? `${text.slice(0, mostLetters - 1)}…` : text);
  return reasons.length === 0 ? undefined : { reasons: [...new Set(reasons)].slice(0, mostReasons).map(cut) };
}

/** The contents of a report's record file. */
interface RunHistory {
  readonly records: readonly RunRecord[];
  /** Number of invalid lines, apart from incomplete lines of killed runs. */
  readonly strange: number;
}

/** The runs of a report, one line each, in the order in which they ended. Append-only. */
export interface RecordFile {
  /** Absolute. */
  readonly path: string;
  read(): Promise<RunHistory>;
  /** Resolves when the line is on disk. */
  append(record: RunRecord): Promise<void>;
}

/** Opens the file, which may not exist yet. Errors: `file-unwritable`, `file-unreadable`. */
export function openRecordFile(file: string): RecordFile {
  return {
    path: file,
    async read() {
      const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
        if (cause.code === 'ENOENT') return '';
        throw new BackendError(`${file} cannot be read: ${systemReason(cause)}.`, {
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
        // Start a new line after an incomplete one of a killed run.
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

/** Parses records. An incomplete line of a killed run begins like a record but does not end like one. */
export function readRecords(text: string): RunHistory {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const read = lines.map((line) => runRecordSchema.safeParse(readJson(line)).data);
  const strange = lines.filter(
    (line, index) => read[index] === undefined && !(line.startsWith('{') && !line.endsWith('}')),
  ).length;
  return { records: read.filter((record) => record !== undefined), strange };
}

/** Says that a record file has lines that cannot be read. */
export function tellStrange({ path: file }: RecordFile, strange: number): string {
  const ignored = plural(strange, 'It is ignored, so a slot', 'They are ignored, so slots');
  return `${file} has ${strange} ${plural(strange, 'line')} that cannot be read. ${ignored} may run again.`;
}
