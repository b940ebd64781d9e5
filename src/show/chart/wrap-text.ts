import { cellWidth, truncateToCells } from '../labels/cell-width.ts';

/** A text in lines of about so many letters, broken between words where there are any; what is beyond the last line is cut with an ellipsis. */
export function wrapText(text: string, cells: number, mostLines: number): readonly string[] {
  const room = Math.max(8, Math.floor(cells));
  const lines: string[] = [''];
  for (const word of text.split(' ').flatMap((each) => breakWord(each, room))) {
    const line = lines.at(-1) ?? '';
    const joined = line === '' ? word : `${line} ${word}`;
    if (cellWidth(joined) <= room) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  if (lines.length <= mostLines) return lines;
  const kept = lines.slice(0, mostLines);
  return [...kept.slice(0, -1), truncateToCells(`${kept.at(-1)} ${lines[mostLines]}`, room, '…')];
}

/** A word that is longer than a line, in pieces that are not. */
function breakWord(word: string, room: number): readonly string[] {
  if (cellWidth(word) <= room) return [word];
  const pieces: string[] = [''];
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    const joined = `${pieces.at(-1)}${segment}`;
    if (cellWidth(joined) <= room) pieces[pieces.length - 1] = joined;
    else pieces.push(segment);
  }
  return pieces;
}
