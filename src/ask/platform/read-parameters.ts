import { readValue } from '../document/read-value.ts';
import { bad, errorIssue, good, type Issue, type Outcome } from '../outcome.ts';
import { quote } from '../text.ts';
import type { Operation, Rule } from './operation.ts';

/** The parameters of an operation as a server would take them, or everything that is wrong with them. */
export function readParameters(asked: Operation, given: unknown): Outcome<Readonly<Record<string, unknown>>> {
  const read = readValue<Readonly<Record<string, unknown>>>(given, asked.params);
  if (!read.ok) return read;
  const issues = (asked.rules ?? []).flatMap((rule) => breachOf(rule, read.value));
  return issues.length > 0 ? bad(issues) : good(read.value);
}

function breachOf(rule: Rule, given: Readonly<Record<string, unknown>>): readonly Issue[] {
  if (rule.kind === 'any-of') {
    if (rule.names.some((name) => given[name] !== undefined)) return [];
    const names = rule.names.map(quote).join(', ');
    return [errorIssue('missing-key', `At least one of ${names} is required.`)];
  }
  const { name, other } = rule;
  const isSet = given[name] !== undefined && given[name] !== false;
  if (!isSet || given[other] === undefined) return [];
  return [
    errorIssue('invalid-value', `The platform ignores ${quote(other)} if ${quote(name)} is given.`, {
      path: [other],
      hint: `Remove one of the two.`,
    }),
  ];
}
