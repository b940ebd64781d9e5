/** Work that runs once. */
interface Once {
  readonly run: () => Promise<void>;
  readonly markDone: () => void;
  /** The next request runs it again. */
  readonly reset: () => void;
}

/** Work that runs once, no matter how often it is requested. A failed run can be repeated. */
export function once(work: () => Promise<void>): Once {
  let doing: Promise<void> | undefined;
  return {
    run() {
      doing ??= work().catch((error: unknown) => {
        doing = undefined;
        throw error;
      });
      return doing;
    },
    markDone() {
      doing ??= Promise.resolve();
    },
    reset() {
      doing = undefined;
    },
  };
}
