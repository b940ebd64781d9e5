import { createHash } from 'node:crypto';

/** SHA-256 of what is given to it, piece by piece. */
export interface Hasher {
  /** Waits where it cannot keep up; the bytes may be used otherwise then. */
  update(bytes: Uint8Array): Promise<void> | undefined;
  /** Forgets what was given. */
  restart(): void;
  /** In hexadecimal digits; nothing may follow. */
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
