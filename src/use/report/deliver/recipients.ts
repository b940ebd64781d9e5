import { createHash } from 'node:crypto';
import addressparser from 'nodemailer/lib/addressparser';

/** By which a receiver is known again; addresses stay out of the records. */
export function markOf(receiver: string): string {
  return createHash('sha256').update(receiver).digest('hex').slice(0, 16);
}

/** The addresses alone of `Name <name@example.org>`. */
export function addressesOf(written: readonly string[]): readonly string[] {
  return written.flatMap((one) => addressparser(one, { flatten: true }).map(({ address }) => address));
}
