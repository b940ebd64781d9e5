import {
  eachValue,
  readPropertyMember,
  splitAtList,
  writePropertyMember,
  writePropertyName,
} from '../../ask/query/property-name.ts';
import type { TimeDimension } from '../../ask/query/query.ts';
import type { SavedQuery } from '../../ask/query/saved-query.ts';
import { day } from '../../ask/time/granularity.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import { amountRank, currencyBeside } from '../../plan/mapping/amounts.ts';
import { folded } from '../../plan/mapping/field-guesses.ts';
import type { Cube, Model } from '../../plan/model/model.ts';
import { writeFrontMatter } from '../../tell/notebook/front-matter.ts';
import { writeCell } from '../../tell/notebook/write-notebook.ts';

export interface StarterQuestion {
  /** File name without extension. */
  readonly name: string;
  readonly saved: SavedQuery;
}

interface StarterFacts {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Days of the first and the last event, `YYYY-MM-DD`, if known. */
  readonly first?: string | undefined;
  readonly last?: string | undefined;
}

/** A few questions that fit a model. If the last event is old, their ranges end there and not today. */
export function starterQuestions(model: Model, facts: StarterFacts): readonly StarterQuestion[] {
  const isAsked = (name: string) =>
    model.cubes.some((cube) => cube.name === name && cube.measures.some((measure) => measure.name === 'count'));
  return ['TrackedEvents', 'Sessions', 'ReturningUsers'].every(isAsked)
    ? aboutEvents(facts)
    : model.cubes
        .filter((cube) => cube.public)
        .slice(0, 3)
        .flatMap((cube) => aboutCube(cube, facts));
}

function aboutEvents(facts: StarterFacts): readonly StarterQuestion[] {
  const month = { dimension: 'TrackedEvents.utcTime', ...rangeOf(facts, 30) };
  return [
    {
      name: 'daily-active-users',
      saved: {
        title: 'Daily active users',
        description: 'Number of different users per day.',
        chart: 'line',
        query: { measures: ['TrackedEvents.uniqueUsersCount'], timeDimensions: [{ ...month, granularity: 'day' }] },
      },
    },
    {
      name: 'top-pages',
      saved: {
        title: 'Top pages',
        description: 'The ten most viewed pages, with views and users.',
        chart: 'bar',
        query: {
          measures: ['TrackedEvents.pageViewsCount', 'TrackedEvents.uniqueUsersCount'],
          dimensions: ['TrackedEvents.docPath'],
          timeDimensions: [month],
          filters: [{ member: 'TrackedEvents.eventType', operator: 'equals', values: ['pageview'] }],
          order: { 'TrackedEvents.pageViewsCount': 'desc' },
          limit: 10,
        },
      },
    },
    {
      name: 'events-by-type',
      saved: {
        title: 'Events by type',
        description: 'Number of events by type, most frequent first.',
        chart: 'bar',
        query: {
          measures: ['TrackedEvents.count'],
          dimensions: ['TrackedEvents.eventType'],
          timeDimensions: [month],
          order: { 'TrackedEvents.count': 'desc' },
          limit: 50,
        },
      },
    },
    {
      name: 'sessions-by-week',
      saved: {
        title: 'Sessions by week',
        description: 'Number of sessions per week, and their average duration in minutes.',
        chart: 'line',
        query: {
          measures: ['Sessions.count', 'Sessions.averageDurationMinutes'],
          timeDimensions: [
            { dimension: 'Sessions.startAt', granularity: 'week', ...rangeOf(facts, 56, 'last 8 weeks') },
          ],
        },
      },
    },
    {
      name: 'returning-users',
      saved: {
        title: 'Returning users',
        description: 'New users in these days, and how many of them returned.',
        query: {
          measures: [
            'ReturningUsers.returningUserPercentage',
            'ReturningUsers.returningUsersCount',
            'ReturningUsers.count',
          ],
          timeDimensions: [{ dimension: 'ReturningUsers.first_timestamp', ...rangeOf(facts, 90) }],
        },
      },
    },
  ];
}

/** Property questions list fewer values than this. */
export const mostGroups = 50;

