import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStore } from '../../../src/run/store/store-contents.ts';
import { lines, scratchStore } from './scratch-store.ts';
import { runs } from '../../runs.ts';

const numRuns = runs(12);

interface Event {
  readonly project: string | undefined;
  readonly id: string | undefined;
  readonly user: string;
  readonly path: string;
  readonly minute: number;
}

type Step =
  | { readonly kind: 'file'; readonly events: readonly Event[] }
  | { readonly kind: 'window'; readonly window: string; readonly revision: number; readonly events: readonly Event[] }
  | { readonly kind: 'again'; readonly pick: number }
  | { readonly kind: 'prune'; readonly minute: number }
  | { readonly kind: 'forget'; readonly users: readonly string[] };

interface Source {
  readonly text: string;
  readonly window?: { readonly name: string; readonly revision: number } | undefined;
  readonly behind: Set<Source>;
  again: boolean;
}

interface Row extends Event {
  readonly source: Source;
}

const windowProject = '42';
const keyOf = ({ project, id }: Event) => JSON.stringify([project, id]);

/** A store as plain lists: slow and obvious. */
class Model {
  rows: Row[] = [];
  sources: Source[] = [];
  readonly forgotten = new Set<string>();
  /** No file brings events of the time that was pruned. */
  #pruned = -Infinity;

  /** Returns the number of added events; undefined if refused. */
  take(
    text: string,
    events: readonly Event[],
    window?: { readonly name: string; readonly revision: number },
  ): number | undefined {
    const same = window && this.sources.find((source) => source.window?.name === window.name);
    if (same?.window && window) {
      if (same.window.revision > window.revision) return 0;
      if (same.window.revision === window.revision && !same.again) return same.text === text ? 0 : undefined;
    } else {
      const known = this.sources.find((source) => source.text === text && !source.again && (!window || !source.window));
      if (known) {
        if (window)
          this.sources = this.sources.map((source) => (source === known ? Object.assign(source, { window }) : source));
        return 0;
      }
    }
    const old = same ?? (window ? undefined : this.sources.find((source) => source.text === text));
    const own = events.map((event) => ({ ...event, project: event.project ?? (window ? windowProject : undefined) }));
    const source: Source = { text, window, behind: new Set(), again: false };
    const lost =
      old &&
      this.rows.some(
        (row) => row.source === old && row.id !== undefined && !own.some((event) => keyOf(event) === keyOf(row)),
      );
    this.rows = this.rows.filter((row) => row.source !== old);
    const before = this.rows.length;
    for (const event of own) {
      if (this.forgotten.has(event.user) || event.minute < this.#pruned) continue;
      const holder =
        event.id === undefined
          ? undefined
          : this.rows.find((row) => row.id !== undefined && keyOf(row) === keyOf(event));
      if (!holder) this.rows.push({ ...event, source });
      else if (holder.source !== source) source.behind.add(holder.source);
    }
    this.sources = [...this.sources.filter((one) => one !== old), source];
    for (const one of this.sources) {
      if (!old || !one.behind.delete(old)) continue;
      one.behind.add(source);
      if (lost) one.again = true;
    }
    return this.rows.length - before;
  }

  prune(minute: number): number {
    const removed = this.#keep((row) => row.minute >= minute);
    if (removed > 0) this.#pruned = Math.max(this.#pruned, minute);
    return removed;
  }

  forget(users: readonly string[]): number {
    const found = users.filter((user) => this.rows.some((row) => row.user === user));
    for (const user of found) this.forgotten.add(user);
    return this.#keep((row) => !found.includes(row.user));
  }

  #keep(test: (row: Row) => boolean): number {
    const before = this.rows.length;
    this.rows = this.rows.filter(test);
    return before - this.rows.length;
  }
}

const users = ['ann', 'bob', 'cyd'];
const event: fc.Arbitrary<Event> = fc.record({
  project: fc.constantFrom(undefined, '1', '42'),
  id: fc.constantFrom(undefined, 'a', 'b', 'c', 'd'),
  user: fc.constantFrom(...users),
  path: fc.constantFrom('/', '/docs'),
  minute: fc.integer({ min: 0, max: 9 }),
});
const events = fc.array(event, { maxLength: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('file' as const), events }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('window' as const),
      window: fc.constantFrom('w1', 'w2'),
      revision: fc.integer({ min: 1, max: 4 }),
      events,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('again' as const), pick: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prune' as const), minute: fc.integer({ min: 0, max: 9 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('forget' as const),
      users: fc.shuffledSubarray(users, { minLength: 1, maxLength: 2 }),
    }),
  },
);

const write = (all: readonly Event[]) =>
  lines(
    ...all.map(({ project, id, user, path, minute }) => ({
      minute,
      projectId: project,
      eventId: id,
      userAnonymousId: user,
      docPath: path,
    })),
  );

describe('a store', () => {
  it('holds what a list of its events holds, whatever is done to it', {
    timeout: 60_000 + numRuns * 20_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const store = scratchStore();
        const model = new Model();
        const taken: {
          readonly file: string;
          readonly text: string;
          readonly events: readonly Event[];
          readonly window?: { readonly name: string; readonly revision: number };
        }[] = [];
        for (const [index, one] of steps.entries()) {
          if (one.kind === 'prune' || one.kind === 'forget') {
            if (!(await readStore(store.folder))) continue;
            const minute = one.kind === 'prune' ? one.minute : 0;
            const instant = Date.parse('2024-03-06T00:00:00Z') + minute * 60_000;
            const counted =
              one.kind === 'prune' ? await store.prune(instant, true) : await store.forget(one.users, true);
            const done = one.kind === 'prune' ? await store.prune(instant) : await store.forget(one.users);
            const expected = one.kind === 'prune' ? model.prune(minute) : model.forget(one.users);
            expect([counted.removed, done.removed]).toEqual([expected, expected]);
          } else {
            if (one.kind === 'again') {
              if (taken.length === 0) continue;
              taken.push(taken[one.pick % taken.length]!);
            } else {
              const text = write(one.events);
              const window = one.kind === 'window' ? { name: one.window, revision: one.revision } : undefined;
              const file = window
                ? store.writeWindow(`${index}.ndjson`, text, { query: window.name, revision: window.revision })
                : store.write(`${index}.ndjson`, text);
              taken.push({ file, text, events: one.events, ...(window ? { window } : {}) });
            }
            const { file, text, events: all, window } = taken.at(-1)!;
            const expected = model.take(text, all, window);
            const report = await store.ingest([file]);
            expect({ outcome: report.files[0]!.outcome === 'refused', added: report.added }).toEqual({
              outcome: expected === undefined,
              added: expected ?? 0,
            });
            expect(report.again).toHaveLength(model.sources.filter(({ again }) => again).length);
          }
          if (!(await readStore(store.folder))) continue;
          const held = await store.ask(
            "SELECT concat_ws('|', coalesce(project_id, '-'), coalesce(event_id, '-'), user_anonymous_id, doc_path, minute(utc_time)) FROM events",
          );
          const expected = model.rows.map(({ project, id, user, path, minute }) =>
            [project ?? '-', id ?? '-', user, path, minute].join('|'),
          );
          expect(held.map(([row]) => String(row)).sort()).toEqual(expected.sort());
        }
      }),
      { numRuns },
    );
  });
});
