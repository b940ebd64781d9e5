/** A value that travels beside the statement, never inside its text. */
export type Parameter =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'integer'; readonly value: bigint }
  | { readonly type: 'decimal'; readonly value: number }
  | { readonly type: 'boolean'; readonly value: boolean }
  /** Epoch milliseconds. */
  | { readonly type: 'instant'; readonly value: number };

export type SqlPart =
  /** Text that sluice or the model's author wrote. */
  | { readonly kind: 'text'; readonly text: string }
  /** A name, quoted by the dialect. */
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'parameter'; readonly parameter: Parameter };

/** A piece of SQL that does not know its dialect's quoting and placeholders yet. */
export interface Expression {
  readonly parts: readonly SqlPart[];
}

/** Text as it stands: only for SQL of sluice's own or of a model's author, never for a value. */
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

/**
 * Template tag: literal text with expressions in between. What is put in must be an expression already,
 * so that a bare string cannot slip into the statement.
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

/** The expressions one after the other, `separator` between them. */
export function joined(expressions: readonly Expression[], separator: string): Expression {
  const parts: SqlPart[] = [];
  expressions.forEach((expression, index) => {
    if (index > 0) parts.push({ kind: 'text', text: separator });
    append(parts, expression);
  });
  return { parts };
}

/** One by one: a call takes only so many arguments, and a filter may have more values. */
function append(parts: SqlPart[], expression: Expression): void {
  for (const part of expression.parts) parts.push(part);
}

/** All conditions hold; true where there are none. */
export function allOf(conditions: readonly Expression[]): Expression {
  if (conditions.length === 0) return trusted('TRUE');
  return conditions.length === 1 ? conditions[0]! : sql`(${joined(conditions, ' AND ')})`;
}

/** At least one condition holds; true where there are none, as an empty `or` filters nothing. */
export function anyOf(conditions: readonly Expression[]): Expression {
  if (conditions.length === 0) return trusted('TRUE');
  return conditions.length === 1 ? conditions[0]! : sql`(${joined(conditions, ' OR ')})`;
}
