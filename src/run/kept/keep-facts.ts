import type { FactKeeper } from '../duckdb/reading/source/find-fact.ts';
import { openDataIdentity } from './data-identity.ts';
import type { KeptFiles } from './kept-files.ts';

/** `circumstances`: all else that a fact depends on, such as how the files are read. `now`: epoch milliseconds. */
export function openFactKeeper(kept: KeptFiles, circumstances: string, now: () => number): FactKeeper {
  const keyOf = (name: string, identity: string) => JSON.stringify(['fact', name, circumstances, identity]);
  return {
    async keep(name, files, find) {
      const identity = openDataIdentity({ events: files, store: undefined, now });
      const before = await identity();
      if (!before) return find();
      const key = keyOf(name, before.text);
      const known = await kept.read(key);
      if (known) return known.text;
      const generation = await kept.generation();
      const text = await find();
      if (before.isSettled && (await identity())?.text === before.text)
        await kept.write(key, { text, since: now() }, generation);
      return text;
    },
    async known(name, files) {
      const before = await openDataIdentity({ events: files, store: undefined, now })();
      return before && (await kept.read(keyOf(name, before.text)))?.text;
    },
  };
}
