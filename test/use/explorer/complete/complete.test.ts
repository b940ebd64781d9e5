import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { issuesOfLine } from '../../../../src/ask/analysis-line/read-analysis-line.ts';
import type { Cohort } from '../../../../src/ask/cohort/cohort.ts';
import { funnelReader } from '../../../../src/ask/funnel/read-funnel.ts';
import { readNotation } from '../../../../src/ask/notation/read-notation.ts';
import { writeNotation } from '../../../../src/ask/notation/write-notation.ts';
import { cohortAnalysis } from '../../../../src/plan/analysis/cohort/cohort-analysis.ts';
import { withCohortMembers } from '../../../../src/plan/analysis/cohort/cohort-members.ts';
import { withComputedCubes } from '../../../../src/plan/analysis/computed-cubes.ts';
import { funnelAnalysis } from '../../../../src/plan/analysis/funnel/funnel-analysis.ts';
import { builtInModel } from '../../../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../../../src/plan/model/catalog.ts';
import type { Model } from '../../../../src/plan/model/model.ts';
import { withProperties } from '../../../../src/plan/model/properties.ts';
import type { PropertyProfile } from '../../../../src/plan/model/property-members.ts';
import { complete } from '../../../../src/use/explorer/complete/complete.ts';
import type { Completion, CompletionWorld } from '../../../../src/use/explorer/complete/rank-candidates.ts';

const world: CompletionWorld = {
  catalog: toCatalog(builtInModel),
  home: 'TrackedEvents',
  zones: ['Europe/Berlin', 'America/New_York'],
  savedQueries: [{ name: 'top-pages', title: 'The pages that are read most' }],
  values: new Map([['TrackedEvents.eventType', ['pageview', 'link click', "it's", '\u001b[31m']]]),
};

/** Completes a line with the cursor at `|`. */
function at(line: string, where: CompletionWorld = world): Completion {
  const cursor = line.indexOf('|');
  return complete(line.replace('|', ''), cursor, where);
}

const texts = (line: string) => at(line).candidates.map(({ text }) => text);

const power: Cohort = {
  name: 'power_users',
  title: 'Power users',
  rule: { path: [], kind: 'first_seen', during: 'last 30 days' },
};
const withCohorts: CompletionWorld = {
  ...world,
  catalog: toCatalog(
    withCohortMembers(withComputedCubes(cohortAnalysis, builtInModel, [power], 'here', builtInModel), [power]),
  ),
};

describe('figures of each user', () => {
  it('are offered as groups once a measure is typed, and read back', () => {
    expect(texts('users by pageV|')).toContain('pageViewsCount per user');
    expect(texts('users by |').some((text) => text.endsWith('per user'))).toBe(false);
    expect(readNotation('users by pageViewsCount per user', { members: world.catalog }).ok).toBe(true);
  });
});

describe('the column of a function', () => {
  const profile = (key: string, numbers: number) =>
    ({
      path: [key],
      type: 'number',
      events: 2,
      numbers,
      large: 0,
      rounded: 0,
      wholeDigits: 1,
      scale: 0,
      example: '1',
    }) as const;
  const own: CompletionWorld = {
    ...world,
    catalog: toCatalog(
      withProperties(builtInModel, { read: [profile('price', 2), profile('Order Value', 2), profile('plan', 0)] }),
    ),
  };
  it.each([
    ['distinct(docP|', 'distinct(docPath)', 0, 13],
    ['count, distinct(|', 'distinct(eventType)', 7, 16],
    ['distinct(page|) by day', 'distinct(docPath)', 0, 14],
    ['count / CountDistinct( pla|', 'distinct(props.plan)', 8, 26],
    ['sum(|', 'sum(props.price)', 0, 4],
    ['avg(order|', 'avg("Order Value")', 0, 9],
    ['p90(pri|ce) by day', 'p90(props.price)', 0, 10],
    ['Sessions.distinct(landi|', 'Sessions.distinct(landingPage)', 0, 23],
    ['count by day where sum(pr|', 'sum(props.price)', 19, 25],
  ])('%s is completed by %s', (line, text, from, to) => {
    const found = at(line, own);
    expect(found).toMatchObject({ from, to });
    expect(found.candidates.map((candidate) => candidate.text)).toContain(text);
    const whole = line.slice(0, from) + text + line.replace('|', '').slice(to);
    expect(
      issuesOfLine(whole, { members: own.catalog, defaultCube: 'TrackedEvents' }).filter(
        ({ severity }) => severity === 'error',
      ),
    ).toEqual(whole.endsWith(')') && whole.includes('where') ? [expect.anything()] : []);
  });

  it('is one that the function can compute', () => {
    expect(at('sum(|', own).candidates.map(({ label }) => label)).toEqual(['localTzOffset', 'Order Value', 'price']);
    expect(at('sum(pla|', own).candidates).toEqual([]);
    expect(at('count where docPath in (|', own).candidates.map(({ text }) => text)).not.toContain('distinct(docPath)');
  });
});

