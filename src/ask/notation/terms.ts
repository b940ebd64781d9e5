import { hintOnFiscal } from '../time/read-date-range.ts';
import { functionOf } from './tokens.ts';
import { writeValue } from './write-value.ts';

/** Terms of the field that are not members, without spaces and in lower case, and the question that answers them. */
const questions: Readonly<Record<string, string>> = {
  dau: 'users by day',
  wau: 'users by week',
  mau: 'users by month` or `users / users rolling 30 days by day',
  daumau: 'users / users rolling 30 days by day',
  ...answeredBy('ReturningUsers.count by week', 'new newusers newvisitors newcustomers'),
  ...answeredBy('lifecycle by week', 'churn churned churnedusers churnrate inactiveusers'),
  ...answeredBy('retention by week', 'retentionrate userretention cohortretention'),
  ...answeredBy('retention by day', 'd1retention d7retention d30retention nextdayretention'),
  ...answeredBy(
    'funnel / then /pricing` or `funnel signup then purchase',
    'conversion conversions conversionrate conversionratefrom dropoff dropoffrate abandonment cartabandonment',
  ),
  ...answeredBy('users', 'people customers'),
  ...answeredBy('count by userId top 10', 'mostactive mostactiveusers topusers'),
  ...answeredBy('paths from /', 'userflow userflows userjourney userjourneys'),
  ...answeredBy('pageViewsCount by docPath top 10', 'popularpages mostviewed mostpopular mostvisited'),
  ...answeredBy('Sessions.count by exitPage', 'exitrate exitrates'),
  ...answeredBy('users where userId is set', 'logged loggedinusers identifiedusers'),
  ...answeredBy('users where userId is not set', 'anonymous anonymoususers'),
  ...answeredBy('raw events', 'showevents listevents latestevents recentevents allevents'),
  ...answeredBy('count by weekday, hourOfDay` with `--chart heatmap', 'heatmap heatmapof'),
  ...answeredBy('count by hourOfDay top 3', 'peakhour peakhours busyhours busiesthour busiesthours'),
  ...answeredBy('users, users share by eventType', 'adoption adoptionrate featureadoption'),
  ...answeredBy('users share by deviceClass', 'percentof percentageof proportionof fractionof'),
  longestsession: 'max(Sessions.durationMinutes)',
  ...Object.fromEntries(
    ['median', 'max', 'min', 'p75', 'p90', 'p95', 'p99'].flatMap((name) =>
      ['sessionduration', 'sessionlength', 'visitduration'].map((term) => [
        `${name}${term}`,
        `${name}(Sessions.durationMinutes)`,
      ]),
    ),
  ),
  ...answeredBy('users last week vs previous', 'growth growthof growthrate growthrateof'),
  ...answeredBy('count by day top 1', 'best busiest'),
  ...Object.fromEntries(
    Object.entries({ dod: 'day', wow: 'week', mom: 'month', qoq: 'quarter', yoy: 'year' } as const).map(
      ([term, unit]) => [term, `count ${comparedBy(unit)}`],
    ),
  ),
};

/** How to compare with the period before, for terms such as `week over week`. */
function comparedBy(unit: 'day' | 'week' | 'month' | 'quarter' | 'year'): string {
  if (unit === 'year') return 'last 12 months compare -1y';
  return `${unit === 'day' ? 'yesterday' : `last ${unit}`} compare with previous`;
}

/** The same question for each of some terms. */
function answeredBy(question: string, terms: string): Readonly<Record<string, string>> {
  return Object.fromEntries(terms.split(' ').map((term) => [term, question]));
}

/** Terms for sums of money, and how they are computed from a column of amounts. */
const amounts: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['revenue', 'sales', 'turnover', 'gmv', 'income'].map((term) => [term, 'sum(COLUMN)'])),
  ...Object.fromEntries(['aov', 'averageordervalue', 'averagebasket'].map((term) => [term, 'avg(COLUMN)'])),
  arpu: 'sum(COLUMN) / users',
  lifetimevalue: 'sum(COLUMN) / users',
  ltv: 'sum(COLUMN) / users',
};

const longestTerm = 3;

function termIn(terms: Readonly<Record<string, string>>, words: readonly string[]): string | undefined {
  const key = words.join('').replaceAll(/\W/g, '').toLowerCase();
  return Object.hasOwn(terms, key) ? terms[key] : undefined;
}

