import type { IssuePath } from '../outcome.ts';

const secretKey = /^(?:(?:access|private|api|auth|personal)[-_]?)?(?:token|secret|password|key)$/i;
/** Matches tokens of the platform, JSON web tokens, and addresses with credentials. */
const secretValue =
  /\b(?:gl[a-z]{2,6}-[\w-]{16,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]+)|^https?:\/\/(?:[^/?#\s]*@|[^?#\s]*\?\S*(?:token|secret|password|signature|key)=)/i;

/** Paths to the values in plain data that look like secrets, judged by the name of their key or by their text. */
export function findSecrets(value: unknown, above: IssuePath = []): readonly IssuePath[] {
  if (value === null || typeof value !== 'object')
    return typeof value === 'string' && secretValue.test(value) ? [above] : [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = [...above, Array.isArray(value) ? Number(key) : key];
    const holdsText = typeof inner === 'string' || typeof inner === 'number';
    return holdsText && !Array.isArray(value) && secretKey.test(key) ? [path] : findSecrets(inner, path);
  });
}
