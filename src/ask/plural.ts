/** The form of a word that goes with a number: `plural(1, 'line')` is `line`, `plural(2, 'is', 'are')` is `are`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}
