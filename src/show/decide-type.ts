import type { Column, Value } from '../plan/column.ts';
import type { TypeClaim, ValueType } from '../plan/value-type.ts';
import type { Values } from '../shape/values/values.ts';
import { toInstant } from '../plan/to-instant.ts';
import { toUnscaled } from '../plan/to-unscaled.ts';

/**
 * The type that all of a column's values have. What the engine claims stands, unless a value says otherwise; without a
 * claim the column and all of its values decide, and numbers that no type holds in full are text.
 */
export function decideType(column: Column, claim: TypeClaim | undefined, values: Values): ValueType {
  return candidates(column, claim, values).find((type) => fits(type, values)) ?? { kind: 'text' };
}

const wide = { kind: 'decimal', precision: 38, scale: 0 } as const;

function candidates(column: Column, claim: TypeClaim | undefined, values: Values): readonly ValueType[] {
  if (claim) return claim.kind === 'whole' ? [{ kind: 'integer' }, wide] : [claim];
  switch (column.type) {
    case 'string':
      return [];
    case 'boolean':
      return [{ kind: 'boolean' }];
    case 'time':
      return [{ kind: 'time', utc: !isWallTime(values) }];
    case 'number':
      // Sums and counts of whole numbers stay whole; an average is no whole number because it happens to be one.
      return column.additive ? [{ kind: 'integer' }, wide, { kind: 'double' }] : [{ kind: 'double' }, wide];
  }
}

/** Labels without an offset, of which a whole column is one kind or the other. */
function isWallTime(values: Values): boolean {
  return !values.some((value: Value) => typeof value === 'string' && /(?:Z|[+-]\d\d:\d\d)$/.test(value));
}

function fits(type: ValueType, values: Values): boolean {
  if (values instanceof Float64Array && type.kind === 'double') return true;
  const fit = fitness[type.kind];
  return values.every((value: Value) => value === null || fit(value, type));
}

type Present = NonNullable<Value>;

const fitness: Readonly<Record<ValueType['kind'], (value: Present, type: ValueType) => boolean>> = {
  text: () => true,
  boolean: (value) => typeof value === 'boolean',
  double: (value) => typeof value === 'number',
  integer: (value) => (typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value)),
  decimal: (value, type) => {
    if (type.kind !== 'decimal' || typeof value === 'boolean') return false;
    const unscaled = toUnscaled(value, type.scale);
    return unscaled !== undefined && (unscaled < 0n ? -unscaled : unscaled) < 10n ** BigInt(type.precision);
  },
  time: (value) => typeof value === 'string' && toInstant(value) !== undefined,
};
