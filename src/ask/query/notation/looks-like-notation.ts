/** Whether a text of unknown form is one line of notation: no mapping or list in YAML or JSON, and nothing but a comment. */
export function looksLikeNotation(text: string): boolean {
  const line = text.replace(/^\ufeff/, '').trim();
  return line !== '' && !/[\r\n]/.test(line) && !/^[{[#&*!|>%-]|^(?:[^\s:]+|"[^"]*"|'[^']*')\s*:(?:\s|$)/.test(line);
}
