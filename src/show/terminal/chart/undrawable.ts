import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';

const wayOut = 'Use the svg, png or html format, which can draw every chart.';

/** The error for a chart that cells cannot show. `what` names the obstacle. */
export function refuse(what: string, hint: string = wayOut): InvalidInputError {
  const message = `A terminal cannot draw ${what}.`;
  return new InvalidInputError(message, [errorIssue('chart-undrawable', message, { hint })], {
    code: 'chart-undrawable',
    hint,
  });
}

/** The error for a scale whose ends exceed the range of numbers. */
export function beyondNumbers(): InvalidInputError {
  return refuse('numbers as large as these', 'Divide them, or ask for a table.');
}
