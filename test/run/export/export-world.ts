import type { TimeRange } from '../../../src/ask/time/range.ts';
import type { Model } from '../../../src/plan/model/model.ts';
import { readMeta } from '../../../src/plan/model/read-meta.ts';
import { fetchWindow } from '../../../src/run/export/fetch-window.ts';
import { planWindows } from '../../../src/run/export/plan-windows.ts';
import { type Selection, toExportQuery } from '../../../src/run/export/rows/export-query.ts';
import type { ExportSource } from '../../../src/run/export/rows/export-source.ts';
import type { FetchedWindow, Oddity, Spool, Window } from '../../../src/run/export/rows/window.ts';
import { toExportSource } from '../../../src/run/export/to-export-source.ts';
import { openHttp } from '../../../src/run/http/open-http.ts';
import { openPlatform } from '../../../src/run/platform/open-platform.ts';
import { type FakeClock, openFakeClock } from '../http/fake-clock.ts';
import {
  type Manners,
  openScriptedPlatform,
  type PlatformEvent,
  platformMeta,
  type ScriptedPlatform,
} from './scripted-platform.ts';

const read = readMeta(platformMeta);
if (!read.ok) throw new Error('the platform tells no model');
export const platformModel: Model = read.value;

/** 2026-09-01 to 2026-09-30, UTC. */
export const september: TimeRange = { start: Date.UTC(2026, 8, 1), end: Date.UTC(2026, 9, 1) };

export interface ExportWorld extends AsyncDisposable {
  readonly platform: ScriptedPlatform;
  readonly source: ExportSource;
  readonly oddities: readonly Oddity[];
  readonly clock: FakeClock;
}

export interface WorldOptions extends Selection {
  readonly limit?: number;
}

/** A scripted platform and the source of an export from it. */
export async function openExportWorld(
  events: readonly PlatformEvent[] | string,
  manners: Manners = {},
  { limit, ...selection }: WorldOptions = {},
): Promise<ExportWorld> {
  const platform = await openScriptedPlatform(events, manners);
  const clock = openFakeClock();
  const http = openHttp({
    url: platform.url,
    credential: { kind: 'private-token', token: () => 'glpat-abcdefghijklmnop1234' },
    clock,
    random: () => 0.5,
    retryBudgetMs: 3_600_000,
  });
  const backend = await openPlatform({ http, url: platform.url, project: '42', clock });
  const oddities: Oddity[] = [];
  const source = toExportSource(backend, toExportQuery(platformModel, selection), {
    now: Date.UTC(2026, 9, 5),
    limit,
    onOddity: (oddity) => oddities.push(oddity),
  });
  return {
    platform,
    source,
    oddities,
    clock,
    async [Symbol.asyncDispose]() {
      await backend[Symbol.asyncDispose]();
      await platform[Symbol.asyncDispose]();
    },
  };
}

export interface MemorySpool extends Spool {
  text(): string;
}

export function openMemorySpool(): MemorySpool {
  let held: Buffer[] = [];
  return {
    async write(bytes) {
      held.push(Buffer.from(bytes));
    },
    async restart() {
      held = [];
    },
    text: () => Buffer.concat(held).toString(),
  };
}

export interface ExportedWindow {
  readonly window: Window;
  readonly fetched: FetchedWindow;
  readonly text: string;
}

/** Exports the windows of a range in order. */
export async function exportAll(
  { source, clock }: Pick<ExportWorld, 'source' | 'clock'>,
  range: TimeRange,
  { zone = 'UTC', committed }: { readonly zone?: string; readonly committed?: readonly TimeRange[] } = {},
): Promise<readonly ExportedWindow[]> {
  const exported: ExportedWindow[] = [];
  for await (const window of planWindows(source, range, { zone, committed })) {
    const spool = openMemorySpool();
    const fetched = await fetchWindow(source, window, spool, { clock });
    exported.push({ window, fetched, text: spool.text() });
  }
  return exported;
}

export type Row = Readonly<Record<string, string | null>>;

export function rowsOf(exported: readonly ExportedWindow[]): readonly Row[] {
  return exported.flatMap(({ text }) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row),
  );
}
