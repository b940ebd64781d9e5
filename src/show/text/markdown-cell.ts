// Emphasis, code, links, HTML, tables, mathematics, and references to people, issues and labels.
const always = /[\\`*[\]<>|~#@$]/g;
// These are markup only in some places: `&lt;`, `!12`, `://`, `:smile:`, `_word_`, `www.`
const sometimes = /&(?=#?\w+;|\d)|!(?=\d)|:(?=\/\/|[\w+-]+:)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<=\bwww)\./giu;

/** Escapes one sanitized line with backslashes so that GitHub's and GitLab's Markdown shows it unchanged. */
export function escapeMarkdown(line: string): string {
  return line.replace(always, '\\$&').replace(sometimes, '\\$&');
}
