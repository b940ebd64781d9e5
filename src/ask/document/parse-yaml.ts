import { type Document, isMap, isNode, isScalar, parseDocument, visit, type YAMLError } from 'yaml';
import { bad, errorIssue, good, type Issue, type IssuePath, warningIssue } from '../outcome.ts';
import { quote } from '../text.ts';
import { tooDeepPath } from './depth.ts';
import { locateIn } from './locate-node.ts';
import { type Located, toSpan } from './located.ts';

export interface ParseOptions {
  readonly file?: string | undefined;
  /**
   * Selects numbers that stay text because a number would not print as written: `1.10`, `007`, integers beyond 2^53.
   * For values that are compared as text.
   */
  readonly asWritten?: ((path: IssuePath) => boolean) | undefined;
}

const maxAliases = 100;

/**
 * Parses YAML (or JSON, which is YAML) into plain data: mappings, lists, text, numbers, true, false and null. Dates,
 * `yes` and `no` stay text (YAML 1.2 core). Issues: syntax errors, duplicate keys, several documents, an empty text,
 * nesting that is too deep, and aliases that are cyclic or expand to too much data.
 */
export function parseYaml(text: string, options: ParseOptions = {}): Located<unknown> {
  const located = { source: text, file: options.file };
  try {
    const document = parseDocument(text, {
      prettyErrors: false,
      stringKeys: true,
      resolveKnownTags: false,
      logLevel: 'error',
      uniqueKeys: false,
    });
    const locate = locateIn(text, document.contents);
    const issues = toYamlIssues([...document.errors, ...document.warnings], text);
    if (document.errors.length > 0) return { ...bad(issues), ...located, locate };
    const faults = checkNodes(document, text);
    if (faults.length > 0) return { ...bad([...issues, ...faults]), ...located, locate };
    if (document.contents === null || isVoid(text, document)) return { ...bad([emptyIssue(text)]), ...located, locate };
    if (options.asWritten) keepNumbersAsWritten(document, options.asWritten);
    const read = toValue(document, text, issues);
    const deep = read.ok ? tooDeepPath(read.value) : undefined;
    return { ...(deep ? bad([tooDeepIssue(text, locate(deep))]) : read), ...located, locate };
  } catch (error) {
    // The parser recurses, so hostile nesting throws a RangeError.
    if (!(error instanceof RangeError)) throw error;
    return { ...bad([tooDeepIssue(text)]), ...located, locate: () => undefined };
  }
}

function toValue(document: Document.Parsed, text: string, warnings: readonly Issue[]) {
  try {
    return good<unknown>(document.toJS({ maxAliasCount: maxAliases }), warnings);
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const message = 'These aliases expand to too much data.';
    return bad([
      ...warnings,
      errorIssue('yaml-alias', message, { span: toSpan(text, 0, 0), hint: 'Write the values out.' }),
    ]);
  }
}

function isVoid(text: string, document: Document.Parsed): boolean {
  const [start, end] = document.contents?.range ?? [0, 0];
  return isScalar(document.contents) && document.contents.value === null && text.slice(start, end).trim() === '';
}

function emptyIssue(text: string): Issue {
  return errorIssue('empty-document', 'The text is empty.', { span: toSpan(text, 0, 0) });
}

function tooDeepIssue(text: string, span = toSpan(text, 0, 0)): Issue {
  return errorIssue('too-deep', 'It is nested too deeply.', { span });
}

function keepNumbersAsWritten(document: Document.Parsed, wanted: (path: IssuePath) => boolean): void {
  const visitNode = (node: unknown, path: IssuePath): void => {
    if (isScalar(node)) {
      if (
        typeof node.value === 'number' &&
        node.source !== undefined &&
        String(node.value) !== node.source &&
        wanted(path)
      ) {
        if (/^-?\d+(\.\d+)?$/.test(node.source)) node.value = node.source;
      }
    } else if (node !== null && typeof node === 'object' && 'items' in node && Array.isArray(node.items)) {
      node.items.forEach((item: unknown, index) => {
        if (item !== null && typeof item === 'object' && 'key' in item && 'value' in item) {
          visitNode(item.value, [...path, isScalar(item.key) ? String(item.key.value) : '']);
        } else visitNode(item, [...path, index]);
      });
    }
  };
  visitNode(document.contents, []);
}

/** Limits aliases, because resolving them takes quadratic time. */
const mostAliases = 1000;

/**
 * Finds duplicate keys, aliases without an anchor and aliases inside their own anchor (`&a [*a]`) in one walk. The
 * parser's own search for duplicate keys compares every pair of keys.
 */
function checkNodes(document: Document.Parsed, text: string): readonly Issue[] {
  const issues: Issue[] = [];
  const anchors = new Map<string, unknown>();
  let aliases = 0;
  const complain = (code: string, message: string, range: readonly number[] | null | undefined, hint: string) => {
    const [start = 0, end = start] = range ?? [];
    issues.push(errorIssue(code, message, { span: toSpan(text, start, end), hint }));
  };
  visit(document, {
    Value(_key, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      if (!isMap(node)) return;
      const seen = new Set<unknown>();
      for (const { key } of node.items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) complain('duplicate-key', 'Duplicate key.', key.range, 'Keep one of them.');
        seen.add(key.value);
      }
    },
    Alias(_key, alias, above) {
      aliases += 1;
      if (aliases === mostAliases + 1) {
        complain('yaml-alias', `There are more than ${mostAliases} aliases.`, alias.range, 'Write the values out.');
        return visit.BREAK;
      }
      const target = anchors.get(alias.source);
      if (target === undefined) {
        complain('yaml-alias', 'This alias has no anchor.', alias.range, 'An alias `*name` needs `&name` before it.');
      } else if (above.some((node) => isNode(node) && node === target)) {
        complain(
          'yaml-alias',
          'This alias refers to a value that contains the alias.',
          alias.range,
          'Write the value out.',
        );
      }
      return undefined;
    },
  });
  return issues;
}

