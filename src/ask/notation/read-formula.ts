import { type Formula, mapNames, partsOf } from '../formula/formula.ts';
import { bad, errorIssue, type Outcome, settle } from '../outcome.ts';
import { memberPattern } from '../query/member-name.ts';
import { quote } from '../text.ts';
import { parseFormula } from './parse-formula.ts';
import { describeToken, readTokens, tokenize } from './tokens.ts';

/**
 * A formula of measures: `Shop.sales / Shop.users rolling 28 days`. Names without a cube belong to `cube`. All issues
 * at once, each with the words that it is about; never throws.
 */
export function readFormula(text: string, cube: string): Outcome<Formula> {
  const { tokens, issues } = tokenize(text);
  const reader = readTokens(text, tokens, issues);
  const node = parseFormula(reader, noNames);
  if (node && reader.peek().kind !== 'end')
    reader.complain(
      'notation-formula',
      `${describeToken(reader.peek())} is not expected in a formula.`,
      'A formula is made of measures, numbers, `+ - * /` and brackets.',
    );
  if (!node) return bad(reader.issues);
  const formula = mapNames<{ readonly text: string }, string>(node, ({ text: name }, change) => ({
    kind: 'measure',
    name: memberPattern().test(name) ? name : `${cube}.${name}`,
    ...(change && { change }),
  }));
  const wrong = partsOf(formula).filter(({ name }) => !memberPattern().test(name));
  return settle(formula, [
    ...reader.issues,
    ...wrong.map(({ name }) =>
      errorIssue('not-a-name', `${quote(name)} is no name of a measure.`, {
        hint: 'Write `Cube.measure`, and blanks around `+ - * /`.',
      }),
    ),
  ]);
}

/** Each word is a name of its own. */
const noNames = { reach: () => 0, strangers: () => 1, kindOf: () => undefined, nearMember: () => undefined };
