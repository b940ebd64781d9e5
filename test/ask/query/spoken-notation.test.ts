import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawIssues } from '../../../src/ask/document/draw-issue.ts';
import { analysisOfLine, readAnalysisLine } from '../../../src/ask/analysis-line/read-analysis-line.ts';
import { readQueryFlags } from '../../../src/ask/notation/read-flags.ts';
import { looksLikeNotation, readNotation } from '../../../src/ask/notation/read-notation.ts';
import { writeNotation } from '../../../src/ask/notation/write-notation.ts';
import { toCanonicalQuery } from '../../../src/ask/query/canonical-query.ts';
import type { Query } from '../../../src/ask/query/query.ts';
import { writePropertyMember } from '../../../src/ask/query/property-name.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { withProperties } from '../../../src/plan/model/properties.ts';
import type { PropertyProfile } from '../../../src/plan/model/property-members.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';
import { runs } from '../../runs.ts';
import { catalog as smallCatalog } from './catalog.ts';

const members = toCatalog(builtInModel);

function read(line: string): unknown {
  const outcome = readNotation(line, { members });
  return outcome.ok ? outcome.value : drawIssues(outcome.issues, outcome);
}

/** Code, marked text, and hint of each issue. */
function wrong(line: string): readonly (readonly [code: string, at: string, hint: string | undefined])[] {
  return readNotation(line, { members }).issues.map(({ code, span, hint }) => [
    code,
    span ? line.slice(span.start, span.end) : '',
    hint,
  ]);
}