describe('an analysis in one line', () => {
  it.each<[string, string]>([
    ['ret|', 'retention of'],
    ['|', 'lifecycle of'],
    ['retention of |', 'pageview'],
    ['retention of pageview |', 'by'],
    ['retention of pageview |', 'returning'],
    ['retention by |', 'week'],
    ['retention by w|', 'week'],
    ['retention by week, |', 'agentName'],
    ['funnel signup then |', 'pageview'],
    ['funnel signup |', 'then'],
    ['funnel signup then order holding agent|', 'agentName'],
    ['funnel signup then order holding docHost, agent|', 'agentName'],
    ['funnel signup then order within |', '7 days'],
    ['retention by week l|', 'last 30 days'],
    ['retention where |', 'docPath'],
    ['retention by week where docPath |', '^='],
    ['stickiness every |', '2'],
  ])('%s offers %s', (line, wanted) => {
    expect(texts(line)).toContain(wanted);
  });

  it('offers no part twice, and asks for the values that it needs', () => {
    expect(texts('retention by week |')).not.toContain('by');
    expect(at('paths from |').wantsValues).toBe('TrackedEvents.docPath');
  });

  it('makes a line that is understood of any candidates in a row', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('retention', 'funnel', 'lifecycle', 'stickiness', 'paths'),
        fc.array(fc.nat({ max: 200 }), { minLength: 1, maxLength: 8 }),
        (start, picks) => {
          let line = `${start} `;
          for (const pick of picks) {
            const { candidates } = complete(line, line.length, world);
            const chosen = candidates[pick % Math.max(1, candidates.length)];
            if (!chosen) break;
            line += `${chosen.text} `;
          }
          const end = line.trimEnd().length;
          const wrong = issuesOfLine(line, { members: world.catalog, defaultCube: world.home });
          expect([line, wrong.filter(({ span }) => span && span.start < end)]).toEqual([line, []]);
        },
      ),
    );
  });
});

describe('cohorts', () => {
  it.each<[string, string]>([
    ['count where coh|', 'cohorts'],
    ['count where cohorts = |', 'power_users'],
    ['count where cohort = pow|', 'power_users'],
    ['count where cohorts in (|', 'power_users'],
    ['count where cohorts.power_users = |', "'not in'"],
    ['count by coh|', 'cohorts.power_users'],
    ['Sessions.count by coh|', 'cohorts.power_users'],
    ['power_u|', 'power_users.users'],
  ])('%s offers %s', (line, wanted) => {
    expect(at(line, withCohorts).candidates.map(({ text }) => text)).toContain(wanted);
  });

  it('does not offer to group by names of cohorts', () => {
    expect(at('count by coh|', withCohorts).candidates.map(({ text }) => text)).not.toContain('cohorts');
  });

  it.each([
    [
      'count where cohort = power-users',
      { member: 'TrackedEvents.cohorts', operator: 'equals', values: ['power-users'] },
    ],
    [
      'count where cohort.power-users != in',
      { member: 'TrackedEvents.cohorts.power_users', operator: 'notEquals', values: ['in'] },
    ],
    ['Sessions.count where cohort = a', { member: 'Sessions.cohorts', operator: 'equals', values: ['a'] }],
  ])('reads %s', (line, filter) => {
    const read = readNotation(line, { members: withCohorts.catalog });
    expect(read.ok && read.value.filters).toEqual([filter]);
    const written = read.ok ? writeNotation(read.value, { members: withCohorts.catalog }) : undefined;
    const again = readNotation(written ?? '', { members: withCohorts.catalog });
    expect(again.ok && again.value).toEqual(read.ok && read.value);
  });
});

