import type { TypeClaim, Value } from '../../plan/column.ts';
import type { ComputedSource } from '../../plan/model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import type { AnswerFacts, Batch } from '../backend.ts';

/** A complete answer. */
export interface WholeAnswer {
  readonly batches: readonly Batch[];
  readonly types: readonly (TypeClaim | undefined)[] | undefined;
  readonly facts: AnswerFacts;
}

/**
 * The place of each part of the built-in model. Plans refer to these parts by place, because they are fixed for a
 * version of sluice.
 */
let builtIn: Map<object, string> | undefined;

/** A plan as text; equal texts mean equal plans, apart from the present. undefined if it cannot be written. */
export async function writePlan(plan: Plan): Promise<string | undefined> {
  const { builtInModel } = await import('../../plan/model/built-in-model.ts');
  if (!builtIn) {
    builtIn = new Map();
    for (const cube of builtInModel.cubes) noteParts(cube, cube.name, builtIn);
  }
  const known = builtIn;
  try {
    return JSON.stringify({ ...plan, now: 0 }, (key, value: unknown) => {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        // Each analysis has a unique name within a version of sluice.
        if (key === 'analysis') return (value as ComputedSource['analysis']).name;
        const place = known.get(value);
        if (place !== undefined) return { $builtIn: place };
        if (value instanceof Map) return [...value];
        if (Object.getPrototypeOf(value) !== Object.prototype) throw new TypeError('not plain');
        return value;
      }
      if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError('not plain');
      return packed(value);
    });
  } catch {
    return undefined;
  }
}

function noteParts(value: unknown, place: string, places: Map<object, string>): void {
  if (typeof value !== 'object' || value === null || places.has(value)) return;
  if (!Array.isArray(value)) places.set(value, place);
  for (const [key, part] of Object.entries(value)) noteParts(part, `${place}.${key}`, places);
}

export function writeAnswer({ batches, types, facts }: WholeAnswer): string {
  const told = batches.map(({ rowCount, columns }) => ({
    rowCount,
    columns: columns.map((values) =>
      values instanceof Float64Array ? { floats: Array.from(values, packed) } : values.map(packed),
    ),
  }));
  return JSON.stringify([told, types?.map((type) => type ?? null), facts]);
}

export function readAnswer(text: string): WholeAnswer {
  const [batches, types, facts] = JSON.parse(text) as readonly [readonly WrittenBatch[], unknown[] | null, AnswerFacts];
  return {
    batches: batches.map(({ rowCount, columns }) => ({
      rowCount,
      columns: columns.map((values) =>
        'floats' in values ? Float64Array.from(values.floats, (one) => unpacked(one) as number) : values.map(unpacked),
      ),
    })),
    types: types?.map((type) => (type ?? undefined) as TypeClaim | undefined),
    facts,
  };
}

interface WrittenBatch {
  readonly rowCount: number;
  readonly columns: readonly (readonly unknown[] | { readonly floats: readonly unknown[] })[];
}

/** Wraps values that JSON cannot represent. */
function packed(value: unknown): unknown {
  if (typeof value === 'bigint') return { $whole: String(value) };
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return { $number: Object.is(value, -0) ? '-0' : String(value) };
  return value;
}

function unpacked(value: unknown): Value {
  if (typeof value !== 'object' || value === null) return value as Value;
  if ('$whole' in value) return BigInt(String(value.$whole));
  return Number((value as { readonly $number: string }).$number);
}
