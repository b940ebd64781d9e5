import { createHash } from 'node:crypto';
import addressparser from 'nodemailer/lib/addressparser';

/** A hash that identifies a receiver, so that records contain no addresses. */
export function markOf(receiver: string): string {
  return createHash('sha256').update(receiver).digest('hex').slice(0, 16);
}

/** The plain addresses of `Name <name@example.org>`. */
export function addressesOf(written: readonly string[]): readonly string[] {
  return written.flatMap((one) => addressparser(one, { flatten: true }).map(({ address }) => address));
}
