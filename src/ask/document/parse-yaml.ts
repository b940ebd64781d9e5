import { type Document, isScalar, parseDocument } from 'yaml';
import { bad, errorIssue, good, type Issue, type IssuePath } from '../outcome.ts';
import { checkNodes } from './check-nodes.ts';
import { tooDeepPath } from './depth.ts';
import { locateIn } from './locate-node.ts';
import type { Located } from './located.ts';
import { toSpan } from './span.ts';
import { toYamlIssues } from './yaml-issues.ts';

export interface ParseOptions {
  readonly file?: string | undefined;
  /**
   * Picks the numbers that stay text where a number would not print as it is written: `1.10`, `007`,
   * integers beyond 2^53. For values that are compared with text.
   */
  readonly asWritten?: ((path: IssuePath) => boolean) | undefined;
}

const maxAliases = 100;

/**
 * YAML (or JSON, which is YAML) as plain data: mappings, lists, text, numbers, true, false and null.
 * Dates, `yes` and `no` stay text (YAML 1.2 core). Syntax errors, keys that stand twice, several documents,
 * an empty text, nesting beyond all measure, and aliases that multiply or lead in a circle are issues.
 */
export function parseYaml(text: string, options: ParseOptions = {}): Located<unknown> {
  const located = { source: text, file: options.file };
  try {
    const document = parseDocument(text, {
      prettyErrors: false, stringKeys: true, resolveKnownTags: false, logLevel: 'error', uniqueKeys: false,
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
    // The parser recurses: hostile nesting ends in a RangeError of the runtime.
    if (!(error instanceof RangeError)) throw error;
    return { ...bad([tooDeepIssue(text)]), ...located, locate: () => undefined };
  }
}

function toValue(document: Document.Parsed, text: string, warnings: readonly Issue[]) {
  try {
    return good<unknown>(document.toJS({ maxAliasCount: maxAliases }), warnings);
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const message = 'The aliases here multiply into too much data.';
    return bad([...warnings, errorIssue('yaml-alias', message, { span: toSpan(text, 0, 0), hint: 'Write the values out.' })]);
  }
}

function isVoid(text: string, document: Document.Parsed): boolean {
  const [start, end] = document.contents?.range ?? [0, 0];
  return isScalar(document.contents) && document.contents.value === null && text.slice(start, end).trim() === '';
}

function emptyIssue(text: string): Issue {
  return errorIssue('empty-document', 'There is nothing in it.', { span: toSpan(text, 0, 0) });
}

function tooDeepIssue(text: string, span = toSpan(text, 0, 0)): Issue {
  return errorIssue('too-deep', 'It is nested too deeply.', { span });
}

function keepNumbersAsWritten(document: Document.Parsed, wanted: (path: IssuePath) => boolean): void {
  const visitNode = (node: unknown, path: IssuePath): void => {
    if (isScalar(node)) {
      if (typeof node.value === 'number' && node.source !== undefined && String(node.value) !== node.source && wanted(path)) {
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
