import type { FactKeeper } from '../duckdb/reading/source/find-fact.ts';
import { openDataIdentity } from './data-identity.ts';
import type { KeptFiles } from './kept-files.ts';

/** `circumstances`: all else that a fact depends on, such as how the files are read. `now`: epoch milliseconds. */
export function openFactKeeper(kept: KeptFiles, circumstances: string, now: () => number): FactKeeper {
  return {
    async keep(name, files, find) {
      const identity = openDataIdentity({ events: files, store: undefined, now });
      const before = await identity();
      if (!before) return find();
      const key = JSON.stringify(['fact', name, circumstances, before.text]);
      const known = await kept.read(key);
      if (known) return known.text;
      const generation = await kept.generation();
      const text = await find();
      if (before.isSettled && (await identity())?.text === before.text)
        await kept.write(key, { text, since: now() }, generation);
      return text;
    },
  };
}
