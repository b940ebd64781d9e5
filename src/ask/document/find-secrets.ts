import type { IssuePath } from '../outcome.ts';

const secretKey = /^(?:(?:access|private|api|auth|personal)[-_]?)?(?:token|secret|password|key)$/i;
/** What the platform's own tokens look like, and addresses that let in who reads them. */
const secretValue =
  /\b(?:gl[a-z]{2,6}-[\w-]{16,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]+)|^https?:\/\/(?:[^/?#\s]*@|[^?#\s]*\?\S*(?:token|secret|password|signature|key)=)/i;

/** Where plain data holds what looks like a secret, by the name of its key or by itself. */
export function findSecrets(value: unknown, above: IssuePath = []): readonly IssuePath[] {
  if (value === null || typeof value !== 'object')
    return typeof value === 'string' && secretValue.test(value) ? [above] : [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = [...above, Array.isArray(value) ? Number(key) : key];
    const holdsText = typeof inner === 'string' || typeof inner === 'number';
    return holdsText && !Array.isArray(value) && secretKey.test(key) ? [path] : findSecrets(inner, path);
  });
}
