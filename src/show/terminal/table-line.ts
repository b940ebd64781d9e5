/** How a stretch of text is to be seen: headings, asides, and what a reader must not miss. */
export type Style = 'plain' | 'heading' | 'quiet' | 'alert' | 'gain' | 'loss';

export interface TextRun {
  readonly text: string;
  readonly style: Style;
}

export type Line = readonly TextRun[];

/** Spans as a line: neighbours of one style joined, spaces at the end left out. */
export function toLine(spans: readonly TextRun[]): Line {
  const line: { text: string; style: Style }[] = [];
  for (const { text, style } of spans) {
    const last = line.at(-1);
    // A style does not show on spaces, so that they may join what stands before them.
    if (last && (last.style === style || text.trim() === '')) last.text += text;
    else if (text !== '') line.push({ text, style });
  }
  for (let last = line.at(-1); last; last = line.at(-1)) {
    last.text = last.text.trimEnd();
    if (last.text !== '') break;
    line.pop();
  }
  return line;
}

/** What the line reads without any style. */
export function toPlainText(line: Line): string {
  return line.map(({ text }) => text).join('');
}
