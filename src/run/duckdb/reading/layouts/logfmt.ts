/** `key="a value"`, `key=value`, or `key` alone. */
const part = /\s*(?:([^\s=",;]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))|([^\s="]+))(?=\s|$)/suy;

const instant = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;

/**
 * The pairs of a line such as `time=2024-03-01T10:00:00Z level=info msg="order placed"`; undefined if it is none. A key
 * alone is `true`. A time at the start, as log collectors write it, is `time`. Of a repeated key, the last value
 * counts.
 */
export function readLogfmtLine(line: string): Readonly<Record<string, string>> | undefined {
  const text = line.trimEnd();
  const pairs = new Map<string, string>();
  let [at, named] = [0, 0];
  while (at < text.length) {
    part.lastIndex = at;
    const [whole, key, quoted, plain = '', alone] = part.exec(text) ?? [];
    if (whole === undefined) return undefined;
    if (key !== undefined) {
      named += 1;
      pairs.set(key, quoted === undefined ? plain : unescaped(quoted));
    } else if (at === 0 && instant.test(alone!)) pairs.set('time', alone!);
    else pairs.set(alone!, 'true');
    at += whole.length;
  }
  return named === 0 ? undefined : Object.fromEntries(pairs);
}

/** The pairs among other words of a message; of a repeated key, the last value counts. */
export function pairsIn(message: string): ReadonlyMap<string, string> {
  const found = message.matchAll(
    /(?<=^|[\s,;|([{])([\p{L}_][\p{L}\p{N}_.-]*)=(?:"((?:[^"\\]|\\.)*)"|([^\s,;|"()[\]{}]+))/gu,
  );
  return new Map(
    Array.from(found, ([, key, quoted, plain]) => [key!, quoted === undefined ? plain! : unescaped(quoted)] as const),
  );
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unescaped(quoted: string): string {
  return quoted.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/gsu, (_, code: string | undefined, sign: string | undefined) =>
    code === undefined ? (escapes[sign!] ?? sign!) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** A key and its `=`. Addresses in a cell of a table have other signs before theirs. */
const usualKey = /(?:^|\s)[\p{L}_@][\p{L}\p{N}_.@/-]*=/gu;

/** Whether most of the first lines have several pairs. The last line may be cut off. */
export function looksLikeLogfmt(lines: readonly string[]): boolean {
  const some = lines
    .slice(0, 20)
    .filter((line, index) => line.trim() !== '' && (index === 0 || index < lines.length - 1));
  const fit = some.filter((line) => (line.match(usualKey)?.length ?? 0) > 1 && readLogfmtLine(line) !== undefined);
  return fit.length > 0 && fit.length >= some.length * 0.8;
}
