import type { ZodType } from 'zod';
import { attachSpans, type Located } from './located.ts';
import { type ParseOptions, parseYaml } from './parse-yaml.ts';
import { readValue } from './read-value.ts';

/**
 * Reads a hand-written YAML (or JSON) text by a schema: the value, or all issues at once, each with the span of its key
 * or value. Later stages find the spans of parts with `locate`. `schema` may depend on the value, if there are several
 * forms. Never throws.
 */
export function readDocument<T>(
  text: string,
  schema: ZodType<T> | ((value: unknown) => ZodType<T>),
  options: ParseOptions = {},
): Located<T> {
  const parsed = parseYaml(text, options);
  if (!parsed.ok) return parsed;
  const { source, file, locate } = parsed;
  const outcome = readValue(parsed.value, typeof schema === 'function' ? schema(parsed.value) : schema);
  const issues = attachSpans([...parsed.issues, ...outcome.issues], locate);
  return { ...outcome, issues, source, file, locate };
}