describe('everyday wording', () => {
  test.each([
    ['page views per day last week', 'pageViewsCount by day last week'],
    ['Count by DocPath', 'count by docPath'],
    ['unique users by browser', 'uniqueUsersCount by agentName'],
    ['count by doc path agent name', 'count by docPath, agentName'],
    ['how many users yesterday', 'uniqueUsersCount yesterday'],
    ['Number of page views by day', 'pageViewsCount by day'],
    ['count of users by browser', 'uniqueUsersCount by agentName'],
    ['count of events by day', 'count by day'],
    ['number of sessions / number of users', 'Sessions.count / Sessions.usersCount'],
    ['top 5 pages by number of users', 'uniqueUsersCount by docPath top 5'],
    ['average of localTzOffset by day', 'avg(localTzOffset) by day'],
    ['sum of Sessions.pageViews last 7 days', 'Sessions.sum(pageViews) last 7 days'],
    [
      'Median of Sessions.durationMinutes rolling 7 days by day',
      'median(Sessions.durationMinutes) rolling 7 days by day',
    ],
    ['count by docPath agentName day', 'count by docPath, agentName, day'],
    ['count by docPath day agentName', 'count by docPath, day, agentName'],
    ['count page views by os', 'count, pageViewsCount by osFamily'],
    ['sessions by referrer', 'Sessions.count by referer'],
    ['trackedevents.PageViewsCount by trackedevents.utctime.Day', 'pageViewsCount by day'],
    ['clicks group by page, host', 'linkClicksCount by docPath, docHost'],
    ['clicks where docHost = a group by path', 'linkClicksCount by docPath where docHost = a'],
    ['visitors per url path and title', 'uniqueUsersCount by docPath, pageTitle'],
    ['events by date order by date', 'count by day order by day'],
    ['count by event_type', 'count by eventType'],
    ['average duration minutes by week', 'Sessions.averageDurationMinutes by week'],
    ['count where page title ~ Blog segment known users', 'count where pageTitle ~ Blog segment knownUsers'],
    ['count by page order by page views desc', 'count by docPath order by pageViewsCount desc'],
    ['count top 5 pages', 'count by docPath top 5'],
    ['top 5 pages by unique users yesterday', 'uniqueUsersCount by docPath yesterday top 5'],
    ['bottom 3 pages yesterday per page views', 'pageViewsCount by docPath yesterday bottom 3'],
    ['count this month vs last month', 'count compare this month with last month'],
    ['count compare today vs yesterday', 'count compare today with yesterday'],
    ['count compare this week versus last week by day', 'count by day compare this week with last week'],
    ['count where not event type = pageview', 'count where eventType != pageview'],
    [
      'count where not docPath starts with /a and not userId is set',
      'count where docPath notStartsWith /a and userId is not set',
    ],
    ['count where not (docPath = / or eventType in (a, b))', 'count where (docPath != / and eventType not in (a, b))'],
    ['count where not (not localTzOffset > 5 and docPath ~ a)', 'count where (localTzOffset > 5 or docPath !~ a)'],
    ['count where not localTzOffset > 5', 'count where (localTzOffset <= 5 or localTzOffset is not set)'],
    [
      'count where not localTzOffset between 1 and 5',
      'count where (localTzOffset < 1 or localTzOffset > 5 or localTzOffset is not set)',
    ],
    [
      'count where not localTzOffset not between 1 and 5',
      'count where ((localTzOffset >= 1 and localTzOffset <= 5) or localTzOffset not set)',
    ],
    ['count where not not localTzOffset > 5', 'count where localTzOffset > 5'],
    [
      'count where not utcTime before 2024-03-01',
      'count where (utcTime afterOrOnDate 2024-03-01 or utcTime is not set)',
    ],
    ['count last 7 days compare with previous period', 'count last 7 days compare previous period'],
    [
      'count compare 2026-10-12 to 2026-10-18 with 2026-10-05 to 2026-10-11',
      'count compare from 2026-10-12 to 2026-10-18 with from 2026-10-05 to 2026-10-11',
    ],
    [
      'count compare 2026-10-12 to 2026-10-18 with previous',
      'count compare from 2026-10-12 to 2026-10-18 with previous',
    ],
    ['count compare 2026-10-12 to 2026-10-18', 'count compare 2026-10-12 with 2026-10-18'],
    ['visits by week', 'Sessions.count by week'],
    ['sessionsCount by week', 'Sessions.count by week'],
    ['events by hour of day', 'count by hourOfDay'],
    ['count by docPath, time of the day', 'count by docPath, hourOfDay'],
    ['count by day of the week, hour of day', 'count by weekday, hourOfDay'],
    ['count by weekdays by hour', 'count by weekday by hour'],
    ['count where day of week in (saturday, sunday) by day', 'count where weekday in (saturday, sunday) by day'],
    ['count compare May 2015 to April 2015', 'count compare 2015-05 with 2015-04'],
    ['hourly page views yesterday', 'pageViewsCount by hour yesterday'],
    ['weekly active users by country', 'uniqueUsersCount by week, country'],
    ['average session duration by device', 'Sessions.averageDurationMinutes by deviceClass'],
    ['users by operating system, browser version', 'uniqueUsersCount by osFamily, agentVersion'],
    ['users by referer host', 'uniqueUsersCount by referrerHost'],
    ['sessions by landing pages', 'Sessions.count by landingPage'],
    ['share of page views by os', 'pageViewsCount share by osFamily'],
    ['Cumulative users by day last 7 days', 'uniqueUsersCount cumulative by day last 7 days'],
    ['share of users, cumulative page views by day', 'uniqueUsersCount share, pageViewsCount cumulative by day'],
    ['total page views / total users', 'pageViewsCount / uniqueUsersCount'],
    ['total of localTzOffset', 'sum(localTzOffset)'],
    ['show me the page views by day', 'pageViewsCount by day'],
    ['What is the bounce rate last week', 'Sessions.bounceRate last week'],
    ['users by page, by week, last 7 days', 'uniqueUsersCount by docPath, week last 7 days'],
    ['users, page views, by day, in UTC, top 3', 'uniqueUsersCount, pageViewsCount by day in UTC top 3'],
    ['count where docPath = /a, last 7 days', 'count where docPath = /a last 7 days'],
    ['count by docPath order by count desc, last 7 days', 'count by docPath order by count desc last 7 days'],
    ['compare users this month with last month', 'uniqueUsersCount compare this month with last month'],
    ['users today compared to yesterday', 'uniqueUsersCount today compare with yesterday'],
    ['users yesterday vs the day before', 'uniqueUsersCount yesterday compare with -1d'],
    ['users last week vs the week before', 'uniqueUsersCount last week compare with -1w'],
    ['users this month vs same period last year', 'uniqueUsersCount this month compare with -1y'],
    ['users last 7 days vs the same days last month', 'uniqueUsersCount last 7 days compare with -1m'],
    ['users this week vs the previous week', 'uniqueUsersCount this week compare with previous week'],
  ])('%s', (spoken, exact) => {
    expect(read(spoken)).toEqual(read(exact));
    expect(read(exact)).toMatchObject({ measures: expect.any(Array) });
  });

  test.each([
    ['like Blog', '~ Blog'],
    ['not like Blog', '!~ Blog'],
    ['contains Blog', '~ Blog'],
    ['does not contain Blog', '!~ Blog'],
    ['starts with /blog', '^= /blog'],
    ['begins with /blog', '^= /blog'],
    ['ends with .html', '$= .html'],
    ['does not match ^/docs/[0-9]+$', 'notMatches ^/docs/[0-9]+$'],
    ['does not start with /a', 'notStartsWith /a'],
    ['not ends with /a', 'notEndsWith /a'],
    ['is not in (a, b)', 'not in (a, b)'],
    ['IS NOT a', '!= a'],
  ])('docPath %s', (spoken, sign) => {
    expect(read(`count where docPath ${spoken}`)).toEqual(read(`count where docPath ${sign}`));
  });

  test.each([
    ['May 2015', '2015-05'],
    ['in May 2015', '2015-05'],
    ['in sep 2015', '2015-09'],
    ['in 2015-05', '2015-05'],
    ['in last week', 'last week'],
    ['since may 2015', 'since 2015-05'],
    ['in the last 7 days', 'last 7 days'],
    ['over the past week', 'past week'],
    ['during this month', 'this month'],
    ['for last month', 'last month'],
    ['on 2024-03-08', '2024-03-08'],
    ['Q3 2026', '2026-Q3'],
    ['in 2026 q1', '2026-Q1'],
    ['between Jan 5, 2024 and 7 Jan 2024', ['2024-01-05', '2024-01-07']],
    ['between 2024-03-01 and 2024-03-14', ['2024-03-01', '2024-03-14']],
    ['2024-03-01 to 2024-03-14', ['2024-03-01', '2024-03-14']],
    ['Mar 1, 2024 to Mar 14, 2024', ['2024-03-01', '2024-03-14']],
    ['2024-03 to yesterday', 'from 2024-03 to yesterday'],
    ['month to date', 'month to date'],
    ['between 6 weeks ago and now', 'from 6 weeks ago to now'],
    ['from January 2015 to May 2015', 'from 2015-01 to 2015-05'],
    ['Jan 5, 2024', '2024-01-05'],
    ['in Jan 5 2024', '2024-01-05'],
    ['5 January 2024', '2024-01-05'],
    ['since March 2nd, 2024', 'since 2024-03-02'],
    ['from now to 2 days from now', 'from now to 2 days from now'],
    ['2 weeks from now', '2 weeks from now'],
    ['from 1 month ago to now', 'from 1 month ago to now'],
  ])('the range %s is %s', (spoken, dateRange) => {
    for (const line of [`count ${spoken} by day`, `count by day ${spoken}`, `count by day ${spoken} top 3 in UTC`]) {
      expect(read(line)).toMatchObject({ timeDimensions: [{ granularity: 'day', dateRange }] });
    }
  });

  test('reads two dates with month names as a pair', () => {
    expect(read('count from Jan 5, 2024 to 7 Jan 2024')).toMatchObject({
      timeDimensions: [{ dateRange: ['2024-01-05', '2024-01-07'] }],
    });
    expect(
      readQueryFlags({ measures: ['count'], range: 'from Jan 5, 2024 to Jan 7, 2024' }, { members }),
    ).toMatchObject({ value: { timeDimensions: [{ dateRange: ['2024-01-05', '2024-01-07'] }] } });
    expect(readQueryFlags({ measures: ['count'], range: 'Jan 5, 2024' }, { members })).toMatchObject({
      value: { timeDimensions: [{ dateRange: 'Jan 5, 2024' }] },
    });
  });

  test('leaves columns whose names are words before a range or a measure', () => {
    expect(read('count where localTzOffset between 1 and 5')).toMatchObject({
      filters: [{ and: [{ operator: 'gte' }, { operator: 'lte' }] }],
    });
    const profiles = ['device', 'campaign', 'total', 'share', 'cumulative', 'Q3'].map(
      (name) => ({ path: [name], events: 1, numbers: 1, example: '1' }) as unknown as PropertyProfile,
    );
    const named = { members: toCatalog(withProperties(builtInModel, { read: profiles, sampled: [] })) };
    for (const { path } of profiles)
      expect(readNotation(`sum(${path[0]}) by ${path[0]} last 7 days`, named)).toMatchObject({
        ok: true,
        value: { measures: [`TrackedEvents.sum(props.${path[0]})`], dimensions: [`TrackedEvents.props.${path[0]}`] },
      });
  });

  test('reads a month in a time condition as a range', () => {
    expect(read('count where utcTime in May 2015')).toMatchObject({
      filters: [{ operator: 'inDateRange', values: ['2015-05'] }],
    });
  });

  test('reads names in flags in the same way', () => {
    expect(
      readQueryFlags(
        { measures: ['page views'], dimensions: ['Browser, date'], where: ['doc path starts with /blog'] },
        { members },
      ),
    ).toMatchObject({
      value: {
        measures: ['TrackedEvents.pageViewsCount'],
        dimensions: ['TrackedEvents.agentName'],
        timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day' }],
        filters: [{ member: 'TrackedEvents.docPath', operator: 'startsWith', values: ['/blog'] }],
      },
    });
  });
});

