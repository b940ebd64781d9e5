import { type Issue, warningIssue } from '../../outcome.ts';
import { quote } from '../../quote.ts';
import type { ConditionNode, TestNode } from './syntax.ts';

/** Warns of values that look like patterns: `docPath = /blog*` compares with the star itself. */
export function warnOfStars(conditions: readonly ConditionNode[]): readonly Issue[] {
  return conditions.flatMap((node) => (node.kind === 'test' ? warnOfTest(node) : warnOfStars(node.parts)));
}

function warnOfTest({ name, operator, values }: TestNode): readonly Issue[] {
  return values.flatMap(({ value, span }) => {
    const parts = typeof value === 'string' ? /^(\*?)([^*]+)(\*?)$/.exec(value) : null;
    if (!parts || !(parts[1] || parts[3])) return [];
    const [, before, text = '', after] = parts;
    const sign = before && after ? '~' : before ? '$=' : '^=';
    const plain = /^[\w/.:-]+$/.test(text) ? text : `'${text}'`;
    const hint = operator === 'equals' && values.length === 1 && plain.length < 40
      ? `Write \`${name.text} ${sign} ${plain}\`.`
      : '`^=` compares the beginning, `$=` the end, `~` any part.';
    return [warningIssue('literal-star', `The * in ${quote(String(value))} stands for itself, not for any text.`, { span, hint })];
  });
}
