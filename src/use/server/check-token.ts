import { createHash, timingSafeEqual } from 'node:crypto';

/** Tells whether a token is the one that is asked for, in a time that says nothing of either. */
export type TokenCheck = (given: string) => boolean;

export function toTokenCheck(token: string): TokenCheck {
  const wanted = digest(token);
  return (given) => timingSafeEqual(digest(given), wanted);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The token of an `Authorization` header: what follows `Bearer`, or all of it. */
export function tokenInAuthorization(header: string): string {
  return /^bearer\s+(.*)$/is.exec(header)?.[1]?.trim() ?? header.trim();
}
