import type { Value } from '../../plan/column.ts';

/** The values of one column, one for each row. A `Float64Array` holds no nulls. */
export type Values = readonly Value[] | Float64Array;
