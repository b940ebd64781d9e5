import type { Spool } from './window.ts';

/** Lines that are kept in memory until it is known what they are worth. */
export interface HeldLines extends Spool {
  /** Gives them on, and keeps them no longer. */
  release(spool: Pick<Spool, 'write'>): Promise<void>;
}

export function holdLines(): HeldLines {
  let held: Buffer[] = [];
  return {
    async restart() {
      held = [];
    },
    async write(bytes) {
      held.push(Buffer.from(bytes));
    },
    async release(spool) {
      for (const bytes of held.splice(0)) await spool.write(bytes);
    },
  };
}
