import type { Dialect } from './dialect.ts';
import type { Expression, Parameter } from './expression.ts';

/** The expression in the dialect's words: names quoted, parameters numbered from 1 and taken out. */
export function printStatement(expression: Expression, dialect: Dialect): { readonly text: string; readonly parameters: readonly Parameter[] } {
  const parameters: Parameter[] = [];
  let text = '';
  for (const part of expression.parts) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind === 'name') text += dialect.quoteName(part.name);
    else {
      parameters.push(part.parameter);
      text += dialect.placeholder(parameters.length, part.parameter);
    }
  }
  return { text, parameters };
}