/** Questions on the number of events by page, for events without page views, and by each property with texts. */
export function propertyQuestions(model: Model, facts: StarterFacts): readonly StarterQuestion[] {
  const { dimensions = [] } = model.cubes.find(({ name }) => name === 'TrackedEvents') ?? {};
  const isList = (name: string) => dimensions.some((other) => other.name.startsWith(`${name}[]`));
  return dimensions.flatMap((dimension): readonly StarterQuestion[] => {
    const { name, type } = dimension;
    const title = name === 'docPath' ? 'page' : isOfEvents(name) && !isList(name) ? dimension.shortTitle : undefined;
    if (title === undefined || type !== 'string' || /mail|phone/i.test(title)) return [];
    return [
      {
        name: slugOf(`events-by-${title}`),
        saved: {
          title: `Events by ${title}`,
          description: 'Number of events by value, most frequent first.',
          chart: 'bar',
          query: {
            measures: ['TrackedEvents.count'],
            dimensions: [`TrackedEvents.${name}`],
            timeDimensions: [{ dimension: 'TrackedEvents.utcTime', ...rangeOf(facts, 30) }],
            order: { 'TrackedEvents.count': 'desc' },
            limit: mostGroups,
          },
        },
      },
    ];
  });
}

/** How many rows there are: the first question on rows that have no type and no page, such as orders and tickets. */
export function weeklyQuestion(facts: StarterFacts, hasUsers: boolean): StarterQuestion {
  return {
    name: 'events-per-week',
    saved: {
      title: 'Events per week',
      description: `Number of events per week${hasUsers ? ', and of their users' : ''}.`,
      chart: 'line',
      query: {
        measures: ['TrackedEvents.count', ...(hasUsers ? ['TrackedEvents.uniqueUsersCount'] : [])],
        timeDimensions: [
          { dimension: 'TrackedEvents.utcTime', granularity: 'week', ...rangeOf(facts, 56, 'last 8 weeks') },
        ],
      },
    },
  };
}

const partOfAmount = /tax|discount|refund|shipping|fee|sub|old|previous|balance/i;

/** A question on the sum of the property that most likely is an amount of money: `Amount`, `Order Value`, `revenue`. */
export function amountQuestion(model: Model, facts: StarterFacts): StarterQuestion | undefined {
  const events = model.cubes.find(({ name }) => name === 'TrackedEvents');
  const summed = new Set(events?.measures.map(({ name }) => name));
  const [best] = (events?.dimensions ?? [])
    .filter(({ name, shortTitle }) => isOfEvents(name) && summed.has(`sum(${name})`) && !partOfAmount.test(shortTitle))
    .flatMap(({ name, shortTitle }) => {
      const rank = amountRank(shortTitle);
      return rank === -1 ? [] : [{ name, title: shortTitle, rank, length: shortTitle.length }];
    })
    .sort((one, other) => one.rank - other.rank || one.length - other.length);
  if (!best) return undefined;
  const currency = currencyOf(events, readPropertyMember(best.name)!.path);
  const beside = currency ? ' and currency' : '';
  return {
    name: slugOf(`${best.title}-by-week`),
    saved: {
      title: `${best.title} by week${beside}`,
      description: `Sum of ${best.title} per week${beside}.`,
      chart: 'line',
      query: {
        measures: [`TrackedEvents.sum(${best.name})`],
        ...(currency && { dimensions: [currency] }),
        timeDimensions: [
          { dimension: 'TrackedEvents.utcTime', granularity: 'week', ...rangeOf(facts, 56, 'last 8 weeks') },
        ],
      },
    },
  };
}

/** The full name of the currency of an amount: amounts of several currencies have no sum. */
function currencyOf(events: Cube | undefined, amount: readonly string[]): string | undefined {
  const currency = currencyBeside(events, amount);
  return currency && `TrackedEvents.${currency}`;
}

/** Whether a dimension is a property with one value for an event. */
function isOfEvents(name: string): boolean {
  return readPropertyMember(name)?.path.includes(eachValue) === false;
}

/** Words at the end of a key that names an item, and of one that counts it; the likeliest first. */
const itemNames = ['name', 'title', 'product', 'sku', 'id'];
const quantities = ['quantity', 'qty', 'units'];

