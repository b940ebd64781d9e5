import { hash } from 'node:crypto';
import type { TypeClaim, Value } from '../../plan/column.ts';
import { inputsOf } from '../../plan/model/made-from.ts';
import type { ComputedSource, Cube } from '../../plan/model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import type { AnswerFacts, Batch } from '../backend.ts';

/** A complete answer. */
interface WholeAnswer {
  readonly batches: readonly Batch[];
  readonly types: readonly (TypeClaim | undefined)[] | undefined;
  readonly facts: AnswerFacts;
}

/**
 * The names of the cubes and members of the built-in model. Plans refer to them by name, because they are fixed for a
 * version of sluice.
 */
let builtIn: ReadonlyMap<object, string> | undefined;

/** The marks of large parts. Parts of models and plans never change, and questions share those of their model. */
const marks = new WeakMap<object, string>();

/** The shortest part that is written as a mark. */
const leastMarked = 500;

/**
 * A plan as text; equal texts mean equal plans, apart from the present. Large parts, such as cubes with the properties
 * of events, are written as their SHA-256. undefined if the plan cannot be written.
 */
export async function writePlan(plan: Plan): Promise<string | undefined> {
  const { builtInModel } = await import('../../plan/model/built-in-model.ts');
  builtIn ??= new Map(builtInModel.cubes.flatMap(namesInCube));
  try {
    return writePart(plan, 'plan', builtIn);
  } catch {
    return undefined;
  }
}

/** undefined for what JSON leaves out. */
function writePart(value: unknown, key: string, places: ReadonlyMap<object, string>): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError('not plain');
  if (key === 'now' && typeof value === 'number') return '0';
  if (typeof value !== 'object' || value === null) return JSON.stringify(packed(value));
  // Each analysis has a unique name within a version of sluice.
  if (key === 'analysis') return JSON.stringify((value as ComputedSource['analysis']).name);
  const place = places.get(value);
  if (place !== undefined) return JSON.stringify({ $builtIn: place });
  const known = marks.get(value);
  if (known !== undefined) return known;
  const text = writeParts(value instanceof Map ? [...value] : (inputsOf(value) ?? value), places);
  if (text.length < leastMarked) return text;
  const mark = JSON.stringify({ $mark: hash('sha256', text) });
  marks.set(value, mark);
  return mark;
}

function writeParts(value: object, places: ReadonlyMap<object, string>): string {
  if (Array.isArray(value)) return `[${value.map((part) => writePart(part, '', places) ?? 'null').join()}]`;
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new TypeError('not plain');
  const parts = Object.entries(value).flatMap(([key, part]) => {
    const text = writePart(part, key, places);
    return text === undefined ? [] : `${JSON.stringify(key)}:${text}`;
  });
  return `{${parts.join()}}`;
}

function namesInCube(cube: Cube): readonly (readonly [part: object, name: string])[] {
  const members = [...cube.measures, ...cube.dimensions, ...cube.segments];
  return [[cube, cube.name], ...members.map((member) => [member, `${cube.name}.${member.name}`] as const)];
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
