import { AsyncLocalStorage } from 'node:async_hooks';
import { freemem, platform, totalmem } from 'node:os';
import { ConfigError } from '../../../ask/sluice-error.ts';
import { ownProcess } from '../../own-process.ts';
import { quoteText } from './sql-text.ts';

/** The MiB that each thread needs to sort or write. Wide rows need more. */
const sparseShare = (columns: number) => Math.min(64, Math.ceil(22 + 1.6 * columns));
const sparseMemory = (share: number) => `(${share} * (2 + current_setting('threads')))::VARCHAR || 'MiB'`;

/** The least useful limit: with less, most of the work would spill to disk. */
const leastMemory = 512 * 2 ** 20;

/**
 * A share of the memory that is free for this process, on the machine and in its container. Outside Linux the system's
 * figure excludes memory that it could reclaim, so at least a quarter of the machine counts as free.
 */
function freeMemory(share: number): string {
  const free = platform() === 'linux' ? freemem() : Math.max(freemem(), totalmem() / 4);
  const bytes = share * Math.min(free, ownProcess()?.roomInContainer() ?? Infinity);
  return `${Math.floor(Math.max(leastMemory, bytes) / 2 ** 20)}MiB`;
}

/** The share for a retry. The rest is left to this process and the system. */
const [usualShare, ampleShare] = [0.5, 0.8];

/** The limit of an engine without an explicit one. */
export function usualMemory(): string {
  return freeMemory(usualShare);
}

/** Shares an engine's memory among its work. */
export interface EngineMemory {
  /**
   * Runs work that needs little memory, with a low limit so that the engine spills to disk early. An explicit memory
   * limit is kept. While other work runs, the engine keeps all of its memory. `columns`: the number of columns that are
   * sorted or written, if small.
   */
  sparingly<T>(task: () => Promise<T>, columns?: number): Promise<T>;
  /** Runs work that needs hardly any memory, without changing the engine's limit, even beside sparing work. */
  lightly<T>(task: () => T): T;
  /**
   * Retries work that ran out of memory, when other work is done or after some seconds, with most of the memory that is
   * free by then. An explicit memory limit is kept.
   */
  amply<T>(task: () => Promise<T>): Promise<T>;
  /** Runs a statement. It counts as heavy work, except within `lightly`. */
  during<T>(task: () => Promise<T>): Promise<T>;
  /** Sets the explicit limit. Throws `memory-unfit`, a `ConfigError`. */
  limitTo(limit: string): Promise<void>;
}

/** `explicit`: the limit that is kept; else `usual` changes with the work. `set`: changes a setting of DuckDB. */
export function openMemory(
  explicit: string | undefined,
  usualMemory: string,
  set: (setting: string) => Promise<void>,
): EngineMemory {
  let limit = explicit === undefined ? undefined : quoteText(explicit);
  /**
   * The shares of sparing tasks, the number of ample tasks, and the number of statements that are neither sparing nor
   * light.
   */
  let [sparing, ample, heavy] = [0, 0, 0];
  const within = new AsyncLocalStorage<'lightly'>();
  const usualLimit = quoteText(explicit ?? usualMemory);
  let [usual, current] = [usualLimit, usualLimit];
  let setting: Promise<void> = Promise.resolve();
  const setLimit = async (wanted: string) => {
    if (wanted === current) return;
    await set(`memory_limit = ${wanted}`);
    current = wanted;
  };
  /** Sets the memory limit that suits the current work. */
  const suit = (): Promise<void> => {
    if (limit !== undefined) return setting;
    return (setting = setting
      .then(() => {
        return setLimit(sparing > 0 && heavy === 0 && ample === 0 ? sparseMemory(sparing) : usual);
        // The limit stays if more than that is in use.
      })
      .catch(() => undefined));
  };
  const lightly = <T>(task: () => T): T => within.run('lightly', task);

  return {
    lightly,
    async during(task) {
      const weight = within.getStore() === 'lightly' ? 0 : 1;
      heavy += weight;
      try {
        if (sparing > 0) await suit();
        return await task();
      } finally {
        heavy -= weight;
        if (weight > 0 && sparing > 0) void suit();
      }
    },
    async sparingly(task, columns = Infinity) {
      const share = sparseShare(columns);
      sparing += share;
      await suit();
      try {
        return await lightly(task);
      } finally {
        sparing -= share;
        await suit();
      }
    },
    async amply(task) {
      ample += 1;
      usual = quoteText(freeMemory(ampleShare));
      await suit();
      try {
        return await task();
      } finally {
        ample -= 1;
        if (ample === 0) usual = usualLimit;
        await suit();
      }
    },
    async limitTo(wanted) {
      await setting;
      await setLimit(quoteText(wanted)).catch((cause: unknown) => {
        throw new ConfigError(`The engine cannot use ${wanted} of memory.`, {
          code: 'memory-unfit',
          cause,
          hint: 'Set `memory:` (--memory) to an amount such as 4GB.',
        });
      });
      limit = quoteText(wanted);
    },
  };
}