/** How many of the leading words are such a term. */
export function termAhead(words: readonly string[]): number {
  for (let count = Math.min(longestTerm, words.length); count > 0; count -= 1) {
    const ahead = words.slice(0, count);
    // A single word may be the name of a column.
    if (termIn(questions, ahead) !== undefined || (count > 1 && termIn(amounts, ahead) !== undefined)) return count;
  }
  return 0;
}

/** Words in the names of events that people are brought to, the furthest first. */
const goals = [/purchas|bought|buy/i, /order|paid|payment/i, /checkout/i, /subscri/i, /sign(?:ed)?[ _-]?up|regist/i];

/** A hint for text that names a term. `events`: those that there are, for the steps of a funnel. */
export function hintOnTerm(text: string, events: readonly { readonly name: string }[] = []): string | undefined {
  const question = termIn(questions, [text]);
  const names = events.map(({ name }) => name).filter((name) => name !== 'pageview');
  // The most frequent event comes first, and what people are brought to do comes last.
  const goal =
    goals.map((word) => names.find((name) => word.test(name))).find((name) => name !== undefined) ?? names[1];
  const [first, second] = [names.find((name) => name !== goal), goal].map((name) => name && writeValue(name));
  const isFunnel = question?.startsWith('funnel ') && first !== undefined && second !== undefined;
  return question && `Ask \`${isFunnel ? `funnel ${first} then ${second}` : question}\`.`;
}

const units = new Set('ms msec millis milliseconds s sec secs seconds min mins minutes time duration'.split(' '));

/**
 * A hint for text that names a span of time, such as `load time` if a column is `load_ms`. `columns`: those of numbers.
 */
export function hintOnDuration(text: string, columns: readonly string[]): string | undefined {
  const { name = 'avg', property = text } = functionInWords(text) ?? {};
  const [, what = ''] = /^(.+) (?:time|times|duration)$/i.exec(property) ?? [];
  const meant = columns.filter((column) => {
    const words = wordsOf(column.slice(column.lastIndexOf('.') + 1));
    return units.has(words.at(-1) ?? '') && words.slice(0, -1).join('') === keyOf(what);
  });
  return what !== '' && meant.length === 1 ? `Write \`${name}(${meant[0]})\`.` : undefined;
}

const amountColumn = /revenue|amount|total|value|sales|price|mrr/i;
const partOfAmount = /tax|discount|refund|shipping|fee/i;

/** A hint for text that names a sum of money, if no column has that name. `columns`: those of numbers. */
export function hintOnAmount(text: string, columns: readonly string[]): string | undefined {
  const { name, property = '' } = functionInWords(text) ?? {};
  const ofFigure = name && termIn(amounts, [property])?.replace('sum(', `${name}(`);
  const sum = termIn(amounts, [text]) ?? ofFigure;
  const likely = columns.filter((column) => amountColumn.test(column) && !partOfAmount.test(column)).slice(0, 3);
  const examples = likely.map((column) => `\`${sum?.replace('COLUMN', column)}\``);
  return sum && `Write the column of the amounts: ${examples.length > 0 ? examples.join(' or ') : `\`${sum}\``}.`;
}

/**
 * A hint for a group that is meant as a figure, or the first value, of each user: `number of orders`, `first source`.
 */
export function hintOnGroup(text: string): string | undefined {
  const [, touch] = /^(first|last)(?: |$)/i.exec(text) ?? [];
  if (touch !== undefined)
    return `For the ${touch.toLowerCase()} value of each user, write \`by ${touch.toLowerCase()} touch COLUMN\`.`;
  return /^number of(?: |$)/i.test(text)
    ? 'To group users by how often they did something, write `users by count per user`, with a condition after `where`.'
    : hintOnFiscal(text);
}

/** A hint for a group that is meant as a ratio: `events per user`. */
export function hintOnRatio(text: string): string | undefined {
  if (/^(?:users?|visitors?)$/i.test(text))
    return (
      'For figures per user, write `count / users` or `Sessions.averagePerUser`. ' +
      'To group by user, write `by userId`.'
    );
  if (/^(?:sessions?|visits?)$/i.test(text))
    return (
      'For figures per session, write `Sessions.averagePageViews` or `Sessions.averageDurationMinutes`. ' +
      'To group by session, write `by sessionId`.'
    );
  return undefined;
}

