/** Whether colour is wanted, by `--no-color` and `NO_COLOR` (https://no-color.org), on a terminal that obeys any. */
export function allowsColour(color: boolean | undefined, env: Readonly<Record<string, string | undefined>>): boolean {
  return color !== false && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}
