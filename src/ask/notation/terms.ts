import { functionNames } from './tokens.ts';
import { writeValue } from './write-value.ts';

/** Terms of the field that are not members, without spaces and in lower case, and the question that answers them. */
const questions: Readonly<Record<string, string>> = {
  dau: 'users by day',
  wau: 'users by week',
  mau: 'users by month',
  activeusers: 'users by day',
  newusers: 'lifecycle by week',
  newvisitors: 'lifecycle by week',
  churn: 'lifecycle by week',
  churnrate: 'lifecycle by week',
  conversions: 'funnel / then /pricing',
  conversionrate: 'funnel / then /pricing',
  userflow: 'paths from /',
};

const longestTerm = 2;

function questionOn(words: readonly string[]): string | undefined {
  const key = words.join('').replaceAll(/\W/g, '').toLowerCase();
  return Object.hasOwn(questions, key) ? questions[key] : undefined;
}

/** How many of the leading words are such a term. */
export function termAhead(words: readonly string[]): number {
  for (let count = longestTerm; count > 0; count -= 1)
    if (questionOn(words.slice(0, count)) !== undefined) return count;
  return 0;
}

/** A hint for text that names a term. */
export function hintOnTerm(text: string): string | undefined {
  const question = questionOn([text]);
  return question && `Ask \`${question}\`.`;
}

/** A hint for text that is the name of an event, in the singular or plural. */
export function hintOnEvent(
  text: string,
  events: readonly { readonly member: string; readonly name: string }[],
): string | undefined {
  const keyOf = (name: string) => name.replaceAll(/[\s_-]/g, '').toLowerCase();
  const key = keyOf(text);
  const event = events.find(({ name }) => [key, key.replace(/s$/, '')].includes(keyOf(name)));
  return event && `It is an event: write \`count where ${event.member} = ${writeValue(event.name)}\`.`;
}

/** A hint for a function without its column. Words that are common names of columns, such as `total`, are no function. */
export function hintOnBareFunction(text: string): string | undefined {
  const name = text.toLowerCase();
  return ['sum', 'avg', 'median', 'distinct'].includes(name)
    ? `Write a column in brackets: \`${name}(COLUMN)\`.`
    : undefined;
}

/** A hint for text that names a function of a property in words, `average of price`, unless `near` has the property. */
export function hintOnFunction(text: string, near: string | undefined): string | undefined {
  const [, word = '', property = ''] = /^(\w+) (?:of )?(?:props\.)?(\w+)$/.exec(text) ?? [];
  const name = functionNames.get(word.toLowerCase());
  return name === undefined || near?.toLowerCase().includes(property.toLowerCase())
    ? near
    : `For a property of events, write \`${name}(props.${property})\`.`;
}
