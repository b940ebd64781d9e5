// A line that is not of its log's format stays in the copy that sluice makes of the log, behind a mark that is not
// valid JSON. The line is therefore rejected for the reason that the mark names, and shown as the log has it.

const mark = '\u001f';

export function writeLineFault(reason: string, line: string): string {
  return `${mark}${reason}${mark}${line}`;
}

/** undefined if the text has no mark. */
export function readLineFault(text: string): { readonly reason: string; readonly line: string } | undefined {
  if (!text.startsWith(mark)) return undefined;
  const end = text.indexOf(mark, 1);
  return end < 0 ? undefined : { reason: text.slice(1, end), line: text.slice(end + 1) };
}