const toDate: Readonly<Record<string, string>> = { wtd: 'week', mtd: 'month', qtd: 'quarter', ytd: 'year' };

const wordsOfConditions: ReadonlySet<string> = new Set(
  'who that which whose with without excluding except only longer shorter more less fewer active for of'.split(' '),
);

/**
 * A hint for a word that begins no clause, and leads to a condition, a range or a chart in everyday speech. `further`:
 * the words after it. `measure`: that of the line. `endsName`: whether it may be the second word of a name.
 * `conditionOf`: the condition on an event that one of some words names, or else on any event.
 */
export function hintOnSpeech(
  word: string,
  further: readonly string[],
  measure: string,
  endsName: boolean,
  conditionOf: (words: readonly string[]) => { readonly condition: string; readonly isMeant: boolean } | undefined,
): string | undefined {
  const said = word.toLowerCase();
  const [next = ''] = further;
  const fiscal = hintOnFiscal(said);
  if (fiscal !== undefined) return fiscal;
  if (/^\d+$/.test(said) && /^(?:days? )?retention\b/i.test(further.join(' '))) return 'Ask `retention by day`.';
  const over = /^(?:over|on)$/.test(said) ? next : /^([a-z]+)-(?:over|on)-\1$/.exec(said)?.[1];
  if (/^(?:day|week|month|quarter|year)$/i.test(over ?? ''))
    return `Write, for example, \`${measure} ${comparedBy(over!.toLowerCase() as 'day')}\`.`;
  if (Object.hasOwn(toDate, said)) return `Write \`${toDate[said]} to date\`.`;
  if (said === 'as') return 'Choose a chart with `--chart`, or with `t` in the explorer.';
  if (/^(?:for|on|of|at|after)$/.test(said) && next.startsWith('/')) return `Write \`where docPath = ${next}\`.`;
  if (/^(?:without|excluding|except|no)$/.test(said) && /^bots?$/i.test(next)) return 'Write `segment humans`.';
  if (endsName) return undefined;
  const isCondition = wordsOfConditions.has(said);
  const named = conditionOf(isCondition ? further : [word]);
  if (!isCondition) return named?.isMeant ? `It is an event: write \`where ${named.condition}\`.` : undefined;
  const condition = named?.condition ?? 'docPath = /pricing';
  if (named?.isMeant) return `Write conditions after \`where\`: \`${measure} where ${condition}\`.`;
  return (
    `Write conditions after \`where\`: \`${measure} where ${condition}\`, \`where userId is set\`. ` +
    'For what users did in order, ask `funnel / then /pricing`.'
  );
}

/** A hint for a column after a word that tells which of its values are meant: `active companies`, `popular screens`. */
export function hintOnColumn(word: string, column: string | undefined): string | undefined {
  if (column === undefined) return undefined;
  if (/^(?:active|unique|distinct|different)$/i.test(word))
    return `To count its values, write \`distinct(${column})\`.`;
  return /^(?:popular|used|common|viewed|visited|active)$/i.test(word)
    ? `Write \`count by ${column} top 10\`.`
    : undefined;
}

/**
 * A hint for text that is the name of an event, in the singular or plural, or a rate of one: `crash rate`. `place`:
 * `per-user` where a figure of each user is meant, `part` beside other figures.
 */
export function hintOnEvent(
  text: string,
  events: readonly { readonly member: string; readonly name: string }[],
  place: 'whole' | 'part' | 'per-user' = 'whole',
): string | undefined {
  const [, rated] = /^(.+) rate$/i.exec(text) ?? [];
  const [, repeated] = /^(?:repeat|repeated|returning) (.+)$/i.exec(text) ?? [];
  const meant = singulars(keyOf(rated ?? repeated ?? text));
  const exact = events.find(({ name }) => meant.includes(keyOf(name)));
  const event = exact ?? ((rated ?? repeated) ? eventsWith(rated ?? repeated ?? '', events)[0] : undefined);
  const condition = event && `${event.member} = ${writeValue(event.name)}`;
  if (condition && repeated !== undefined)
    return `For users who did it again, write \`users where count per user > 1 and ${condition}\`.`;
  if (condition && place === 'per-user')
    return `It is an event: write \`count per user\`, and the condition \`${condition}\`.`;
  const count = `count where ${condition}`;
  if (condition && rated !== undefined)
    return `It is a rate of an event: write \`(${count}) / count as ${rated.replaceAll(/\W/g, '')}Rate\`.`;
  return condition && `It is an event: write \`${place === 'part' ? `(${count})` : count}\`.`;
}