interface Wording {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** The parser's errors in plain words: one for each place, or only the cause if the text is nested too deeply. */
function toYamlIssues(errors: readonly YAMLError[], text: string): readonly Issue[] {
  const cause = errors.find((error) => error.code === 'RESOURCE_EXHAUSTION');
  if (cause) return [toYamlIssue(cause, text)];
  const bracket =
    looksLikeJson(text) && errors.some(({ name }) => name === 'YAMLParseError') ? toBracketIssue(text) : undefined;
  if (bracket) return [bracket];
  const places = new Map<number, YAMLError>();
  for (const error of errors) if (!places.has(error.pos[0])) places.set(error.pos[0], error);
  return [...places.values()].map((error) => toYamlIssue(error, text));
}

function toYamlIssue(error: YAMLError, text: string): Issue {
  // Something missing at the end is marked after the last word, not on an empty line below.
  const last = text.trimEnd().length;
  const [start, end] = error.pos[0] > last ? [last, last] : error.pos;
  const { code, message, hint } = wordingOf(error, text.slice(start, end));
  const toIssue = error.name === 'YAMLWarning' ? warningIssue : errorIssue;
  return toIssue(code, message, { span: toSpan(text, start, Math.max(end, start + 1)), hint });
}

function wordingOf(error: YAMLError, found: string): Wording {
  switch (error.code) {
    case 'MULTIPLE_DOCS':
      return {
        code: 'several-documents',
        message: 'The text contains more than one YAML document.',
        hint: 'Remove everything from the second `---` on.',
      };
    case 'TAB_AS_INDENT':
      return { code: 'yaml-tab', message: 'Tabs cannot indent YAML.', hint: 'Indent with spaces.' };
    case 'TAG_RESOLVE_FAILED':
      return {
        code: 'yaml-tag',
        message: `The tag ${quote(found.split(/\s/, 1)[0] ?? '')} is not supported here.`,
        hint: 'Leave it out.',
      };
    case 'RESOURCE_EXHAUSTION':
      return { code: 'too-deep', message: 'It is nested too deeply.' };
    case 'BLOCK_IN_FLOW':
      return { code: 'yaml-syntax', message: 'A comma or a bracket is missing before this.' };
    default:
      return { code: 'yaml-syntax', message: plainMessage(error.message) };
  }
}

function plainMessage(message: string): string {
  const closer = /must be sufficiently indented and end with an? (.)$|must end with an? (.)$/.exec(message);
  if (closer) return `A bracket is not closed: ${closer[1] ?? closer[2]} is missing here.`;
  if (/^Missing , or/.test(message)) return 'A comma or a colon is missing before this.';
  if (/^Missing ,/.test(message)) return 'A comma is missing before this.';
  if (/ at node end$/.test(message)) return 'A comma or a line break is missing before this.';
  if (/^Unexpected , in/.test(message)) return 'This comma is not needed.';
  if (/^Missing closing/.test(message)) return 'A quote is not closed.';
  return firstSentence(message);
}

function firstSentence(message: string): string {
  const sentence = message.split('\n', 1)[0]?.trim() ?? '';
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Whether a text is probably JSON: it begins with a bracket. */
function looksLikeJson(text: string): boolean {
  return /^\ufeff?\s*[{[]/.test(text);
}

/**
 * The first bracket or quote that breaks a JSON text: one that is not closed, is closed by the wrong kind, or closes
 * nothing. Undefined if all of them match.
 */
function toBracketIssue(text: string): Issue | undefined {
  const open: { readonly at: number; readonly closer: string }[] = [];
  for (const { 0: found, index, groups } of text.matchAll(tokens)) {
    if (found.startsWith('"')) {
      if (groups?.['close'] === undefined) {
        return errorIssue('unclosed-quote', 'This quote is not closed.', {
          span: toSpan(text, index, index + found.length),
          hint: 'Write " after the text.',
        });
      }
    } else if (found === '{' || found === '[') {
      open.push({ at: index, closer: found === '{' ? '}' : ']' });
    } else {
      const last = open.pop();
      if (last?.closer !== found) return wrongCloser(text, index, last);
    }
  }
  const last = open.at(-1);
  if (!last) return undefined;
  const missing = open
    .map(({ closer }) => closer)
    .toReversed()
    .join('');
  const hint = `Write ${missing.length > 20 ? `the ${missing.length} missing brackets` : missing} at the end.`;
  return errorIssue('unclosed-bracket', 'This bracket is not closed.', {
    span: toSpan(text, last.at, last.at + 1),
    hint,
  });
}

/** Quoted texts, which end at the end of the line at the latest, and brackets outside of them. */
const tokens = /"(?:[^"\\\r\n]|\\[^\r\n])*(?<close>")?|[{}[\]]/g;

function wrongCloser(
  text: string,
  at: number,
  last: { readonly at: number; readonly closer: string } | undefined,
): Issue {
  const span = toSpan(text, at, at + 1);
  if (!last)
    return errorIssue('unopened-bracket', `This ${text[at]} has no opening bracket.`, { span, hint: 'Leave it out.' });
  const { line, column } = toSpan(text, last.at, last.at + 1);
  const message = `The ${text[last.at]} of line ${line}, column ${column} is not closed before this ${text[at]}.`;
  return errorIssue('unclosed-bracket', message, { span, hint: `Write ${last.closer} before it.` });
}
