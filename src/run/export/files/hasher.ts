import { createHash } from 'node:crypto';

/** SHA-256 of data given in pieces. */
export interface Hasher {
  /** Returns a promise if the caller must wait. Afterwards the buffer may be reused. */
  update(bytes: Uint8Array): Promise<void> | undefined;
  /** Discards the data so far. */
  restart(): void;
  /** Hexadecimal. Call it last. */
  digest(): Promise<string> | string;
}

export function openHasher(): Hasher {
  let hash = createHash('sha256');
  return {
    update(bytes) {
      hash.update(bytes);
      return undefined;
    },
    restart() {
      hash = createHash('sha256');
    },
    digest: () => hash.digest('hex'),
  };
}

/** For files that need no hash. */
export const noHasher: Hasher = { update: () => undefined, restart: () => undefined, digest: () => '' };