describe('ambiguous names', () => {
  test('a synonym that is a name in another cube is ambiguous', () => {
    expect(readNotation('count by date', { members: smallCatalog }).issues).toMatchObject([
      { code: 'ambiguous-member', hint: 'Write `checkout.date` or `day`.' },
    ]);
    expect(readNotation('checkout.count by date', { members: smallCatalog })).toMatchObject({
      value: { dimensions: ['checkout.date'] },
    });
  });

  test('a synonym of a member that the model lacks is unknown', () => {
    expect(readNotation('count by referrer', { members: smallCatalog })).toMatchObject({
      ok: false,
      issues: [{ code: 'unknown-member' }],
    });
    expect(wrong('count by city')).toEqual([
      [
        'unknown-member',
        'city',
        expect.stringMatching(/^Run `sluice model` to list the members, or group by second, /),
      ],
    ]);
    expect(wrong('sesions by day')).toEqual([['unknown-member', 'sesions', 'Did you mean "sessions"?']]);
    expect(wrong('vistors by brwoser')).toEqual([
      ['unknown-member', 'vistors', 'Did you mean "visitors"?'],
      ['unknown-member', 'brwoser', 'Did you mean "browser"?'],
    ]);
  });

  test('names that differ only in spelling are ambiguous', () => {
    const twins = {
      find: (name: string) =>
        ['C.docPath', 'C.doc_path', 'C.count'].includes(name) ? { kind: 'measure' as const } : undefined,
      names: () => ['C.docPath', 'C.doc_path', 'C.count'],
      timeMemberOf: () => undefined,
    };
    expect(readNotation('docpath', { members: twins, defaultCube: 'C' }).issues).toMatchObject([
      { code: 'ambiguous-member', hint: 'Write `C.docPath` or `C.doc_path`.' },
    ]);
    expect(readNotation('doc_path', { members: twins, defaultCube: 'C' })).toMatchObject({
      value: { measures: ['C.doc_path'] },
    });
  });

  test('words that are names themselves stay separate names', () => {
    const names = ['C.doc', 'C.path', 'C.docPath'];
    const members = {
      find: (name: string) => (names.includes(name) ? { kind: 'measure' as const } : undefined),
      names: () => names,
      timeMemberOf: () => undefined,
    };
    expect(readNotation('doc path', { members, defaultCube: 'C' })).toMatchObject({
      value: { measures: ['C.doc', 'C.path'] },
    });
  });

  test('without a catalog, names need commas and synonyms are off', () => {
    expect(readNotation('page views').ok).toBe(false);
    expect(readNotation('users by date')).toMatchObject({
      value: { measures: ['TrackedEvents.users'], dimensions: ['TrackedEvents.date'] },
    });
  });
});

