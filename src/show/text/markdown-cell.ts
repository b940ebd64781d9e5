// Emphasis, code, links, HTML, tables, mathematics, and references to people, issues and labels.
const always = /[\\`*[\]<>|~#@$]/g;
// Only some of these begin something: `&lt;`, `!12`, `://`, `:smile:`, `_word_`, `www.`
const sometimes = /&(?=#?\w+;|\d)|!(?=\d)|:(?=\/\/|[\w+-]+:)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<=\bwww)\./giu;

/**
 * A harmless line of text as GitHub's or GitLab's Markdown that reads the same: a backslash stands before what would be
 * markup.
 */
export function escapeMarkdown(line: string): string {
  return line.replace(always, '\\$&').replace(sometimes, '\\$&');
}
