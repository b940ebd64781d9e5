/** A doc comment: its text, and its tags. */
export interface Docs {
  readonly text: string;
  /** `@param name text`. */
  readonly params: ReadonlyMap<string, string>;
  readonly returns: string;
  /** `@throws {Class} text`. */
  readonly throws: readonly { readonly type: string; readonly text: string }[];
  /** Code without its fences. */
  readonly examples: readonly string[];
}

/** Parses a doc comment with its delimiters. Joins the lines of each paragraph, except in code. */
export function readDocs(comment: string): Docs {
  const inside = comment.replace(/^\/\*\*/, '').replace(/\*\/\s*$/, '');
  const lines = inside.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trimEnd());
  const [text = '', ...tags] = splitTags(lines);
  const of = (tag: string) =>
    tags.filter((given) => given.startsWith(`@${tag}`)).map((given) => given.slice(tag.length + 1).trim());
  return {
    text: joinLines(text),
    params: new Map(
      of('param').map((given) => {
        const [name = ''] = /^\w+/.exec(given) ?? [];
        return [name, joinLines(given.slice(name.length).replace(/^ -/, ''))];
      }),
    ),
    returns: joinLines(of('returns').join('\n')),
    throws: of('throws').map((given) => {
      const [all = '', type = ''] = /^\{(\w+)\}/.exec(given) ?? [];
      return { type, text: joinLines(given.slice(all.length)) };
    }),
    examples: of('example').map((given) => given.replace(/^```ts\n/, '').replace(/\n```$/, '')),
  };
}

/** The text before the first tag, then each tag with its text. */
function splitTags(lines: readonly string[]): readonly string[] {
  const parts: string[][] = [[]];
  let inCode = false;
  for (const line of lines) {
    if (line.startsWith('```')) inCode = !inCode;
    if (!inCode && /^@[a-z]/.test(line)) parts.push([]);
    parts.at(-1)?.push(line);
  }
  return parts.map((part) => part.join('\n').trim());
}

/** Markdown with each paragraph and list item on one line. */
function joinLines(text: string): string {
  return text
    .split(/(```[^]*?```)/)
    .map((part) => (part.startsWith('```') ? part : part.replace(/(?<!\n)\n(?![\n-])/g, ' ').replace(/[^\S\n]+/g, ' ')))
    .join('')
    .replace(/ ?(```[^]*?```) ?/g, '\n$1\n')
    .trim();
}