describe('near misses', () => {
  test.each<[string, string, string, string]>([
    ['top 5 pages yesterday', 'nothing-to-rank', '5', 'Write `pageViewsCount by docPath top 5 yesterday`.'],
    [
      'where docHost = a bottom 3 browsers',
      'nothing-to-rank',
      '3',
      'Write `pageViewsCount where docHost = a by agentName bottom 3`.',
    ],
    ['by docPath top 5', 'nothing-to-rank', '5', 'Write `pageViewsCount by docPath top 5`.'],
    [
      'count in may',
      'notation-range',
      'may',
      'Write the month with its year, such as `2024-05`, and days as `from 2024-05-01 to 2024-05-07`.',
    ],
    [
      'count from monday to friday',
      'notation-range',
      'from monday to friday',
      'Write days as dates, such as `from 2024-03-04 to 2024-03-08`, or `last 7 days`.',
    ],
    [
      'count friday',
      'notation-unexpected',
      'friday',
      'Write days as dates, such as `from 2024-03-04 to 2024-03-08`, or `last 7 days`.',
    ],
    ['average duration by day', 'unknown-member', 'average duration', 'Did you mean Sessions.averageDurationMinutes?'],
    ['average price by day', 'unknown-member', 'average price', 'For a property of events, write `avg(props.price)`.'],
    ['DAU', 'unknown-member', 'DAU', 'Ask `users by day`.'],
    ['count, new users by week', 'unknown-member', 'new users', 'Ask `ReturningUsers.count by week`.'],
    [
      'conversion rate last 30 days',
      'unknown-member',
      'conversion rate',
      'Ask `funnel / then /pricing` or `funnel signup then purchase`.',
    ],
    ['churn by week', 'unknown-member', 'churn', 'Ask `lifecycle by week`.'],
    ['d7 retention', 'unknown-member', 'd7 retention', 'Ask `retention by day`.'],
    [
      'conversion from home to buy',
      'unknown-member',
      'conversion',
      'Ask `funnel / then /pricing` or `funnel signup then purchase`.',
    ],
    [
      'median session duration by week',
      'unknown-member',
      'median session duration',
      'Ask `median(Sessions.durationMinutes)`.',
    ],
    ['revenue by week', 'unknown-member', 'revenue', 'Write the column of the amounts: `sum(COLUMN)`.'],
    ['AOV', 'unknown-member', 'AOV', 'Write the column of the amounts: `avg(COLUMN)`.'],
    ['ARPU by month', 'unknown-member', 'ARPU', 'Write the column of the amounts: `sum(COLUMN) / users`.'],
    [
      'events per user by week',
      'unknown-member',
      'user',
      'For figures per user, write `count / users` or `Sessions.averagePerUser`. To group by user, write `by userId`.',
    ],
    [
      'events per users',
      'wrong-kind',
      'users',
      'For figures per user, write `count / users` or `Sessions.averagePerUser`. To group by user, write `by userId`.',
    ],
    [
      'page views per session',
      'unknown-member',
      'session',
      'For figures per session, write `Sessions.averagePageViews` or `Sessions.averageDurationMinutes`. To group by session, write `by sessionId`.',
    ],
    ['top pages', 'notation-number', 'pages', 'Write, for example, `count by pages top 10`.'],
    ['count by docPath agentNme', 'notation-unexpected', 'agentNme', 'Did you mean "agentName"?'],
    ['count by docPath wher docHost = a', 'notation-unexpected', 'wher', 'Did you mean "where"?'],
    ['count by docPath having count > 3', 'notation-unexpected', 'having', 'Write `where count > 10`.'],
    ['page views mtd', 'notation-unexpected', 'mtd', 'Write `month to date`.'],
    ['page views on /docs', 'notation-unexpected', 'on', 'Write `where docPath = /docs`.'],
    ['users excluding bots', 'notation-unexpected', 'excluding', 'Write `segment humans`.'],
    [
      'users by page as a pie',
      'notation-unexpected',
      'as',
      'Choose a chart with `--chart`, or with `t` in the explorer.',
    ],
    [
      'users longer than 5',
      'notation-unexpected',
      'longer',
      'Write conditions after `where`: `users where docPath = /pricing`, `where userId is set`. For what users did in order, ask `funnel / then /pricing`.',
    ],
    [
      'orders by week',
      'unknown-member',
      'orders',
      '`count` is the number of events. Run `sluice model` to list the measures.',
    ],
    ['count between 2024-01-01', 'notation-range', '', 'Write `between … and …`, or `since …`.'],
    [
      'count group docPath',
      'notation-unexpected',
      'group',
      'After the measures, write `by`, `where`, a range such as `last 7 days`, `top`, `order by`, `limit`.',
    ],
  ])('%s', (line, code, at, hint) => {
    expect(wrong(line)).toEqual([[code, at, hint]]);
  });

  test('a hint on a term of the field suggests a valid question or analysis', () => {
    for (const term of [
      'dau',
      'WAU',
      'mau',
      'new users',
      'churn',
      'conversions',
      'user flow',
      'conversion',
      'p90 session length',
      'longest session',
      'dau/mau',
      'user retention',
      'drop off',
      'most viewed pages',
      'exit rate',
      'anonymous users',
      'logged in users',
      'latest events',
      'heatmap of users',
    ]) {
      const hinted = /`(.+?)`/.exec(wrong(term)[0]?.[2] ?? '')?.[1] ?? '';
      const analysis = analysisOfLine(hinted, members);
      const { issues } = analysis ? readAnalysisLine(hinted, analysis) : readNotation(hinted, { members });
      expect([term, hinted, issues]).toEqual([term, expect.stringMatching(/./), []]);
    }
  });

  test('a hint on DAU / MAU gives its formula', () => {
    const hinted = / or `(.+)`/.exec(wrong('dau / mau by day').at(-1)?.[2] ?? '')?.[1] ?? '';
    expect([hinted, readNotation(hinted, { members }).issues]).toEqual(['users / users rolling 30 days by day', []]);
  });

  test.each([
    ['signups by day', 'count where eventType = signup'],
    ['count by Signed_Up', "count where eventType = 'Signed Up'"],
    ['count, added_to_carts', '(count where customEventName = added-to-cart)'],
    ['signup / count', '(count where eventType = signup)'],
    ['count where signup > 3', 'count where eventType = signup'],
    ['crashes by day', 'count where eventType = crash'],
    ['crash rate by day', '(count where eventType = crash) / count as crashRate'],
  ])('a hint on a name of an event says how to count it: %s', (line, written) => {
    const eventNames = [
      { member: 'eventType' as const, name: 'signup' },
      { member: 'eventType' as const, name: 'crash' },
      { member: 'eventType' as const, name: 'Signed Up' },
      { member: 'customEventName' as const, name: 'added-to-cart' },
    ];
    const named = { members: toCatalog({ ...builtInModel, eventNames }) };
    expect(readNotation(line, named).issues).toMatchObject([
      { code: 'unknown-member', hint: expect.stringContaining(`event: write \`${written}\`.`) as string },
    ]);
    expect(readNotation(written, named).issues).toEqual([]);
  });

  describe('an app and its companies', () => {
    const profileOf = (name: string, numbers: number) =>
      ({ path: [name], events: 1, numbers, example: '1' }) as unknown as PropertyProfile;
    const read = [
      profileOf('price', 1),
      profileOf('screen', 0),
      profileOf('feature', 0),
      profileOf('company_id', 0),
      profileOf('seats', 1),
    ];
    const eventNames = ['signup', 'purchase', 'app_crashed', 'Plan Upgraded'].map((name) => ({
      member: 'eventType' as const,
      name,
    }));
    const named = { members: toCatalog(withProperties({ ...builtInModel, eventNames }, { read, sampled: [] })) };
    const hintsOf = (line: string) => readNotation(line, named).issues.map(({ hint }) => hint ?? '');

    test.each([
      ['total revenue', 'sum(props.price)'],
      ['total revenue by day', 'sum(props.price)'],
      ['average revenue by screen', 'avg(props.price)'],
      ['crash rate by screen', '(count where eventType = app_crashed) / count as crashRate'],
      ['repeat purchases', 'users where count per user > 1 and eventType = purchase'],
      ['companies by month', 'distinct(props.company_id)'],
      ['feature usage', 'distinct(props.feature)'],
      ['best day by revenue', 'count by day top 1'],
      ['top screens', 'count by props.screen top 10'],
      ['top things', 'count by COLUMN top 10'],
      ['users MoM', 'count last month compare with previous'],
      ['purchases YoY', '(count where eventType = purchase)'],
      ['users week over week', 'users last week compare with previous'],
      ['users month on month', 'users last month compare with previous'],
      ['count year-over-year', 'count last 12 months compare -1y'],
      ['users who purchased', 'users where eventType = purchase'],
      ['users who did purchase last month', 'users where eventType = purchase'],
      ['users who upgraded', "users where eventType = 'Plan Upgraded'"],
      ['users who bought', 'users where eventType = signup'],
      ['how many users purchased last month', 'where eventType = purchase'],
    ])('%s has a hint with %s', (line, written) => {
      expect(hintsOf(line)[0]?.replaceAll('"', '`')).toContain(`\`${written}\``);
      const question = written.startsWith('where') ? `users ${written}` : written;
      if (!question.includes('COLUMN')) expect(readNotation(question, named).issues).toEqual([]);
    });

    test('a figure of text is not offered as a sum', () => {
      expect(hintsOf('feature usage')[0]).not.toContain('sum');
      expect(hintsOf('seats by screen')).toEqual([
        'Write `sum(props.seats)`, `avg(props.seats)` or `distinct(props.seats)`, or group by it: `by props.seats`.',
      ]);
    });

    test.each(['count FY2026', 'count by fiscal year'])('%s has a hint to write the dates', (line) =>
      expect(hintsOf(line)[0]).toContain('`from 2025-04-01 to 2026-03-31`'),
    );

    test('a funnel with `to` between its steps has a hint with `then`', () => {
      expect(readAnalysisLine('funnel signup to purchase', 'funnel').issues).toMatchObject([
        { hint: 'Write `then` between the steps: `signup then purchase`.' },
      ]);
    });
  });

  test('a hint suggests a valid query line', () => {
    for (const line of [
      'top 5 pages yesterday',
      'where docHost = a bottom 3 browsers',
      'by docPath top 5',
      'in UTC top 5 Sessions.osName, docPath today',
    ]) {
      const hinted = /`(.+)`/.exec(wrong(line)[0]?.[2] ?? '')?.[1] ?? '';
      expect(readNotation(hinted, { members }), hinted).toMatchObject({
        ok: true,
        value: { measures: [expect.any(String)] },
      });
    }
  });
});

