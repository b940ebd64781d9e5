/** Written as a spreadsheet writes a number: no formula, even where it begins with a sign. */
export const plainNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

// A cell that begins with one of these can become a formula when a spreadsheet opens the file.
// Source: OWASP, "CSV Injection"; the full-width forms count as well.
export const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;

// Terminals obey them and many readers end a field at NUL. Tabs and line breaks are text.
export const controlCharacters = /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

// DEL, C1, line separators and the characters that turn or hide text: nothing that a terminal or a log viewer would
// obey.
export const hiddenCharacters = /[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Where another list separator or a line break ends the cell early, what follows begins a cell. */
const formulaInside = /([;\t\r\n]\s*)(?=[=+\-@＝＋－＠])/g;

/**
 * As `toSafeCell`, and safe as well in a spreadsheet whose locale separates cells by `;` or tabs: `x;=1+1` becomes
 * `x;'=1+1`.
 */
export function toSafestCell(text: string): string {
  return toSafeCell(text).replace(formulaInside, "$1'");
}

/**
 * A text as a cell may hold it, before quotes: control characters are left out (JSON keeps them), and what a
 * spreadsheet would take for a formula gets an apostrophe in front. Plain numbers stay as they are.
 */
export function toSafeCell(text: string): string {
  const clean = text.replace(controlCharacters, '').toWellFormed();
  return formulaStart.test(clean) && !plainNumber.test(clean) ? `'${clean}` : clean;
}
