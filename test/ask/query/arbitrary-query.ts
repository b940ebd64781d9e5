import fc from 'fast-check';
import {
  dateOperators,
  type Filter,
  presenceOperators,
  type Query,
  valueOperators,
} from '../../../src/ask/query/query.ts';
import { granularities } from '../../../src/ask/time/granularity.ts';

const member = fc.constantFrom(
  'TrackedEvents.count',
  'TrackedEvents.docPath',
  'TrackedEvents.by',
  'TrackedEvents.2024',
  'Sessions.count',
  'Sessions.agentName',
  'Sessions.day',
  'x_1.Y_2',
);
const time = fc.constantFrom('TrackedEvents.utcTime', 'Sessions.startAt', 'Sessions.endAt', 'x_1.date');
const direction = fc.constantFrom('asc' as const, 'desc' as const);

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('null', "it's", '"', '\\', 'a b', 'top', '2024', '1.10', '\u001b[31m', '\n', '\u202e'),
);
const value = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

const day = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const phrase = fc.constantFrom(
  'last 7 days',
  'this month',
  'today',
  'from 3 days ago to now',
  'month to date',
  '2024',
  'since 2024-03-01',
  'This week',
  'odd phrase',
);
const range = fc.oneof(
  phrase,
  day,
  fc.tuple(day, day),
  day.map((only) => [only]),
);

const memberFilter: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({
    member,
    operator: fc.constantFrom(...valueOperators),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ member, operator: fc.constantFrom(...presenceOperators) }),
  fc.record({
    member: time,
    operator: fc.constantFrom(...dateOperators),
    values: fc.oneof(fc.tuple(day, day), fc.tuple(phrase), fc.tuple(day)),
  }),
);

export const arbitraryFilter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    memberFilter,
    fc.record({ and: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('filter'), { maxLength: 3 }) }),
  ),
})).filter;

const order = fc.oneof(
  fc.array(fc.tuple(member, direction), { maxLength: 3 }),
  fc.dictionary(member, direction, { maxKeys: 3 }).map((entries) => ({ ...entries })),
);

const timeDimension = fc
  .tuple(
    fc.record({ dimension: time, granularity: fc.constantFrom(...granularities) }, { requiredKeys: ['dimension'] }),
    fc.oneof(
      fc.constant({}),
      range.map((dateRange) => ({ dateRange })),
      fc.array(range, { minLength: 1, maxLength: 3 }).map((compareDateRange) => ({ compareDateRange })),
    ),
  )
  .map(([base, ranges]) => ({ ...base, ...ranges }));

/** Any query that the load contract allows, in any of its spellings. */
export const arbitraryQuery: fc.Arbitrary<Query> = fc
  .record(
    {
      measures: fc.array(member, { maxLength: 3 }),
      dimensions: fc.array(
        fc.oneof(
          member,
          fc.tuple(time, fc.constantFrom(...granularities)).map((parts) => parts.join('.')),
        ),
        { maxLength: 3 },
      ),
      timeDimensions: fc.array(timeDimension, { maxLength: 2 }),
      columns: fc.array(
        fc.oneof(
          member,
          fc.tuple(time, fc.constantFrom(...granularities)).map((parts) => parts.join('.')),
        ),
        { maxLength: 4 },
      ),
      segments: fc.array(member, { maxLength: 2 }),
      filters: fc.array(arbitraryFilter, { maxLength: 3 }),
      order,
      limit: fc.nat(),
      offset: fc.nat(),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Etc/GMT+5'),
      total: fc.boolean(),
      ungrouped: fc.boolean(),
      responseFormat: fc.constantFrom('default' as const, 'compact' as const, 'columnar' as const),
      cacheMode: fc.constantFrom('stale-if-slow' as const, 'no-cache' as const),
    },
    { requiredKeys: [] },
  )
  .map((query) =>
    query.measures?.length || query.dimensions?.length ? query : { ...query, measures: ['TrackedEvents.count'] },
  );
