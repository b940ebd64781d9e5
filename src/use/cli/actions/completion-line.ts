/** A command line up to the cursor. */
export interface SplitLine {
  readonly words: readonly string[];
  /** The quote that is open in the last word. */
  readonly open: '' | "'" | '"';
  /** How much of the last word stands before the part of it that bash completes. */
  readonly settled: number;
}

/**
 * The words of a line as a shell takes them: quotes and backslashes are read, nothing is expanded.
 * `breaks` are the characters at which bash begins a new word to complete, its COMP_WORDBREAKS.
 */
export function splitLine(line: string, breaks = ''): SplitLine {
  const words: string[] = [];
  let word = '';
  let started = false;
  let open: SplitLine['open'] = '';
  let settled = 0;
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? '';
    if (open === '' && /[ \t\n]/.test(character)) {
      if (started) words.push(word);
      word = '';
      started = false;
      settled = 0;
      continue;
    }
    started = true;
    if (character === open) open = '';
    else if (open === '' && (character === "'" || character === '"')) open = character;
    else if (character === '\\' && open !== "'" && (open === '' || /["\\$`]/.test(line[at + 1] ?? ''))) word += line[++at] ?? '';
    else {
      word += character;
      if (open === '' && breaks.includes(character)) settled = word.length;
    }
  }
  return { words: [...words, word], open, settled };
}

/** What bash is to put where it completes; nothing in it can be expanded or run afterwards. Undefined where no quoting would do. */
export function toBashWord(value: string, { open, settled }: SplitLine): string | undefined {
  if (open === "'") return value.includes("'") ? undefined : value.slice(settled);
  if (open === '"') return value.includes('!') ? undefined : value.slice(settled).replaceAll(/["\\$`]/g, '\\$&');
  return value.slice(settled).replaceAll(/[^\w./:=,@%+-]/gu, '\\$&');
}
