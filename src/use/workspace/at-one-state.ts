import { type DataIdentity, openDataIdentity } from '../../run/kept/data-identity.ts';
import type { Settings } from '../config/settings.ts';
import { storeToAsk } from './store-to-ask.ts';

/** Data that change during each try are answered as they are. */
const mostTries = 4;

/** See `Session.atOneState`. */
export type AtOneState = <T>(work: () => Promise<T>, drop?: (done: T) => Promise<void>) => Promise<T>;

/** Looks at the events, the store and the tables of an embedded engine. The data of servers cannot be looked at. */
export function openAtOneState(settings: Settings): AtOneState {
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
  return async (work, drop) => {
    for (let tries = 1; ; tries += 1) {
      const before = await look();
      const done = await work();
      if (tries === mostTries || before === undefined || (await look()) === before) return done;
      await drop?.(done);
    }
  };
}