describe('columns of the event files', () => {
  const columns = new Map([
    ['customer', 'userId'],
    ['event', 'eventType'],
    ['zeit', 'utcTime'],
    ['date', 'utcTime'],
    ['users', 'userAnonymousId'],
  ]);
  const { cubes } = builtInModel;
  const profile = { path: ['plan'], events: 1, numbers: 1, example: '1' };
  const known = withProperties({ cubes, columns }, { read: [profile as unknown as PropertyProfile], sampled: [] });
  const named = { members: toCatalog(known) };
  test('a column after a total is not what the total is of', () => {
    const { issues } = readNotation('total users plan', named);
    expect(issues).toMatchObject([{ code: 'wrong-kind', span: { start: 12, end: 16 } }]);
  });

  test.each([
    ['count by customer', 'count by userId'],
    ['count by Customer, plan', 'count by userId, props.plan'],
    ['count by event', 'count by eventType'],
    ['count by Event where EVENT = a', 'count by eventType where eventType = a'],
    ['users by users order by users', 'uniqueUsersCount by userAnonymousId order by uniqueUsersCount'],
    ['count by date', 'count by day'],
    ['count by TrackedEvents.event', 'count by TrackedEvents.event'],
    ['Sessions.count by customer', 'Sessions.count by Sessions.userId'],
    ['count where customer = ann and plan > 3 by day', 'count where userId = ann and props.plan > 3 by day'],
    ['sum(plan), AVG( plan ), p90(plan) by customer', 'sum(props.plan), avg(props.plan), p90(props.plan) by userId'],
    ['total(plan) by date', 'sum(props.plan) by day'],
    ['average plan, Median plan / total users by date', 'avg(plan), median(plan) / uniqueUsersCount by day'],
    ['p90 plan cumulative by day', 'p90(plan) cumulative by day'],
    ['total plan', 'sum(plan)'],
    ['total number of users by date', 'uniqueUsersCount by day'],
    ['count by plan top 3', 'count by props.plan top 3'],
    ['count by customer plan', 'count by userId, props.plan'],
    ['count where weekday in(saturday)', 'count where weekday in (saturday)'],
  ])('%s is %s', (line, plain) => {
    const expected = readNotation(plain, named);
    expect(expected.issues).toEqual([]);
    expect(readNotation(line, named)).toMatchObject({ ok: true, value: (expected as { value?: unknown }).value });
  });

  test('a property is no measure by itself', () => {
    expect(readNotation('plan by day', named).issues).toMatchObject([
      {
        code: 'wrong-kind',
        hint: 'Write `sum(props.plan)`, `avg(props.plan)` or `distinct(props.plan)`, or group by it: `by props.plan`.',
      },
    ]);
  });
});

