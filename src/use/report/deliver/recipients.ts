import { createHash } from 'node:crypto';
import MimeNode from 'nodemailer/lib/mime-node';

/** A hash that identifies a receiver, so that records contain no addresses. */
export function markOf(receiver: string): string {
  return createHash('sha256').update(receiver).digest('hex').slice(0, 16);
}

/**
 * The plain addresses of `Name <name@Example.org>`, each once, as they are written to a mail server: its domain in
 * small letters and ASCII.
 */
export function addressesOf(written: readonly string[]): readonly string[] {
  return new MimeNode().setEnvelope({ to: [...written] }).getEnvelope().to;
}
