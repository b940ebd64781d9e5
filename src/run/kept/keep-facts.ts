import { openDataIdentity } from './data-identity.ts';
import type { KeptFiles } from './kept-files.ts';

/** Keeps facts about files beyond this process. Facts are small texts. */
export interface FactKeeper {
  /** What was found about exactly these files, whole and unchanged since; else what `find` gives, which is kept. */
  keep(name: string, files: readonly string[], find: () => Promise<string>): Promise<string>;
}

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
