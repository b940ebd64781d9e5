import * as z from 'zod';

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
export const runRecordSchema = z.discriminatedUnion('kind', [begun, delivered, run, judged, told]);

export type RunRecord = Readonly<z.infer<typeof runRecordSchema>>;

export type FinishedRun = Extract<RunRecord, { kind: 'run' }>;
