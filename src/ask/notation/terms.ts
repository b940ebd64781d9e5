/** Terms of the field that are not members, without spaces and in lower case, and the question that answers them. */
const questions: ReadonlyMap<string, string> = new Map([
  ['dau', 'users by day'],
  ['wau', 'users by week'],
  ['mau', 'users by month'],
  ['activeusers', 'users by day'],
  ...['newusers', 'newvisitors', 'churn', 'churnrate', 'churnedusers', 'growth'].map(
    (term) => [term, 'lifecycle by week'] as const,
  ),
  ...['conversion', 'conversions', 'conversionrate'].map((term) => [term, 'funnel / then /pricing'] as const),
  ...['journey', 'journeys', 'flow', 'flows', 'userflow'].map((term) => [term, 'paths from /'] as const),
]);

const longestTerm = 3;

function keyOf(words: readonly string[]): string {
  return words
    .join('')
    .replaceAll(/[\s_-]/g, '')
    .toLowerCase();
}

/** How many of the leading words are such a term. */
export function termAhead(words: readonly string[]): number {
  for (let count = Math.min(longestTerm, words.length); count > 0; count -= 1)
    if (questions.has(keyOf(words.slice(0, count)))) return count;
  return 0;
}

/** A hint for text that names a term. */
export function hintOnTerm(text: string): string | undefined {
  const question = questions.get(keyOf([text]));
  return question === undefined ? undefined : `Ask \`${question}\`.`;
}

/** A hint for text that names a function of a property in words, `average of price`, unless `near` has the property. */
export function hintOnFunction(text: string, near: string | undefined): string | undefined {
  const [, compute, property] = /^(\w+) (?:of )?(?:props\.)?(\w+)$/.exec(text) ?? [];
  const name = compute === undefined ? undefined : functionsInWords.get(compute.toLowerCase());
  return name === undefined || near?.toLowerCase().includes(property!.toLowerCase())
    ? near
    : `For a property of events, write \`${name}(props.${property})\`.`;
}

const functionsInWords: ReadonlyMap<string, string> = new Map([
  ...['sum', 'total'].map((word) => [word, 'sum'] as const),
  ...['avg', 'average', 'mean'].map((word) => [word, 'avg'] as const),
  ...['min', 'minimum', 'lowest'].map((word) => [word, 'min'] as const),
  ...['max', 'maximum', 'highest'].map((word) => [word, 'max'] as const),
  ...['median', 'typical'].map((word) => [word, 'median'] as const),
  ...['distinct', 'unique', 'different'].map((word) => [word, 'distinct'] as const),
]);
