import * as z from 'zod';

const meta = z.looseObject({ cubes: z.array(z.looseObject({ name: z.string() })) });

/** The names of the cubes that `meta` lists; undefined where it is no `meta`. */
export function readMetaNames(value: unknown): readonly string[] | undefined {
  const read = meta.safeParse(value);
  return read.success ? read.data.cubes.map(({ name }) => name) : undefined;
}
