/**
 * Escaped text as it may stand at the start of a line of Markdown: it begins neither list nor rule nor heading there,
 * and is no command (`/close`), which platforms carry out.
 */
export function escapeStart(text: string): string {
  return text
    .replace(/^([-+=])(?=[-+=\s]|$)/, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
    .replace(/^\//, '\\/');
}
