/** A value passed separately from the statement, never inside its text. */
export type Parameter =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'integer'; readonly value: bigint }
  | { readonly type: 'decimal'; readonly value: number }
  | { readonly type: 'boolean'; readonly value: boolean }
  /** Epoch milliseconds. */
  | { readonly type: 'instant'; readonly value: number };

type SqlPart =
  /** Text by sluice or the model's author. */
  | { readonly kind: 'text'; readonly text: string }
  /** A name, quoted by the dialect. */
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'parameter'; readonly parameter: Parameter };

/** A piece of SQL before the dialect's quoting and placeholders are applied. */
export interface Expression {
  readonly parts: readonly SqlPart[];
  /**
   * Of an instant that is a day of a zone: the midnight that begins it, as wall time. It costs much less to compute.
   */
  readonly day?: { readonly midnight: Expression; readonly zone: string };
  /** Of an instant: the same time as its table has it, for comparisons, which can then use the table's order. */
  readonly stored?: Expression;
  /** Whether it takes long to compute or to plan, so that it should not be repeated. */
  readonly isCostly?: boolean;
}

/** SQL text by sluice or a model's author. Never use it for a value. */
export function trusted(text: string): Expression {
  return { parts: [{ kind: 'text', text }] };
}

/** `a` or `a.b`, each quoted. */
export function name(...path: readonly string[]): Expression {
  const parts: SqlPart[] = [];
  path.forEach((step, index) => {
    if (index > 0) parts.push({ kind: 'text', text: '.' });
    parts.push({ kind: 'name', name: step });
  });
  return { parts };
}

export function bound(parameter: Parameter): Expression {
  return { parts: [{ kind: 'parameter', parameter }] };
}

export function boundText(value: string): Expression {
  return bound({ type: 'text', value });
}

/** Epoch milliseconds. */
export function boundInstant(value: number): Expression {
  return bound({ type: 'instant', value });
}

/**
 * A template tag for SQL text with expressions. Inserted values must be expressions, so that a plain string cannot get
 * into the statement.
 */
export function sql(strings: TemplateStringsArray, ...values: readonly Expression[]): Expression {
  const parts: SqlPart[] = [];
  strings.forEach((text, index) => {
    if (text !== '') parts.push({ kind: 'text', text });
    const value = values[index];
    if (value) append(parts, value);
  });
  return { parts };
}

/** Joins expressions with `separator`. */
export function joined(expressions: readonly Expression[], separator: string): Expression {
  const parts: SqlPart[] = [];
  expressions.forEach((expression, index) => {
    if (index > 0) parts.push({ kind: 'text', text: separator });
    append(parts, expression);
  });
  return { parts };
}

/** Push one by one, because a call takes a limited number of arguments and a filter may have more values. */
function append(parts: SqlPart[], expression: Expression): void {
  for (const part of expression.parts) parts.push(part);
}

/** True if all conditions hold, or if there are none. */
export function allOf(conditions: readonly Expression[]): Expression {
  if (conditions.length === 0) return trusted('TRUE');
  return conditions.length === 1 ? conditions[0]! : sql`(${joined(conditions, ' AND ')})`;
}

/** A list of the expression, if there is one. */
export function present(expression: Expression | undefined): readonly Expression[] {
  return expression ? [expression] : [];
}

/** True if at least one condition holds, or if there are none: an empty `or` filters nothing. */
export function anyOf(conditions: readonly Expression[]): Expression {
  if (conditions.length === 0) return trusted('TRUE');
  return conditions.length === 1 ? conditions[0]! : sql`(${joined(conditions, ' OR ')})`;
}
