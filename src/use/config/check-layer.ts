import { readValue } from '../../ask/document/read-value.ts';
import { bad, good, type Outcome } from '../../ask/outcome.ts';
import type { Layer, UncheckedLayer } from './layer.ts';
import { configSchema } from './schema.ts';

/** The layer, or what is wrong with its values; each issue names the flag or variable. */
export function checkLayer({ config, base, originOf }: UncheckedLayer): Outcome<Layer> {
  const outcome = readValue(config, configSchema);
  if (!outcome.ok) return bad(outcome.issues.map((issue) => ({ ...issue, path: [originOf(issue.path)] })));
  return good({ config: outcome.value, base, originOf });
}
