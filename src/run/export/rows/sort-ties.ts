import { marks } from './find-rows.ts';

/**
 * Puts lines, each with its line feed, in the order of their bytes, where they lie. Gives how many more of them are the one
 * before once more than were so until now.
 */
export function sortTies(bytes: Buffer): number {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(marks.lineFeed, start) + 1;
    lines.push(Buffer.from(bytes.subarray(start, end)));
    start = end;
  }
  const before = countRepeated(lines);
  lines.sort((a, b) => a.compare(b));
  let at = 0;
  for (const line of lines) at += line.copy(bytes, at);
  return countRepeated(lines) - before;
}

function countRepeated(lines: readonly Buffer[]): number {
  return lines.filter((line, index) => index > 0 && line.equals(lines[index - 1]!)).length;
}
