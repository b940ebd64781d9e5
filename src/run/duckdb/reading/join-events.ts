import type { Engine } from '../engine/engine.ts';
import { quoteName } from '../engine/sql-text.ts';
import type { EventFiles } from './event-files.ts';
import { joinSpans } from './source/event-span.ts';
import { joinRejected } from './source/rejected-lines.ts';

/** The view `events` over several views of events, by column name. Missing columns are null. */
export async function joinEvents(engine: Engine, byView: Readonly<Record<string, EventFiles>>): Promise<EventFiles> {
  const all = Object.values(byView);
  const join = () =>
    engine.rows(
      `CREATE OR REPLACE VIEW events AS ${Object.keys(byView)
        .map((view) => `SELECT * FROM ${quoteName(view)}`)
        .join(' UNION ALL BY NAME ')}`,
    );
  await join();
  const each = async (work: (events: EventFiles) => Promise<void>) => void (await Promise.all(all.map(work)));
  return {
    files: all.flatMap(({ files }) => files),
    refresh: (statement) => each((events) => events.refresh(statement)),
    noticeChanges: () => each(async (events) => events.noticeChanges?.()),
    columns: () => all.flatMap((events) => events.columns?.() ?? []),
    get generation() {
      return all.reduce((sum, { generation }) => sum + generation, 0);
    },
    mend: async () => (await Promise.all(all.map((events) => events.mend()))).includes(true),
    inspectPacking: () => each((events) => events.inspectPacking()),
    inspectCsv: () => each((events) => events.inspectCsv()),
    inspectFormats: (reach) => each((events) => events.inspectFormats(reach)),
    inspectParquet: () => each((events) => events.inspectParquet()),
    inspectText: () => each((events) => events.inspectText()),
    markTextRead: () => all.forEach((events) => events.markTextRead()),
    async demandFurther() {
      await each((events) => events.demandFurther());
      await join();
    },
    lacking: async (statement, zone) => [
      ...new Set((await Promise.all(all.map((events) => events.lacking(statement, zone)))).flat()),
    ],
    repeats: async () => [...new Set((await Promise.all(all.map((events) => events.repeats?.() ?? []))).flat())],
    get rejected() {
      return joinRejected(
        new Map(all.map(({ rejected }, index) => [String(index), rejected])),
        all.map((_, index) => String(index)),
      );
    },
    async projections() {
      return { why: 'Event files are asked beside the store.' };
    },
    span: async (thoroughly) => joinSpans(await Promise.all(all.map((events) => events.span(thoroughly)))),
  };
}