/** A question on the revenue of the items in a list: `sum(items.price * items.quantity) by items.name`. */
export function itemsQuestion(model: Model, facts: StarterFacts): StarterQuestion | undefined {
  const events = model.cubes.find(({ name }) => name === 'TrackedEvents');
  const summed = new Set(events?.measures.map(({ name }) => name));
  const keys = (events?.dimensions ?? []).flatMap(({ name, type }) => {
    const { path = [] } = readPropertyMember(name) ?? {};
    const { list, within = [] } = splitAtList(path) ?? {};
    const key = within.at(-1);
    return list && key !== undefined ? [{ list: writePropertyName(list), path, key, type }] : [];
  });
  for (const own of Map.groupBy(keys, ({ list }) => list).values()) {
    const likeliest = (words: readonly string[], among: typeof own) =>
      words.flatMap((word) => among.find(({ key }) => folded(key).endsWith(word)) ?? [])[0];
    const numbers = own.filter(
      ({ path, key }) => summed.has(writePropertyMember({ compute: 'sum', path })) && !partOfAmount.test(key),
    );
    const item = likeliest(
      itemNames,
      own.filter(({ type }) => type === 'string'),
    );
    const [amount] = numbers
      .filter(({ key }) => amountRank(key) >= 0)
      .sort((one, other) => amountRank(one.key) - amountRank(other.key));
    if (!item || !amount) continue;
    const quantity = folded(amount.key).endsWith('price') ? likeliest(quantities, numbers) : undefined;
    const measure = `TrackedEvents.${writePropertyMember({ compute: 'sum', path: amount.path, times: quantity?.path })}`;
    const currency = currencyOf(events, amount.path);
    const title = `${amount.key}${quantity ? ` × ${quantity.key}` : ''} by ${item.key}`;
    return {
      name: slugOf(title),
      saved: {
        title: currency ? `${title} and currency` : title,
        description: 'Sum over the items, largest first, and the number of events with each item.',
        chart: 'bar',
        query: {
          measures: [measure, 'TrackedEvents.count'],
          dimensions: [`TrackedEvents.${writePropertyName(item.path)}`, ...(currency ? [currency] : [])],
          timeDimensions: [{ dimension: 'TrackedEvents.utcTime', ...rangeOf(facts, 30) }],
          filters: [{ member: `TrackedEvents.${writePropertyName(item.path)}`, operator: 'set' }],
          order: { [measure]: 'desc' },
          limit: 10,
        },
      },
    };
  }
  return undefined;
}

function slugOf(text: string): string {
  return text
    .replaceAll(/([a-z0-9])(?=[A-Z])/g, '$1-')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase();
}

/** Questions for any cube: its first measure over time, and by its first attribute. */
function aboutCube(cube: Cube, facts: StarterFacts): readonly StarterQuestion[] {
  const measure = (
    cube.measures.find(({ name, public: shown }) => shown && name === 'count') ??
    cube.measures.find((each) => each.public)
  )?.name;
  const time = cube.timeMember ?? cube.dimensions.find((each) => each.public && each.type === 'time')?.name;
  const attribute = cube.dimensions.find((each) => each.public && each.type === 'string' && !each.primaryKey)?.name;
  if (measure === undefined) return [];
  const full = (name: string) => `${cube.name}.${name}`;
  const slug = (what: string) => slugOf(`${cube.name}-by-${what}`);
  const byDay: readonly StarterQuestion[] =
    time === undefined
      ? []
      : [
          {
            name: slug('day'),
            saved: {
              title: `${cube.title} by day`,
              chart: 'line',
              query: {
                measures: [full(measure)],
                timeDimensions: [{ dimension: full(time), granularity: 'day', ...rangeOf(facts, 30) }],
              },
            },
          },
        ];
  const byAttribute: readonly StarterQuestion[] =
    attribute === undefined
      ? []
      : [
          {
            name: slug(attribute),
            saved: {
              title: `${cube.title} by ${attribute}`,
              chart: 'bar',
              query: {
                measures: [full(measure)],
                dimensions: [full(attribute)],
                order: { [full(measure)]: 'desc' },
                limit: 10,
              },
            },
          },
        ];
  return [...byDay, ...byAttribute];
}

function rangeOf(
  { now, first = '', last = '' }: StarterFacts,
  days: number,
  phrase = `last ${days} days`,
): Pick<TimeDimension, 'dateRange'> {
  const end = Date.parse(`${last}T00:00:00Z`);
  if (!(end < now - days * day)) return { dateRange: phrase };
  const earliest = end - (days - 1) * day;
  // Whole weeks begin on a Monday, and 1 January 1970 was a Thursday.
  const late = phrase.endsWith('weeks') ? ((earliest / day + 3) % 7) * day : 0;
  const start = writeUtc(earliest - late).slice(0, 10);
  return { dateRange: [start < first ? first : start, last] };
}

/** Name of the starter report. */
export const starterReportName = 'overview';

/** A report with the starter questions; each cell refers to a saved query. */
export function starterReport(questions: readonly StarterQuestion[]): string {
  const head = writeFrontMatter({
    title: 'Overview',
    description: 'The saved queries of this workspace in one report.',
  });
  const cells = questions.map(({ name, saved: { title, description } }) =>
    writeCell({
      cell: 'query',
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      from: name,
    }),
  );
  return `${head}${['# Overview\n', ...cells].join('\n')}`;
}
