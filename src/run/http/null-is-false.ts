import { z } from 'zod';

/** A boolean of a response: the platform leaves some of them null, which means false. */
export const nullIsFalse = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
