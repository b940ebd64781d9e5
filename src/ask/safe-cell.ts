/** A number as spreadsheets write it: never a formula, even if it begins with a sign. */
export const plainNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

// A cell that begins with one of these can become a formula when a spreadsheet opens the file.
// Source: OWASP, "CSV Injection"; the full-width forms count as well.
export const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;

// Terminals obey these, and many readers end a field at NUL. Tabs and line breaks are text.
export const controlCharacters = /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

// DEL, C1, line separators and characters that reorder or hide text: none may reach a terminal or a log viewer.
export const hiddenCharacters = /[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Matches places where another list separator or a line break ends the cell early, before the start of a formula. */
const formulaInside = /([;\t\r\n]\s*)(?=[=+\-@＝＋－＠])/g;

/**
 * Like `toSafeCell`, but also safe in a spreadsheet whose locale separates cells by `;` or tabs: `x;=1+1` becomes
 * `x;'=1+1`.
 */
export function toSafestCell(text: string): string {
  return toSafeCell(text).replace(formulaInside, "$1'");
}

/**
 * Makes a text safe for a cell, before quoting. Removes control characters (JSON keeps them), and adds an apostrophe
 * before text that a spreadsheet would read as a formula. Plain numbers stay unchanged.
 */
export function toSafeCell(text: string): string {
  const clean = text.replace(controlCharacters, '').toWellFormed();
  return formulaStart.test(clean) && !plainNumber.test(clean) ? `'${clean}` : clean;
}

const needsQuotes = /[",\r\n]/;

/** A cell of comma-separated values as in RFC 4180. The empty text has quotes: an empty field is null. */
export function quoteCell(text: string): string {
  return text === '' || needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
