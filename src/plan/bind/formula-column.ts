import { type Formula, mapNames, type Part, partsOf } from '../../ask/notation/formula.ts';
import { nameOfFormula, writeChange, writeFormula } from '../../ask/notation/write-formula.ts';
import { shortNameOf } from '../../ask/query/member-name.ts';
import { type Column, inSentence, labelOf } from '../column.ts';
import { memberLabel } from '../model/member-label.ts';
import type { FurtherPlan } from '../plan.ts';
import { isConditionalKey, keyOf } from './read-formulas.ts';

/** The column of a formula. `columns`: those of its parts. `written`: the formula with its conditions. */
export function toFormulaColumn(
  column: Column,
  formula: Formula,
  columns: readonly Column[],
  written: Formula,
): Column {
  const known = new Map(columns.map((each) => [each.key, each]));
  const columnOf = (part: Part) => known.get(keyOf(part)) ?? known.get(part.name);
  const isNamed = !isConditionalKey(column.key) && shortNameOf(column.key) !== nameOfFormula(written);
  const [only] = partsOf(formula);
  const alone = formula.kind === 'measure' && only ? columnOf(only) : undefined;
  const said = writeFormula<Part>(
    mapNames<string, Part>(formula, (name, change) => ({
      kind: 'measure',
      name: { kind: 'measure', name, ...(change && { change }) },
    })),
    (part) => {
      const of = columnOf(part);
      const name = of ? inSentence(of) : shortNameOf(part.name);
      return part.change ? `${name} (${writeChange(part.change)})` : name;
    },
  );
  const [first] = partsOf(formula).map(columnOf);
  const label =
    first && said.startsWith(inSentence(first)) ? labelOf(first) + said.slice(inSentence(first).length) : said;
  const isShare = formula.kind === 'measure' && formula.change?.kind === 'share';
  return {
    ...column,
    ...(isNamed
      ? { label: memberLabel({ name: shortNameOf(column.key), shortTitle: column.shortTitle, type: 'number' }) }
      : { label }),
    format: isShare ? 'percent' : alone?.format,
    additive: isAdditive(formula, columnOf),
    whenAbsent: whenAbsent(formula, columnOf),
  };
}

/** True for sums, differences and multiples of additive measures. */
function isAdditive(formula: Formula, columnOf: (part: Part) => Column | undefined): boolean {
  if (formula.kind === 'measure') return formula.change === undefined && columnOf(formula)?.additive === true;
  if (formula.kind === 'number') return false;
  if (formula.kind === 'negative' || formula.kind === 'where') return isAdditive(formula.of, columnOf);
  const { operator, left, right } = formula;
  if (operator === '+' || operator === '-') return isAdditive(left, columnOf) && isAdditive(right, columnOf);
  if (operator === '/') return isAdditive(left, columnOf) && right.kind === 'number';
  return (
    (isAdditive(left, columnOf) && right.kind === 'number') || (left.kind === 'number' && isAdditive(right, columnOf))
  );
}

/** The value of the formula for an empty bucket. */
function whenAbsent(formula: Formula, columnOf: (part: Part) => Column | undefined): number | null {
  if (formula.kind === 'number') return Number(formula.text);
  if (formula.kind === 'measure') return columnOf(formula)?.whenAbsent ?? null;
  if (formula.kind === 'where') return whenAbsent(formula.of, columnOf);
  if (formula.kind === 'negative') {
    const of = whenAbsent(formula.of, columnOf);
    return of === null ? null : 0 - of;
  }
  const left = whenAbsent(formula.left, columnOf);
  const right = whenAbsent(formula.right, columnOf);
  if (left === null || right === null) return null;
  if (formula.operator === '/') return right === 0 ? null : left / right;
  return formula.operator === '+' ? left + right : formula.operator === '-' ? left - right : left * right;
}

/** The columns of parts with conditions, which their labels name. */
export function conditionalColumns({ plan, columns, where }: FurtherPlan): readonly Column[] {
  return plan.columns
    .filter(({ key }) => columns.some(({ from }) => from === key))
    .map((column) => ({ ...column, label: `${labelOf(column)} (${where})` }));
}
