import { ConfigError } from '../../../ask/sluice-error.ts';
import type { Environment } from '../../config/read-environment.ts';

/** What a variable of the environment holds, without blanks around it. Error: `variable-missing`. */
export function readVariable(env: Environment, name: string): string {
  const value = env[name]?.trim() ?? '';
  if (value !== '') return value;
  throw new ConfigError(`The variable ${name} is not set, and the report is to be delivered by it.`, { code: 'variable-missing', hint: 'Set it where the report runs; it is named by secretFrom or webhookFrom.' });
}
