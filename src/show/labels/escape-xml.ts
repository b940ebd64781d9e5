import { sanitize } from './sanitize.ts';

// What no XML document may hold, and the control characters that none should. Vega may cut a text inside a character.
// Source: Extensible Markup Language (XML) 1.0, Fifth Edition, 2.2.
const forbidden = /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]|\p{Cs}/gu;
const special = /[&<>"\t\n\r]/g;
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
const plain = /^[\x20\x21\x23-\x25\x27-\x3b\x3d\x3f-\x7e]*$/;

/** A text as XML or HTML may hold it, in an attribute in double quotes too. */
export function escapeXml(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(forbidden, '').replace(special, (character) => entities[character] ?? '');
}

/** A text from anywhere as XML or HTML that shows it as one harmless line. */
export function toShownXml(text: string): string {
  return escapeXml(sanitize(text));
}
