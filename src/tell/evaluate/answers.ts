import type { Result } from '../../shape/result/result.ts';
import type { UsageAnswer } from '../ports.ts';

/** What a question came to. */
export type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** The answers of a cell that figures are read from. */
export interface CellAnswers {
  readonly answer: Settled<Result> | undefined;
  readonly total: Settled<Result> | undefined;
  readonly compared: Settled<Result> | undefined;
  readonly usage: Settled<UsageAnswer> | undefined;
}

/** By the cell's name. */
export type AnswersByName = ReadonlyMap<string, CellAnswers>;

export async function settled<T>(promise: Promise<T>): Promise<Settled<T>> {
  return promise.then(
    (value) => ({ ok: true, value }) as const,
    (error: unknown) => ({ ok: false, error }) as const,
  );
}
