import type { PathTarget } from '../../ask/funnel/funnel.ts';
import { anyOf, bound, sql, type Expression } from '../../plan/sql/expression.ts';

/** The event's path is one of the targets. The targets travel beside the statement. */
export function pathCondition(path: Expression, targets: readonly PathTarget[]): Expression {
  return anyOf(targets.map((target) => (target.isPattern
    ? sql`regexp_full_match(${path}, ${bound({ type: 'text', value: toPathPattern(target.path) })})`
    : sql`${path} = ${bound({ type: 'text', value: target.path })}`)));
}

/** `*` stands for any text without a slash, `**` for any text: as RE2 writes it, which takes linear time whatever the pattern. */
export function toPathPattern(path: string): string {
  return path
    .split(/(\*+)/)
    .map((part) => {
      if (part.startsWith('**')) return '(?s:.*)';
      return part === '*' ? '[^/]*' : part.replace(/[^\p{L}\p{N}/_-]/gu, (letter) => `\\x{${letter.codePointAt(0)!.toString(16)}}`);
    })
    .join('');
}
