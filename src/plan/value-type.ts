/** What the values of a column are as data, for formats that have types. All of them may be null. */
export type ValueType =
  | { readonly kind: 'text' | 'boolean' | 'double' }
  /** Whole numbers of 64 bits, with sign. */
  | { readonly kind: 'integer' }
  /** At most 38 digits, `scale` of them after the point. */
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  /** To the millisecond. `utc`: an instant; else a wall time that knows no zone. */
  | { readonly kind: 'time'; readonly utc: boolean };

/** What an engine says of a column before anyone has seen its values. `whole`: whole numbers of any length. */
export type TypeClaim = ValueType | { readonly kind: 'whole' };
