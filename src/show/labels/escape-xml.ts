import { sanitize } from './sanitize.ts';

// Characters that XML forbids, and control characters. Vega may cut a text inside a surrogate pair. Source: Extensible
// Markup Language (XML) 1.0, Fifth Edition, 2.2.
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

/** Escapes a text for XML or HTML, including attributes in double quotes. */
export function escapeXml(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(forbidden, '').replace(special, (character) => entities[character] ?? '');
}

/** Turns hostile text into XML or HTML that shows one harmless line. */
export function toShownXml(text: string): string {
  return escapeXml(sanitize(text));
}