function keyOf(name: string): string {
  return name.replaceAll(/[\s_-]/g, '').toLowerCase();
}

/** The word itself, and what it may be the plural of. */
export function singulars(word: string): readonly string[] {
  return [word, word.replace(/s$/, ''), word.replace(/es$/, ''), word.replace(/ies$/, 'y')];
}

/** Shorter words begin too many others. */
const leastLetters = 4;

/** The events of which a word begins with this one, or with what it may be the plural of. */
function eventsWith<Event extends { readonly name: string }>(word: string, events: readonly Event[]): readonly Event[] {
  const meant = singulars(keyOf(word)).filter(({ length }) => length >= leastLetters);
  // `logins` are events `logged_in`, and `signups` those that are `Signed Up`.
  const [, verb, particle] = /^(\w{3,}?)(in|up|out|off)s?$/.exec(keyOf(word)) ?? [];
  return events.filter(({ name }) => {
    const words = wordsOf(name);
    return (
      words.some((part) => meant.some((one) => part.startsWith(one))) ||
      (verb !== undefined && words.some((part, at) => part.startsWith(verb) && words[at + 1] === particle))
    );
  });
}

/** The event that one of some words names, also as a verb: `purchased`. */
export function eventOfWords<Event extends { readonly name: string }>(
  words: readonly string[],
  events: readonly Event[],
): Event | undefined {
  return words
    .flatMap((word) => [word, word.replace(/d$/i, ''), word.replace(/ed$/i, '')])
    .flatMap((word) => eventsWith(word, events))[0];
}

/** A hint for a word that begins a word in names of events: `orders` or `refunds`, if one is `Order Refunded`. */
export function hintOnEventWord(
  text: string,
  events: readonly { readonly member: string; readonly name: string }[],
  place: 'whole' | 'part',
): string | undefined {
  const [first, ...others] = eventsWith(text, events);
  if (!first) return undefined;
  const count = `count where ${first.member} = ${writeValue(first.name)}`;
  const further = others.slice(0, 3).map(({ name }) => writeValue(name));
  return (
    `To count events, write \`${place === 'part' ? `(${count})` : count}\`` +
    `${further.length === 0 ? '' : `, or ${further.join(', ')}`}.`
  );
}

/** The words of the name of an event, in lower case: of `Order Completed`, `order_completed` or `orderCompleted`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
}

/**
 * A hint for a function without its column. Words that are common names of columns, such as `total`, are no function.
 */
export function hintOnBareFunction(text: string): string | undefined {
  const name = text.toLowerCase().replace(/ of$/, '');
  return ['sum', 'avg', 'median', 'distinct'].includes(name)
    ? `Write a column in brackets: \`${name}(COLUMN)\`.`
    : undefined;
}

/**
 * A hint for text that names a function of a property in words, `average price`, unless `near` has the property.
 * `spelled`: the property as the events have it.
 */
export function hintOnFunction(
  text: string,
  near: string | undefined,
  spelled: (property: string) => string | undefined,
): string | undefined {
  if (text.endsWith(' of')) return hintOnBareFunction(text) ?? near;
  const { name, property = '' } = functionInWords(text) ?? {};
  if (name === undefined) return near;
  const known = spelled(property);
  if (near?.toLowerCase().includes(property.toLowerCase()))
    return known === undefined || near.includes(known)
      ? near
      : `${near} For a property of events, write \`${name}(${known})\`.`;
  const column = known ?? (property.includes(' ') ? undefined : `props.${property}`);
  return column === undefined ? near : `For a property of events, write \`${name}(${column})\`.`;
}

/** The function and the property that a text names in words: `average price`. */
export function functionInWords(text: string): { readonly name: string; readonly property: string } | undefined {
  const [, word = '', property = ''] = /^(\w+) (?:props\.)?(\w+(?: \w+)*)$/.exec(text) ?? [];
  const name = functionOf(word);
  return name === undefined ? undefined : { name, property };
}