test.each(['/', 'a/', '"'])('reads a long line of %s', (part) => {
  const line = part.repeat(130_000);
  for (const text of [line, `count by ${line}`]) expect(readNotation(text, { members }).ok).toBe(false);
});

test('reads many blanks within a function', () => {
  const blanks = ' '.repeat(400_000);
  for (const text of [`sum(a${blanks}b)`, `sum(a${blanks}* b)`]) expect(readNotation(text, { members }).ok).toBe(false);
});

describe('columns whose names have several words', () => {
  const columns = new Map([
    ['event name', 'eventType'],
    ['order date', 'utcTime'],
    ['customer', 'userId'],
  ]);
  const profileOf = (key: string) =>
    ({ path: [key], events: 1, numbers: 1, example: '1' }) as unknown as PropertyProfile;
  const knowing = (keys: readonly string[]) => ({
    members: toCatalog(
      withProperties({ cubes: builtInModel.cubes, columns }, { read: keys.map(profileOf), sampled: [] }),
    ),
  });
  const named = knowing(['Plan Type', 'Order Value', 'day', 'docPath', 'a.b (%)']);

  test.each([
    ['count by "Plan Type"', 'count by props.Plan%20Type'],
    ["count by 'Plan Type', docPath", 'count by props.Plan%20Type, docPath'],
    ['count by Plan Type day', 'count by props.Plan%20Type, day'],
    ['count by docPath Plan Type last 7 days', 'count by docPath, props.Plan%20Type last 7 days'],
    ['count by "Event Name", Event Name', 'count by eventType, eventType'],
    ['count by "day", day', 'count by props.day, day'],
    ['count by "docPath"', 'count by docPath'],
    ['count by "a.b (%)"', 'count by props.a%2Eb%20%28%25%29'],
    ['top 3 "Plan Type" by count', 'count by props.Plan%20Type top 3'],
    ['count by docPath top 3 "Plan Type"', 'count by docPath, props.Plan%20Type top 3'],
    [
      'sum("Order Value"), avg(Order Value), P90( \'Order Value\' )',
      ['sum', 'avg', 'p90'].map((f) => `${f}(props.Order%20Value)`).join(', '),
    ],
    ['sum("Order Value") / count as each', 'sum(props.Order%20Value) / count as each'],
    ['count by first touch "Plan Type"', 'count by first touch props.Plan%20Type'],
    [
      'count by last touch Plan Type, last touch "Event Name"',
      'count by last touch props.Plan%20Type, last touch eventType',
    ],
    ['count by Order Value', 'count by props.Order%20Value'],
    ['count where "Plan Type" = Pro', 'count where props.Plan%20Type = Pro'],
    [
      'count where Plan Type is not set and Event Name in (a, b)',
      'count where props.Plan%20Type is not set and eventType in (a, b)',
    ],
    [
      'count where not ("Order Value" > 3 or Plan Type contains x)',
      'count where not (props.Order%20Value > 3 or props.Plan%20Type contains x)',
    ],
    ['count by "Plan Type" order by "Plan Type" desc', 'count by props.Plan%20Type order by props.Plan%20Type desc'],
  ])('%s is %s', (line, plain) => {
    const expected = readNotation(plain, named);
    expect(expected.issues).toEqual([]);
    expect(readNotation(line, named)).toMatchObject({ ok: true, value: (expected as { value?: unknown }).value });
  });

  const odd = knowing(['Umsätze', 'Größe (cm)', 'Price (EUR, net)', '% off', 'Land/Region', 'cart.total']);

  test.each([
    ['sum(Umsätze) by Land/Region', 'sum(props.Umsätze) by props.Land%2FRegion'],
    ['count where Umsätze > 5 and Land/Region = DE', 'count where props.Umsätze > 5 and props.Land%2FRegion = DE'],
    ['avg(Größe (cm)), P90(% off)', 'avg(props.Größe%20%28cm%29), p90(props.%25%20off)'],
    ['sum( Price (EUR, net) ) / count', 'sum(props.Price%20%28EUR%2C%20net%29) / count'],
    ['count by Größe (cm) day top 3', 'count by props.Größe%20%28cm%29, day top 3'],
    ['count by docPath, Price (EUR,  net)', 'count by docPath, props.Price%20%28EUR%2C%20net%29'],
    ['count where Größe (cm) between 1 and 5', 'count where props.Größe%20%28cm%29 between 1 and 5'],
    [
      'count where (% off > 5 or Größe (cm) is set)',
      'count where (props.%25%20off > 5 or props.Größe%20%28cm%29 is set)',
    ],
    ['count by Umsätze order by Größe (cm) desc', 'count by props.Umsätze order by props.Größe%20%28cm%29 desc'],
    ['sum(cart.total) by cart.total', 'sum(props.cart%2Etotal) by props.cart%2Etotal'],
    ['sum("cart.total") by "cart.total"', 'sum(props.cart%2Etotal) by props.cart%2Etotal'],
    ['sum(props.cart.total) where cart.total > 5', 'sum(props.cart%2Etotal) where props.cart%2Etotal > 5'],
  ])('%s needs no quotes: %s', (line, plain) => {
    const expected = readNotation(plain, odd);
    expect(expected.issues).toEqual([]);
    expect(readNotation(line, odd)).toMatchObject({ ok: true, value: (expected as { value?: unknown }).value });
  });

  test.each([
    ['distinct(docPath)', 'TrackedEvents.distinct(docPath)'],
    ['Distinct( page )', 'TrackedEvents.distinct(docPath)'],
    ['countDistinct(Sessions.landingPage)', 'Sessions.distinct(landingPage)'],
    ['Sessions.distinct(landingPage)', 'Sessions.distinct(landingPage)'],
    ['distinct(Customer)', 'TrackedEvents.distinct(userId)'],
    ['distinct("Event Name")', 'TrackedEvents.distinct(eventType)'],
    ['distinct(props.docPath)', 'TrackedEvents.distinct(props.docPath)'],
    ['distinct(props.url)', undefined],
    ['distinct(cohorts)', undefined],
  ])('%s counts the values of a dimension', (line, measure) => {
    const read = readNotation(`${line} by day`, named);
    if (measure === undefined) expect(read.issues[0]).toMatchObject({ code: 'unknown-member' });
    else expect(read).toMatchObject({ ok: true, value: { measures: [measure] } });
  });

  test('are read from flags with the commas in their brackets', () => {
    const flags = {
      measures: ['sum(Price (EUR, net)), count,avg(Umsätze)'],
      dimensions: ['Price (EUR, net),Größe (cm) , Land/Region'],
      where: ['Price (EUR, net) > 1'],
    };
    const line =
      'sum(Price (EUR, net)), count, avg(Umsätze) by Price (EUR, net), Größe (cm), Land/Region where Price (EUR, net) > 1';
    const [fromFlags, fromLine] = [readQueryFlags(flags, odd), readNotation(line, odd)];
    expect(fromFlags.issues).toEqual([]);
    expect(fromFlags.ok && fromFlags.value).toEqual(fromLine.ok && fromLine.value);
    const brackets = '('.repeat(300_000);
    expect(readQueryFlags({ measures: [`${brackets},()${brackets}`] }, odd).ok).toBe(false);
  });

  test('with dots are fields within others, if events have those', () => {
    const nested = knowing(['plan']).members;
    const profile = { path: ['cart', 'total'], events: 1, numbers: 1, example: '1' } as unknown as PropertyProfile;
    const world = {
      members: toCatalog(withProperties({ cubes: builtInModel.cubes, columns }, { read: [profile], sampled: [] })),
    };
    const expected = readNotation('sum(props.cart.total) by props.cart.total', world);
    for (const line of ['sum(cart.total) by cart.total', 'sum("cart.total") by "cart.total"'])
      expect(readNotation(line, world)).toMatchObject({ ok: true, value: (expected as { value?: unknown }).value });
    expect(readNotation('count by cart.total', { members: nested }).issues).toMatchObject([
      { code: 'unknown-member', name: 'props.cart.total' },
    ]);
    expect(readNotation('count by Sessions.totl', { members: nested }).issues[0]?.name).toBeUndefined();
  });

  test.each([
    ['count by Größe (mm)', 'Did you mean `"Größe (cm)"`?'],
    ['count by Umsatze', 'Did you mean "props.Umsätze"?'],
    ['count by cart.totl', 'Did you mean "props.cart%2Etotal"?'],
    ['avg(% of)', 'Did you mean `avg("% off")`?'],
  ])('%s has a hint on a name with signs', (line, hint) => {
    expect(readNotation(line, odd).issues[0]).toMatchObject({ severity: 'error', hint });
  });

  test.each([
    ['count by PlanType', 'Did you mean `"Plan Type"`?'],
    ['count by plan_typ', 'Did you mean `"Plan Type"`?'],
    ['count by "plan type"', 'Did you mean `"Plan Type"`?'],
    ['sum(order_value)', 'Did you mean `sum("Order Value")`?'],
    ['OrderValue by day', 'Did you mean `sum("Order Value")`?'],
    ['"Order Value" by day', 'Start with a measure, such as `count by "Order Value"` or `sum("Order Value")`.'],
    ['count by page genre', 'Quote a name of several words: `by "page genre"`.'],
    ['distinct(docPth)', 'Did you mean "distinct(docPath)"?'],
    ['distinct (docP', 'Write a column in brackets: `distinct(COLUMN)`.'],
    ['sum(customer)', 'The column "customer" is mapped to userId: write `by userId`.'],
    [
      'Plan Type by day',
      'Write `sum("Plan Type")`, `avg("Plan Type")` or `distinct("Plan Type")`, or group by it: `by "Plan Type"`.',
    ],
  ])('%s has a hint', (line, hint) => {
    expect(readNotation(line, named).issues[0]).toMatchObject({ severity: 'error', hint });
  });

  test.each([
    ['count by "Plan Name"', 'props.Plan%20Name'],
    ['count by Plan Name', 'props.Plan%20Name'],
    ['count where Plan Name = 1', 'props.Plan%20Name'],
    ['count by "x"', 'props.x'],
  ])('%s may be a property that only the events show', (line, name) => {
    expect(readNotation(line, { members }).issues).toMatchObject([{ code: 'unknown-member', name }]);
  });

  test('are read from flags as they are', () => {
    const flags = { measures: ['sum(Order Value)'], dimensions: ['Plan Type,a.b (%)'], where: ['"Plan Type" != x'] };
    const line = 'sum("Order Value") by "Plan Type", "a.b (%)" where "Plan Type" != x';
    const [fromFlags, fromLine] = [readQueryFlags(flags, named), readNotation(line, named)];
    expect(fromFlags.ok && fromFlags.value).toEqual(fromLine.ok && fromLine.value);
    expect(fromFlags.ok).toBe(true);
  });

  const written = (key: string) => `"${key.replaceAll(/["\\]/g, '\\$&')}"`;
  test('are found by any name in quotes, and are written so that they read back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), (key) => {
        fc.pre(!key.includes('\0') && key.isWellFormed());
        const world = knowing([key]);
        const property = writePropertyMember({ compute: undefined, path: [key] });
        const isMember = members.find(`TrackedEvents.${key}`) !== undefined || columns.has(key.toLowerCase());
        for (const [line, plain] of [
          [`count by ${written(key)}`, `count by ${property}`],
          [
            `count where ${written(key)} = a order by ${written(key)}`,
            `count where ${property} = a order by ${property}`,
          ],
          [`sum(${written(key)})`, `sum(${property})`],
        ] as const) {
          const expected = readNotation(plain, world);
          expect(expected.issues).toEqual([]);
          const query = (expected as { readonly value?: Query }).value!;
          if (!isMember || line.startsWith('sum'))
            expect(readNotation(line, world), line).toMatchObject({ ok: true, value: query });
          const again = readNotation(writeNotation(query, world) ?? '', world);
          expect(again.ok && toCanonicalQuery(again.value), line).toEqual(toCanonicalQuery(query));
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('a star in a value', () => {
  test.each([
    ['docPath = /blog*', '/blog*', 'Write `docPath ^= /blog`.'],
    ['docPath = *.html', '*.html', 'Write `docPath $= .html`.'],
    ["docPath = '*two words*'", "'*two words*'", "Write `docPath ~ 'two words'`."],
    ['docPath != /blog* and docHost = a', '/blog*', 'Use `^=` to match the start, `$=` the end, `~` any part.'],
  ])('%s causes a warning and stays literal', (condition, at, hint) => {
    const line = `count where ${condition}`;
    const outcome = readNotation(line, { members });
    expect(outcome).toMatchObject({
      ok: true,
      value: { filters: [{ values: [expect.stringContaining('*')] }, ...(condition.includes(' and ') ? [{}] : [])] },
    });
    expect(outcome.issues).toMatchObject([{ code: 'literal-star', severity: 'warning', hint }]);
    expect(wrong(line)[0]?.[1]).toBe(at);
    expect(readQueryFlags({ measures: ['count'], where: [condition] }, { members }).issues).toMatchObject([
      { code: 'literal-star', severity: 'warning' },
    ]);
  });

  test('alone or in the middle is not a pattern', () => {
    expect(wrong('count where docPath = * and docHost = a*b')).toEqual([]);
  });

  test('does not hide that nothing is queried', () => {
    expect(wrong('where docPath = /a*').map(([code]) => code)).toEqual(
      expect.arrayContaining(['nothing-asked', 'literal-star']),
    );
    expect(readQueryFlags({ where: ['docPath = /a*'] }, { members }).ok).toBe(false);
  });
});

describe('text of unknown form', () => {
  test.each([
    'count by',
    'count by docPath\n',
    "count where pageTitle = 'a: b'",
    'count where docPath = a:b',
    '\ufeffcount',
  ])('%j is a line', (text) => {
    expect(looksLikeNotation(text)).toBe(true);
  });

  test.each([
    '',
    '\n',
    '{"measures": []}',
    '[count]',
    'measures: [a]',
    '"measures": [a]',
    'query:',
    'query:\n  measures: [a]',
    '# later',
    '- a',
    '--- a',
  ])('%j is a document', (text) => {
    expect(looksLikeNotation(text)).toBe(false);
  });
});

describe('names of the built-in model', () => {
  const names = members.names();

  test('stand for themselves', () => {
    for (const name of names) {
      const kind = members.find(name)?.kind;
      const line = kind === 'measure' ? name : kind === 'segment' ? `count segment ${name}` : `count by ${name}`;
      expect(JSON.stringify(read(line)), line).toContain(`"${name}"`);
    }
  });

  test('read back as written', () => {
    const of = (kind: 'measure' | 'dimension' | 'segment') =>
      fc.uniqueArray(fc.constantFrom(...members.names(kind)), { minLength: 1, maxLength: 4 });
    const queries: fc.Arbitrary<Query> = fc.record(
      {
        measures: of('measure'),
        dimensions: of('dimension'),
        segments: of('segment'),
        filters: fc.array(
          fc.record({
            member: fc.constantFrom(...members.names('dimension')),
            operator: fc.constant('equals' as const),
            values: fc.tuple(fc.constantFrom('May', 'like', '/a*', 'docPath', 'vs', 'per')),
          }),
          { maxLength: 2 },
        ),
        order: fc.uniqueArray(fc.tuple(fc.constantFrom(...names), fc.constantFrom('asc' as const, 'desc' as const)), {
          minLength: 1,
          maxLength: 2,
          selector: ([name]) => name,
        }),
      },
      { requiredKeys: ['measures'] },
    );
    let written = 0;
    fc.assert(
      fc.property(queries, (query) => {
        const line = writeNotation(query, { members });
        if (line === undefined) return;
        written += 1;
        const again = readNotation(line, { members });
        expect(again.ok && toCanonicalQuery(again.value)).toEqual(toCanonicalQuery(query));
      }),
      { numRuns: 500 },
    );
    expect(written).toBeGreaterThan(250);
  });

  test('never throw, whatever stands between them', () => {
    const words = fc.constantFrom(
      'page',
      'views',
      'unique',
      'users',
      'by',
      'per',
      'group',
      'date',
      'browser',
      'top',
      '5',
      'May',
      '2015',
      'in',
      'vs',
      'compare',
      'monday',
      'from',
      'to',
      'where',
      'like',
      'starts',
      'with',
      '/a*',
      'is',
      'not',
      ',',
      'and',
      '(',
      ')',
      'docPath',
      'DOCPATH',
      'count',
      'segment',
      'known',
      'order',
      '.',
      'a.b.c',
      '',
    );
    fc.assert(
      fc.property(
        fc.array(words, { maxLength: 14 }).map((parts) => parts.join(' ')),
        (line) => {
          const outcome = readNotation(line, { members });
          expect(outcome.ok || outcome.issues.some(({ severity }) => severity === 'error')).toBe(true);
          for (const { span } of outcome.issues)
            expect(span && span.start >= 0 && span.start <= span.end && span.end <= line.length).toBe(true);
        },
      ),
      { numRuns: 3000 },
    );
  });
});
