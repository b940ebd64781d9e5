/** Does tasks as they come, so many at once; the others wait for their turn. */
export type Turns = <T>(task: () => Promise<T>) => Promise<T>;

export function openTurns(most: number): Turns {
  let free = most;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((go) => { waiting.push(go); });
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
