import { capitalize } from '../../ask/text.ts';
/** Names of cubes and members. Source: Cube's data model reference. */
export const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `startAt` as `start_at`. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const tablePart = /"((?:[^"]|"")+)"|`([^`]+)`|\[([^\]]+)\]|([\p{L}\p{N}_$-]+)/uy;

/**
 * Splits a table's name into the parts to quote: `shop.users`, `"Shop"."Users"`, `` `project.set.table` ``,
 * `[dbo].[users]`. A name of more than two parts stays one part, `project.set.table`, because engines here have only
 * schemas. undefined if it is not a name.
 */
export function tablePath(text: string): readonly string[] | undefined {
  const steps: string[] = [];
  for (let at = 0; ; at += 1) {
    tablePart.lastIndex = at;
    const [whole, quoted, ticked, bracketed, plain] = tablePart.exec(text) ?? [];
    if (whole === undefined) return undefined;
    const step = quoted?.replaceAll('""', '"') ?? bracketed ?? plain;
    steps.push(...(step === undefined ? (ticked ?? '').split('.') : [step]));
    at += whole.length;
    if (at >= text.length) break;
    if (text[at] !== '.') return undefined;
  }
  return steps.length > 2 ? [steps.join('.')] : steps;
}

/** Removes optional braces around a name: `{Users}`. */
export function withoutBraces(name: string): string {
  return name.replace(/^\{(.*)\}$/, '$1').trim();
}

/** Words that stay in lower case inside a title. */
const smallWords = new Set([
  'and',
  'or',
  'nor',
  'a',
  'an',
  'the',
  'so',
  'but',
  'to',
  'of',
  'at',
  'by',
  'from',
  'into',
  'on',
  'onto',
  'off',
  'out',
  'in',
  'over',
  'with',
  'for',
]);

/**
 * The title of a name: `startAt` → `Start at`, `sessionID` → `Session Id`, `first_timestamp` → `First Timestamp`.
 * Follows Cube's rule, so that titles match those of a Cube server.
 */
export function titleize(name: string): string {
  const words = name
    .replace(/([A-Z\d]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_\s.-]+/)
    .filter((word) => word !== '');
  return words.map((word, index) => (index > 0 && smallWords.has(word) ? word : capitalize(word))).join(' ');
}
