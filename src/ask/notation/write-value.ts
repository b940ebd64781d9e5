/** Writes a value without quotes if it reads back, or else with quotes. */
export function writeValue(value: string | null): string {
  if (value === null) return 'null';
  if (/^[\p{L}\p{N}_/.:@%+*-]+$/u.test(value) && value.toLowerCase() !== 'null') return value;
  return `'${value.replace(/[\\'\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, escape)}'`;
}

function escape(character: string): string {
  if (character === '\\' || character === "'") return `\\${character}`;
  return { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character] ?? `\\u{${character.charCodeAt(0).toString(16)}}`;
}