describe('complete', () => {
  it.each<[string, readonly string[]]>([
    ['|', ['top-pages', 'count', 'pageViewsCount']],
    ['pa|', ['pageViewsCount']],
    ['page vi|', ['pageViewsCount']],
    ['uqcount|', ['uniqueUsersCount']],
    ['count, |', ['pageViewsCount', 'count']],
    ['count |', ['by', 'where', 'last 7 days', 'day', 'top', 'pageViewsCount']],
    ['count by |', ['docPath', 'eventType', 'day']],
    ['count by dp|', ['docPath']],
    ['count by docPath, d|', ['day', 'docHost']],
    ['count by utcTime.|', ['utcTime.day', 'utcTime.hour']],
    ['count by docPath w|', ['where', 'week', 'last week']],
    ['count where |', ['docPath', 'pageViewsCount']],
    ['count where (|', ['docPath']],
    ['count, (users where |', ['docPath', 'agentName']],
    ['(count where eventType |', ['=', '~', 'in (', 'is set']],
    ['(count where eventType = |', ['pageview', "'link click'"]],
    ['(count where eventType in (pageview, |', ["'link click'"]],
    ['(count where eventType = pageview) / |', ['pageViewsCount', 'uniqueUsersCount']],
    ['count where eventType |', ['=', '~', 'in (', 'is set']],
    ['count where pageViewsCount |', ['>', '<=', 'between']],
    ['count where utcTime |', ['in', 'before']],
    ['count where utcTime in |', ['last 7 days', 'this month']],
    ['count where eventType = |', ['pageview', "'link click'"]],
    ["count where eventType = 'link|", ["'link click'"]],
    ['count where eventType in (pageview, |', ["'link click'"]],
    ['count where eventType in (pageview |', [')', ',']],
    ['count where eventType = pageview |', ['and', 'or', 'by']],
    ['count where (eventType = pageview |', ['and', ')']],
    ['count la|', ['last 7 days', 'last month']],
    ['count last 14 |', ['last 14 days', 'last 14 weeks']],
    ['count last 14 w|', ['last 14 weeks']],
    ['count from 2024-01-01 |', ['to']],
    ['count compare |', ['this month']],
    ['count compare this month |', ['with']],
    ['count compare this month with |', ['last month']],
    ['count this month |', ['vs']],
    ['count top |', ['10']],
    ['count limit |', ['10']],
    ['count in Ber|', ['Europe/Berlin']],
    ['count order |', ['by']],
    ['count by docPath order by |', ['count', 'docPath']],
    ['count by docPath order by count |', ['desc']],
    ['count segment |', ['knownUsers', 'bots']],
    ['Sessions.|', ['Sessions.count']],
    ['Sessions.count by |', ['agentName', 'startAt']],
  ])('offers at %s what can stand there', (line, offered) => {
    expect(texts(line)).toEqual(expect.arrayContaining([...offered]));
  });

  it.each<[string, readonly string[]]>([
    ['count |', ['desc', 'or', ')']],
    ['count by |', ['count', 'where', 'knownUsers']],
    ['count, |', ['docPath', 'by']],
    ['count where eventType |', ['>', 'pageview', 'by']],
    ['count where eventType = |', ['by', 'docPath']],
    ['count top |', ['by', 'docPath']],
    ['count segment |', ['docPath']],
    ['Sessions.count by |', ['TrackedEvents.docPath', 'Sessions.agentName', 'eventType']],
    ['count last 7 days |', ['last 30 days']],
    ['count where (eventType = pageview |', ['by', 'top']],
  ])('does not offer at %s what cannot', (line, refused) => {
    expect(texts(line).filter((text) => refused.includes(text))).toEqual([]);
  });

  it('offers dimensions without values last', () => {
    const members = ['TrackedEvents.docPath', 'TrackedEvents.eventType'];
    const [first, ...others] = at('count by |').candidates.map(({ text }) => text);
    expect([first, ...others]).toEqual(expect.arrayContaining(['docPath', 'eventType']));
    const sparse = at('count by |', { ...world, empty: { members: new Set(members) } }).candidates;
    const ownDimensions = sparse.filter(({ kind, text }) => kind === 'dimension' && !text.includes('.'));
    expect(
      ownDimensions
        .slice(-2)
        .map(({ text }) => `TrackedEvents.${text}`)
        .toSorted(),
    ).toEqual(members);
    expect(sparse.map(({ text }) => text).toSorted()).toEqual([first, ...others].toSorted());
  });

  it('quotes names of several words', () => {
    const profile = { path: ['Plan Type'], events: 1, numbers: 1, example: '1' } as unknown as PropertyProfile;
    const columns = { ...world, catalog: toCatalog(withProperties(builtInModel, { read: [profile], sampled: [] })) };
    for (const [line, text, written] of [
      ['count by pla|', '"Plan Type"', 'count by "Plan Type"'],
      ['count by "Pla|', '"Plan Type"', 'count by "Plan Type"'],
      ['sum|', 'sum("Plan Type")', 'sum("Plan Type")'],
      ['count where pla|', '"Plan Type"', 'count where "Plan Type"'],
      ['count where "Plan Type" |', '=', 'count where "Plan Type" ='],
      ['count by "Plan Type" order by pl|', '"Plan Type"', 'count by "Plan Type" order by "Plan Type"'],
    ] as const) {
      const { candidates, from } = at(line, columns);
      expect([candidates[0]?.text, line.slice(0, from) + candidates[0]?.text], line).toEqual([text, written]);
    }
    const { wantsValues } = at('count where "Plan Type" = |', columns);
    expect(wantsValues).toBe('TrackedEvents.props.Plan%20Type');
  });

  it('replaces the word that the cursor is in, and a name or a range of several words as a whole', () => {
    expect(at('count by doc|Pa last 7 days')).toMatchObject({ from: 9, to: 14 });
    expect(at('page vi|')).toMatchObject({ from: 0, to: 7 });
    expect(at('count last 7 d| top 5')).toMatchObject({ from: 6, to: 14 });
    expect(at("count where eventType = 'lin|k click' top 5")).toMatchObject({ from: 24 });
  });

  it('tells titles, descriptions and kinds', () => {
    expect(at('uniqueU|').candidates[0]).toMatchObject({
      text: 'uniqueUsersCount',
      kind: 'measure',
      title: expect.stringMatching(/users/i),
    });
    expect(at('|').candidates[0]).toMatchObject({
      text: 'top-pages',
      kind: 'query',
      title: 'The pages that are read most',
    });
    expect(at('count by utcT|').candidates[0]).toMatchObject({ kind: 'time' });
  });

  it('offers the funnels of the workspace as what they are, and their steps behind them', () => {
    const text =
      'seconds_to_convert: 3600\nsteps:\n  - {name: cart, target: /cart, action: pageview}\n  - {name: paid, target: /paid, action: pageview}\n';
    const [funnel] = funnelReader.read([{ file: 'funnels/checkout.yaml', bytes: Buffer.from(text) }]);
    if (!funnel?.ok) expect.fail(JSON.stringify(funnel?.issues));
    const withFunnel = {
      ...world,
      catalog: toCatalog(withComputedCubes(funnelAnalysis, builtInModel, [funnel.value], 'here', builtInModel)),
    };
    expect(at('checkout|', withFunnel).candidates[0]).toMatchObject({ text: 'checkout.count', kind: 'funnel' });
    expect(at('checkout.count by |', withFunnel).candidates.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['step']),
    );
  });

  it('finds a name by its title', () => {
    const titled: Model = {
      cubes: builtInModel.cubes.map((cube) =>
        cube.name === 'TrackedEvents'
          ? {
              ...cube,
              measures: cube.measures.map((measure) =>
                measure.name === 'count' ? { ...measure, label: 'Everything tracked' } : measure,
              ),
            }
          : cube,
      ),
    };
    expect(at('everyth|', { ...world, catalog: toCatalog(titled) }).candidates[0]?.text).toBe('count');
  });

  it('asks for the values of a member that it does not know yet, and only there', () => {
    expect(at('count where docPath = |')).toMatchObject({ wantsValues: 'TrackedEvents.docPath', candidates: [] });
    expect(at('count where docPath in (/a, /b|').wantsValues).toBe('TrackedEvents.docPath');
    expect(at('Sessions.count where agentName ~ |').wantsValues).toBe('Sessions.agentName');
    for (const line of [
      'count where docPath |',
      'count by |',
      'count where eventType = |',
      'count where pageViewsCount > |',
      'count where utcTime > |',
    ])
      expect(at(line).wantsValues).toBeUndefined();
  });

  it('writes values so that they read back as themselves', () => {
    for (const { text, label } of at('count where eventType = |').candidates) {
      const read = readNotation(`count where eventType = ${text}`, { members: world.catalog });
      expect(read.ok && read.value.filters).toEqual([
        { member: 'TrackedEvents.eventType', operator: 'equals', values: [label] },
      ]);
    }
  });

  const pieces = [
    'count',
    'pageViewsCount',
    ',',
    'by',
    'docPath',
    'day',
    'utcTime',
    'utcTime.day',
    'where',
    'eventType',
    '=',
    '~',
    '>',
    'in',
    '(',
    ')',
    'pageview',
    "'link click'",
    "'open",
    'and',
    'or',
    'last',
    '7',
    'days',
    'last 30 days',
    'from',
    'to',
    '2024-01-01',
    'this month',
    'compare',
    'with',
    'vs',
    'top',
    '10',
    'order',
    'desc',
    'limit',
    'segment',
    'knownUsers',
    'zone',
    'Europe/Berlin',
    'Sessions.count',
    'page',
    'vi',
    'doc',
    'wher',
    'is',
    'not',
    'set',
    'between',
    'since',
    'zzz',
    '\u001b',
    '👩‍👩‍👧',
  ] as const;

  /** Mistakes of an incomplete line. */
  function mistakesIn(line: string): number {
    const end = line.trimEnd().length;
    return issuesOfLine(line, { members: world.catalog, defaultCube: world.home }).filter(
      ({ severity, span, code }) =>
        severity === 'error' &&
        (span?.start ?? 0) < end &&
        !['notation-bracket', 'unclosed-quote', 'nothing-to-rank', 'nothing-asked'].includes(code),
    ).length;
  }

  it('never throws, and never offers what would make one more mistake', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 9 }), fc.nat(80), (words, place) => {
        const line = words.join(' ');
        const cursor = words.length % 2 === 0 ? line.length : Math.min(place, line.length);
        const { from, to, candidates } = complete(line, cursor, { ...world, most: 12 });
        expect(from).toBeLessThanOrEqual(cursor);
        expect(to).toBeGreaterThanOrEqual(cursor);
        const before = line.slice(0, from);
        for (const { text, kind } of candidates)
          if (kind !== 'query')
            expect(mistakesIn(before + text), `${before}[${text}]`).toBeLessThanOrEqual(mistakesIn(before));
      }),
      { numRuns: 100 },
    );
  });

  it('never throws over any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.nat(30), (text, place) => {
        complete(text, Math.min(place, text.length), world);
      }),
      { numRuns: 100 },
    );
  });

  it('leads to a whole question by nothing but its own offers', () => {
    let line = '';
    for (const wanted of [
      'count',
      'by',
      'docPath',
      'last 7 days',
      'where',
      'eventType',
      '=',
      'pageview',
      'top',
      '10',
    ]) {
      const { candidates, from } = complete(line, line.length, world);
      expect(
        candidates.map(({ text }) => text),
        line,
      ).toContain(wanted);
      line = `${line.slice(0, from)}${wanted} `;
    }
    expect(readNotation(line, { members: world.catalog })).toMatchObject({ ok: true, issues: [] });
  });
});

