import { throwIfAborted } from '../../ask/sluice-error.ts';

/** Asks each question once, and so many at a time; who asks the same later gets the same answer. */
export interface AskOnce {
  /** `key` is equal for equal questions. Rejects as `ask` does. */
  readonly ask: <T>(key: string, ask: () => Promise<T>) => Promise<T>;
}

export function openAskOnce(atOnce: number, signal?: AbortSignal): AskOnce {
  const answers = new Map<string, Promise<unknown>>();
  const waiting: (() => void)[] = [];
  let running = 0;
  const inTurn = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      throwIfAborted(signal);
      return await ask();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
  return {
    ask: <T>(key: string, ask: () => Promise<T>) => {
      const known = answers.get(key) as Promise<T> | undefined;
      if (known) return known;
      const answer = inTurn(ask);
      // Whoever asks hears of it.
      answer.catch(() => undefined);
      answers.set(key, answer);
      return answer;
    },
  };
}
