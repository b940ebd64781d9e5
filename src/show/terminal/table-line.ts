/** The appearance of a run of text: headings, asides, alerts and others. */
export type Style = 'plain' | 'heading' | 'quiet' | 'alert' | 'gain' | 'loss';

export interface TextRun {
  readonly text: string;
  readonly style: Style;
}

export type Line = readonly TextRun[];

/** Makes a line: joins neighbours of the same style, and trims the end. */
export function toLine(spans: readonly TextRun[]): Line {
  const line: { text: string; style: Style }[] = [];
  for (const { text, style } of spans) {
    const last = line.at(-1);
    // A style is invisible on spaces, so they join the preceding run.
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

/** The text of a line without styles. */
export function toPlainText(line: Line): string {
  return line.map(({ text }) => text).join('');
}
