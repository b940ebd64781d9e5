import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { savedQuerySchema } from '../../../ask/query/read-saved-query.ts';
import { ownerOnly } from '../../../run/file/owner-only.ts';
import type { Effect } from '../state/effects.ts';
import type { Draft } from '../state/state.ts';

/** Drafts of explorers: one file each, named after the process that writes it. */
export interface Drafts {
  /** Drafts of ended processes, latest first. */
  list(): readonly Draft[];
  /** Synchronous, so that it works while the process exits. An empty draft is removed. */
  keep(draft: Omit<Draft, 'id'>): void;
  discard(id: string): void;
}

const ask = z.union([
  z.strictObject({ kind: z.literal('line'), line: z.string() }),
  z.strictObject({ kind: z.literal('query'), saved: savedQuerySchema }),
  z.strictObject({ kind: z.literal('text'), source: z.string() }),
]);
const schema = z.strictObject({
  version: z.literal(1),
  typed: z.string(),
  file: z.string().optional(),
  cells: z.array(
    z.strictObject({
      ask,
      source: z.string().optional(),
      shows: z.enum(['table', 'chart']),
      pivot: z.string().optional(),
      own: z.partialRecord(z.enum(['title', 'name', 'alert', 'outside']), z.unknown()).optional(),
    }),
  ),
});

/** `folder` is created when needed. `isAlive` says whether a process runs. Unreadable files are left alone. */
export function openDrafts(
  folder: string,
  process: { readonly id: number; readonly started: number; readonly isAlive: (id: number) => boolean },
): Drafts {
  const own = `draft-${process.id}-${process.started}`;
  const fileOf = (id: string) => path.join(folder, `${id}.json`);

  return {
    list() {
      const found = namesIn(folder).flatMap((name) => {
        const [, id = '', started = ''] = /^draft-(\d+)-(\d+)\.json$/.exec(name) ?? [];
        return id === '' || path.parse(name).name === own || process.isAlive(Number(id))
          ? []
          : [{ id: path.parse(name).name, started: Number(started) }];
      });
      return found.sort((a, b) => b.started - a.started).flatMap(({ id }) => read(fileOf(id), id) ?? []);
    },
    keep({ cells, typed, file }) {
      if (cells.length === 0 && typed === '') return rmSync(fileOf(own), { force: true });
      mkdirSync(folder, { recursive: true, mode: ownerOnly.folder });
      const text = JSON.stringify({
        version: 1,
        typed,
        file,
        cells: cells.map(({ ask, source, shows, pivot, own: said }) => ({ ask, source, shows, pivot, own: said })),
      });
      // Questions may contain private names.
      writeFileSync(`${fileOf(own)}.part`, text, { mode: 0o600 });
      renameSync(`${fileOf(own)}.part`, fileOf(own));
    },
    discard: (id) => rmSync(fileOf(id), { force: true }),
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string, id: string): Draft | undefined {
  try {
    const { cells, typed, file: notebook } = schema.parse(JSON.parse(readFileSync(file, 'utf8')));
    return { id, typed, file: notebook, cells: cells.map((cell) => ({ ...cell, source: cell.source })) };
  } catch {
    return undefined;
  }
}

type ToKeep = Omit<Effect & { readonly kind: 'keep-draft' }, 'kind'>;

/** Saves the input after a pause in typing. */
interface DraftKeeper {
  /** Sets the place; drafts from before wait for it. */
  keepIn(drafts: Drafts): void;
  readonly drafts: Drafts | undefined;
  /** Calls `onFailure` if writing fails. */
  keep(draft: ToKeep, onFailure: (error: unknown) => void): void;
  /** Writes synchronously, because the process may be exiting. Throws as writing does. */
  flush(): void;
}

const pauseMs = 300;

export function openDraftKeeper(): DraftKeeper {
  let drafts: Drafts | undefined;
  let waiting: ToKeep | undefined;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!waiting || !drafts) return;
    const { cells, typed, file } = waiting;
    waiting = undefined;
    drafts.keep({ cells, typed, file });
  }

  return {
    get drafts() {
      return drafts;
    },
    keepIn(given) {
      drafts ??= given;
    },
    keep(draft, onFailure) {
      waiting = draft;
      timer ??= setTimeout(() => {
        try {
          flush();
        } catch (error) {
          onFailure(error);
        }
      }, pauseMs);
    },
    flush,
  };
}
