import { readValue } from '../../ask/document/read-value.ts';
import { type CheckedLayer, type UncheckedLayer, withoutFaulty } from './layer.ts';
import { configSchema } from './schema.ts';

/** The layer, and what is wrong with its values; each issue names the flag or variable. */
export function checkLayer({ config, base, originOf }: UncheckedLayer): CheckedLayer {
  const { issues } = readValue(config, configSchema);
  return {
    layer: { config: withoutFaulty(config, issues), base, originOf },
    issues: issues.map((issue) => ({ ...issue, path: [originOf(issue.path)] })),
  };
}
