/** What JavaScript writes in another way than RE2: names of groups, flags, ends of text, quoted text, classes. */
const otherSyntax: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\\Q[^]*?(?:\\E|$)/g, ''],
  [/\(\?P</g, '(?<'],
  [/\(\?[imsU]*-?[imsU]*:/g, '(?:'],
  [/\(\?[imsU]*-?[imsU]+\)/g, ''],
  [/\[:\^?\w+:\]/g, 'a'],
];

/**
 * What is wrong with a regular expression in the syntax of RE2, which both engines use; undefined if nothing is found.
 * An engine may still refuse what this lets pass, such as `a{2000}`.
 *
 * https://github.com/google/re2/wiki/Syntax
 */
export function patternProblem(pattern: string): string | undefined {
  const plain = pattern.replace(/\\\\/g, '.');
  if (/\(\?<?[=!]/.test(plain)) return 'it looks ahead or behind, which RE2 does not support';
  if (/\\[1-9]/.test(plain)) return 'it refers back to a group, which RE2 does not support';
  try {
    new RegExp(otherSyntax.reduce((text, [found, replacement]) => text.replace(found, replacement), plain));
    return undefined;
  } catch (error) {
    const [, reason = 'it cannot be read'] = /: ([^:]+)$/.exec(error instanceof Error ? error.message : '') ?? [];
    return reason.toLowerCase();
  }
}
