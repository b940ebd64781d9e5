import { didYouMean } from '../../ask/did-you-mean.ts';
import { errorIssue, type Issue, type IssuePath } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import type { ParamValue, ParamValues } from './param.ts';

const whole = /^\s*\{\{([^{}]*)\}\}\s*$/;
const inside = /\\\{\{|\{\{([^{}]*)\}\}/g;

type Filled = Pick<ParamValue, 'value' | 'text'>;

/**
 * A cell's data with its parameters filled in. They are put into texts of the parsed YAML, never into its source, so that no value can
 * become anything but a value: a text that is one parameter and nothing else becomes the parameter's value with its type, inside of a
 * longer text it is text. `\{{` stays `{{`. Keys are left alone. Issue: `unknown-param`, by path.
 */
export function fillParams(data: unknown, values: ParamValues): { readonly data: unknown; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const fill = (part: unknown, path: IssuePath): unknown => {
    if (typeof part === 'string') return fillText(part, values, (issue) => issues.push({ ...issue, path }));
    if (Array.isArray(part)) return part.map((item: unknown, index) => fill(item, [...path, index]));
    if (part !== null && typeof part === 'object') return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, fill(value, [...path, key])]));
    return part;
  };
  return { data: fill(data, []), issues };
}

/** Data whose texts hold no parameters, so that filling them in gives it back. */
export function escapeParams(data: unknown): unknown {
  if (typeof data === 'string') return data.replaceAll('{{', '\\{{');
  if (Array.isArray(data)) return data.map(escapeParams);
  if (data !== null && typeof data === 'object') return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, escapeParams(value)]));
  return data;
}

/** A text of people, such as a title, with its parameters as people read them. */
export function fillTitle(text: string, values: ParamValues): string {
  const filled = fillText(text, values, () => undefined);
  return typeof filled === 'string' ? filled : String(findParam(whole.exec(text)?.[1] ?? '', values)?.text ?? text);
}

/** A parameter, or one of its parts: `month`, `month.start`. */
export function findParam(path: string, values: ParamValues): Filled | undefined {
  const [name = '', part, ...more] = path.trim().split('.');
  const found = values.get(name);
  if (!found || more.length > 0) return undefined;
  if (part === undefined) return found;
  return Object.hasOwn(found.parts, part) ? found.parts[part] : undefined;
}

/** Names of all parameters and their parts. */
export function paramNames(values: ParamValues): readonly string[] {
  return [...values].flatMap(([name, { parts }]) => [name, ...Object.keys(parts).map((part) => `${name}.${part}`)]);
}

export function unknownParam(path: string, values: ParamValues): Issue {
  const names = paramNames(values);
  const all = names.length === 0 ? 'The front matter declares none: add `params`.' : `There are ${names.join(', ')}.`;
  return errorIssue('unknown-param', `There is no parameter ${quote(path.trim())}.`, { hint: didYouMean(path.trim(), names) ?? all });
}

function fillText(text: string, values: ParamValues, report: (issue: Issue) => void): unknown {
  const find = (path: string): Filled | undefined => {
    const found = findParam(path, values);
    if (!found) report(unknownParam(path, values));
    return found;
  };
  const alone = whole.exec(text)?.[1];
  if (alone !== undefined) return find(alone)?.value ?? text;
  return text.replace(inside, (written, path: string | undefined) => (path === undefined ? '{{' : find(path)?.text ?? written));
}
