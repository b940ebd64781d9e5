import * as z from 'zod';
import { nullIsFalse } from '../http/null-is-false.ts';

/** What the platform says about a project, as far as it matters here. */
export interface ProjectRecord {
  readonly id: number;
  readonly name: string;
  /** Full path: `group/project`. */
  readonly path: string;
  readonly archived: boolean;
}

/** Unknown keys are let be. */
export const projectSchema = z.looseObject({
  id: z.int().positive(),
  name: z.string().nullish(),
  path_with_namespace: z.string().nullish(),
  archived: nullIsFalse,
});

/** Undefined where it is no project. */
export function readProjectRecord(value: unknown): ProjectRecord | undefined {
  const read = projectSchema.safeParse(value);
  return read.success ? toProjectRecord(read.data) : undefined;
}

export function toProjectRecord({ id, name, path_with_namespace: path, archived }: z.infer<typeof projectSchema>): ProjectRecord {
  return { id, name: name ?? String(id), path: path ?? String(id), archived };
}
