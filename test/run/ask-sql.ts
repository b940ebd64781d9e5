import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import type { Column, Value } from '../../src/plan/column.ts';
import type { AnswerFacts } from '../../src/run/backend.ts';
import { answer, type EngineSession } from '../../src/run/duckdb/session/answer.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import type { UserOrder } from '../../src/plan/model/event-fields.ts';
import { openEventFiles } from '../../src/run/duckdb/reading/event-files.ts';
import type { ReadingOptions } from '../../src/run/duckdb/reading/recognise/map-files.ts';
import type { EventsReach } from '../../src/run/events/events-reach.ts';

/** A folder that is removed after the test file. */
export function scratchFolder(): { readonly path: string; write(name: string, content: string | Uint8Array): string } {
  const path = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
  };
}

export interface EventsSession extends AsyncDisposable {
  readonly session: EngineSession;
  /** Rows of hand-written SQL over the view `events`, value by value. */
  ask(text: string, options?: AskOptions): Promise<readonly (readonly Value[])[]>;
  /** The facts of the last answer. */
  facts(): AnswerFacts;
}

export interface AskOptions {
  readonly columns?: readonly Column[];
  readonly parameters?: readonly (string | number | bigint | boolean | null)[];
  readonly counters?: readonly string[];
  readonly zone?: string;
  readonly reach?: EventsReach;
  /** The question has a range. */
  readonly ranged?: boolean;
  readonly signal?: AbortSignal;
}

export async function openFiles(
  files: readonly string[],
  users: UserOrder = 'anonymous',
  reading?: ReadingOptions,
): Promise<EventsSession> {
  const engine = await openEngine({ threads: { upTo: 2 } });
  const events = await openEventFiles(engine, files, users, 'events', { narrow: true, ...reading }).catch(
    async (error: unknown) => {
      await engine[Symbol.asyncDispose]();
      throw error;
    },
  );
  const session: EngineSession = { engine, events, circumstances: { files, tables: [], hasEvents: true } };
  let facts: AnswerFacts | undefined;
  return {
    session,
    async ask(text, options = {}) {
      const rows: Value[][] = [];
      const counters = options.counters ?? [];
      const columns =
        options.columns ?? Array.from({ length: columnCount(text) - counters.length }, () => numberColumn);
      const running = await answer(
        session,
        {
          statement: {
            text,
            parameters: options.parameters ?? [],
            columns,
            counters: counters.length,
            zone: options.zone ?? 'UTC',
          },
          uncounted: counters,
          total: undefined,
          ranged: options.ranged ?? false,
          timed: false,
          reach: options.reach ?? 'some',
        },
        options.signal,
      );
      for await (const batch of running.batches) {
        for (let row = 0; row < batch.rowCount; row++) rows.push(batch.columns.map((column) => column[row]!));
      }
      facts = running.facts();
      return rows;
    },
    facts: () => facts!,
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** The number of commas between SELECT and FROM outside parentheses, plus one. */
function columnCount(text: string): number {
  const list = text.slice('SELECT'.length, text.search(/\bFROM\b/) + 1 || text.length);
  let depth = 0;
  let count = 1;
  for (const letter of list) {
    if (letter === '(') depth += 1;
    else if (letter === ')') depth -= 1;
    else if (letter === ',' && depth === 0) count += 1;
  }
  return count;
}

export const numberColumn: Column = {
  key: 'Any.number',
  member: 'Any.number',
  kind: 'measure',
  type: 'number',
  title: 'Number',
  shortTitle: 'Number',
  additive: true,
  whenAbsent: 0,
};

export const textColumn: Column = {
  ...numberColumn,
  key: 'Any.text',
  member: 'Any.text',
  kind: 'dimension',
  type: 'string',
  additive: false,
  whenAbsent: null,
};

export function timeColumn(granularity?: Column['granularity']): Column {
  return { ...textColumn, key: 'Any.time', member: 'Any.time', kind: 'time', type: 'time', granularity };
}
