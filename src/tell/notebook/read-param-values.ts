import { didYouMean } from '../../ask/did-you-mean.ts';
import { errorIssue, settle, type Issue, type Outcome } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import type { Param, ParamValue, ParamValues } from './param.ts';
import { readParamValue } from './read-param-value.ts';

/**
 * The parameters of a notebook with what is given for them, by name; their defaults where nothing is. All issues at once:
 * `unknown-param`, `missing-param`, and those of `readParamValue`; what was given has the path `['--param', name]`.
 */
export function readParamValues(params: readonly Param[], given: ReadonlyMap<string, string>, context: TimeContext): Outcome<ParamValues> {
  const issues: Issue[] = [];
  const names = params.map(({ name }) => name);
  for (const name of given.keys()) if (!names.includes(name)) issues.push(unknown(name, names));
  const values = new Map<string, ParamValue>();
  for (const param of params) {
    const named = given.get(param.name);
    const text = named ?? param.default;
    if (text === undefined) {
      issues.push(errorIssue('missing-param', `The parameter ${quote(param.name)} is missing.`, { path: ['params', param.name], hint: `Give it: --param ${param.name}=…` }));
      continue;
    }
    const read = readParamValue(param, text, context);
    const path = named === undefined ? ['params', param.name, 'default'] : ['--param', param.name];
    issues.push(...read.issues.map((issue) => ({ ...issue, path })));
    if (read.ok) values.set(param.name, read.value);
  }
  return settle(values, issues);
}

function unknown(name: string, names: readonly string[]): Issue {
  const all = names.length === 0 ? 'It takes none.' : `There are ${names.join(', ')}.`;
  return errorIssue('unknown-param', `The report has no parameter ${quote(name)}.`, { path: ['--param', name], hint: didYouMean(name, names) ?? all });
}

/** Some time or other: what matters of examples is their form. */
const anyTime: TimeContext = { now: Date.UTC(2000, 0, 15, 12), zone: 'UTC' };

/** Values of the right form for every parameter, so that cells can be read before anybody gives any. Issues are those of the defaults. */
export function exampleParams(params: readonly Param[]): { readonly values: ParamValues; readonly issues: readonly Issue[] } {
  const values = new Map<string, ParamValue>();
  const issues: Issue[] = [];
  for (const param of params) {
    const read = param.default === undefined ? undefined : readParamValue(param, param.default, anyTime);
    if (read) issues.push(...read.issues.map((issue) => ({ ...issue, path: ['params', param.name, 'default'] })));
    const example = read?.ok ? read : readParamValue(param, exampleOf(param), anyTime);
    if (example.ok) values.set(param.name, example.value);
  }
  return { values, issues };
}

/** The same parameters, each with a default. */
export function withExamples(params: readonly Param[]): readonly Param[] {
  return params.map((param) => (param.default === undefined ? { ...param, default: exampleOf(param) } : param));
}

function exampleOf({ type, options }: Param): string | number {
  return { month: '2000-01', week: '2000-W01', date: '2000-01-01', range: '2000-01', text: 'text', number: 1, choice: options?.[0] ?? '' }[type];
}