describe('what is made of measures', () => {
  it.each<[string, string]>([
    ['uniqueUsersCount rol|', 'rolling 28 days'],
    ['uniqueUsersCount rolling |', '28 days'],
    ['uniqueUsersCount rolling 14 |', 'days'],
    ['uniqueUsersCount rolling 14 d|', 'days'],
    ['uniqueUsersCount cum|', 'cumulative'],
    ['uniqueUsersCount mov|', 'moving average 7'],
    ['uniqueUsersCount moving average |', '7'],
    ['uniqueUsersCount moving average 7 |', 'days'],
    ['pageViewsCount sh|', 'share'],
    ['pageViewsCount |', 'avg per user'],
    ['pageViewsCount |', 'median per user'],
    ['pageViewsCount |', '/'],
    ['pageViewsCount / |', 'uniqueUsersCount'],
    ['pageViewsCount / uniqueUsersCount |', 'as'],
    ['pageViewsCount / uniqueUsersCount rol|', 'rolling 7 days'],
    ['count by day last 7 days vs |', 'previous by weekday'],
    ['count by day last 7 days vs prev|', 'previous by weekday'],
    ['count by day last 7 days compare with |', 'a year before'],
  ])('%s offers %s', (line, wanted) => {
    expect(texts(line)).toContain(wanted);
  });

  it.each(['uniqueUsersCount by day |', '|', 'count where eventType |'])('is not offered at %s', (line) => {
    expect(texts(line)).not.toContain('rolling 28 days');
  });
});
