import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import { withParts } from '../../ask/cloneable.ts';
import { type DataIdentity, openDataIdentity } from '../../run/kept/data-identity.ts';
import { withNote } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import type { Settings } from '../config/settings.ts';
import { storeToAsk } from './store-to-ask.ts';

/** Data that change during each try are answered as they are, with a note. */
const mostTries = 4;

interface OneStateOptions<T> {
  /** Closes what an earlier try opened. */
  readonly drop?: (done: T) => Promise<void>;
  /** Adds a note that the data changed during the last try, too. */
  readonly tell?: (done: T, note: string) => T | Promise<T>;
}

/** See `Session.atOneState`. */
export type AtOneState = <T>(work: () => Promise<T>, options?: OneStateOptions<T>) => Promise<T>;

/** Adds a note to the result of a question. */
export function tellInResult(result: Result, note: string): Result {
  return withParts(result, { provenance: withNote(result.provenance, note) });
}

/** See `Session`. */
interface DataWatch {
  readonly atOneState: AtOneState;
  readonly dataState: () => Promise<string | undefined>;
}

/** Looks at the events, the store and the tables of an embedded engine. The data of servers cannot be looked at. */
export function watchLocalData(settings: Settings): DataWatch {
  let opening: Promise<() => Promise<DataIdentity | undefined>> | undefined;
  const openLook = async () => {
    const { events, tables } = settings;
    return openDataIdentity({
      events: [...events.value, ...Object.values(tables.value).flat()],
      store: await storeToAsk(settings),
      now: Date.now,
    });
  };
  const look = async () => {
    if (settings.backend.value !== 'embedded') return undefined;
    // The reader of the data reports errors.
    const identity = await (opening ??= openLook()).catch(() => (opening = undefined));
    return (await identity?.())?.text;
  };
  // Work within other work is done again with it.
  const inside = new AsyncLocalStorage<true>();
  const atOneState: AtOneState = async (work, { drop, tell } = {}) => {
    if (inside.getStore()) return work();
    for (let tries = 1; ; tries += 1) {
      const before = await look();
      const done = await inside.run(true, work);
      if (before === undefined || (await look()) === before) return done;
      const note = `The data changed during each of ${mostTries} tries. Figures may be of different states.`;
      if (tries === mostTries) return tell ? tell(done, note) : done;
      await drop?.(done);
    }
  };
  return {
    atOneState,
    async dataState() {
      const seen = await look();
      return seen === undefined ? undefined : hash('sha256', seen, 'base64');
    },
  };
}
