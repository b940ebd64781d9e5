import type { ZodType } from 'zod';
import { attachSpans, type Located } from './located.ts';
import { type ParseOptions, parseYaml } from './parse-yaml.ts';
import { readValue } from './read-value.ts';

/**
 * A hand-written YAML (or JSON) text that is to fit a schema: the value, or all issues at once, each with the span of
 * the key or value it is about. `locate` points later stages at any part of the text. Never throws.
 */
export function readDocument<T>(text: string, schema: ZodType<T>, options: ParseOptions = {}): Located<T> {
  const parsed = parseYaml(text, options);
  if (!parsed.ok) return parsed;
  const { source, file, locate } = parsed;
  const outcome = readValue(parsed.value, schema);
  const issues = attachSpans([...parsed.issues, ...outcome.issues], locate);
  return { ...outcome, issues, source, file, locate };
}
