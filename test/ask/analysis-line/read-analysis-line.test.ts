import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DefinedByParts, definitionParts } from '../../../src/ask/analysis-line/definition-parts.ts';
import { analysisOfLine, readAnalysisLine } from '../../../src/ask/analysis-line/read-analysis-line.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';
import { readDefinitionFlags } from '../../../src/use/cli/command/definition-flags.ts';
import { runs } from '../../runs.ts';

const catalog = toCatalog(builtInModel);
const names = Object.keys(definitionParts) as DefinedByParts[];

function read(line: string) {
  const analysis = analysisOfLine(line, catalog);
  if (!analysis) return undefined;
  const { named, definition, range, compare, timezone, issues } = readAnalysisLine(line, analysis);
  const said = Object.entries({ named, range, compare, timezone }).filter(([, part]) => part !== undefined);
  return issues.length > 0
    ? issues.map(({ message, hint, span }) => [line.slice(span?.start, span?.end), message, hint])
    : { [analysis]: definition, ...Object.fromEntries(said) };
}

describe('analyses in one line', () => {
  it.each<[string, object]>([
    ['retention', { retention: {} }],
    ['Retention of signup', { retention: { start: 'signup' } }],
    ['Weekly retention of signup', { retention: { period: 'week', start: 'signup' } }],
    ['daily stickiness over the last 4 weeks', { stickiness: { period: 'day' }, range: 'last 4 weeks' }],
    ['funnel / -> /pricing → signup > "Buy now"', { funnel: { steps: ['/', '/pricing', 'signup', 'Buy now'] } }],
    ['funnel signup -> buy within 2 days', { funnel: { steps: ['signup', 'buy'], within: '2 days' } }],
    [
      'funnel from / to /pricing from 2024-03-01 to 2024-03-14',
      { funnel: { steps: ['/', '/pricing'] }, range: ['2024-03-01', '2024-03-14'] },
    ],
    [
      'retention of signup returning order by week first_ever periods 8 last 8 weeks',
      {
        retention: { start: 'signup', return: 'order', period: 'week', cohort: 'first_ever', periods: 8 },
        range: 'last 8 weeks',
      },
    ],
    [
      'retention by week from 2024-03-04 to 2024-04-07 compare with previous',
      { retention: { period: 'week' }, compare: [['2024-03-04', '2024-04-07'], 'previous'] },
    ],
    [
      'funnel / then /pricing compare with -1y last month breakdown agentName',
      { funnel: { steps: ['/', '/pricing'], breakdown: { dimension: 'agentName' } }, compare: ['last month', '-1y'] },
    ],
    ['lifecycle by day this week vs last week', { lifecycle: { period: 'day' }, compare: ['this week', 'last week'] }],
    [
      'stickiness compare this month with last month where agentName = Firefox',
      { stickiness: { where: ['agentName = Firefox'] }, compare: ['this month', 'last month'] },
    ],
    [
      'retention compared to previous',
      [
        [
          'previous',
          'Without a range there is nothing to compare with.',
          'Add a range, such as `last 7 days compare previous`.',
        ],
      ],
    ],
    [
      'retention last week compare this week with last week',
      [
        [
          'last week',
          'The line has more than one time range.',
          'Keep one of them, or compare them with `compare … with …`.',
        ],
      ],
    ],
    [
      'retention by day, agentName 24h in Europe/Berlin',
      { retention: { period: 'day', breakdown: 'agentName', window: '24h' }, timezone: 'Europe/Berlin' },
    ],
    [
      'retention of "pageview where docPath ^= /docs" value sum(props.amount)',
      { retention: { start: 'pageview where docPath ^= /docs', value: 'sum(props.amount)' } },
    ],
    [
      'funnel / then /pricing then signup within 7 days last 30 days',
      { funnel: { steps: ['/', '/pricing', 'signup'], within: '7 days' }, range: 'last 30 days' },
    ],
    [
      'funnel view then cart then buy holding props.sku, "Product name" within 7 days',
      {
        funnel: {
          steps: ['view', 'cart', 'buy'],
          hold: ['props.sku', 'props.Product%20name'],
          within: '7 days',
        },
      },
    ],
    [
      'funnel / then /b hold Size (cm) hold sku',
      { funnel: { steps: ['/', '/b'], hold: ['props.Size%20%28cm%29', 'sku'] } },
    ],
    [
      'funnel / then /b hold Plan type and cart.size by Order status within 2 days',
      {
        funnel: {
          steps: ['/', '/b'],
          hold: ['props.Plan%20type', 'cart.size'],
          breakdown: { dimension: 'props.Order%20status' },
          within: '2 days',
        },
      },
    ],
    [
      'paths step Plan type event any last 7 days',
      { paths: { step: 'props.Plan%20type', events: ['any'] }, range: 'last 7 days' },
    ],
    ['funnel of /, /a step /b unordered', { funnel: { steps: ['/', '/a', '/b'], order: 'unordered' } }],
    [
      'funnel signup then order by session by agentName excluding refund, cancel',
      {
        funnel: {
          steps: ['signup', 'order'],
          by: 'session',
          breakdown: { dimension: 'agentName' },
          exclude: ['refund', 'cancel'],
        },
      },
    ],
    ['funnel checkout last 30 days', { funnel: {}, named: 'checkout', range: 'last 30 days' }],
    [
      'lifecycle of pageview where docHost = www.example.com and docPath ^= /docs by week from 2024-03-01 to 2024-03-31',
      {
        lifecycle: {
          active: 'pageview',
          period: 'week',
          where: ['docHost = www.example.com and docPath ^= /docs'],
        },
        range: ['2024-03-01', '2024-03-31'],
      },
    ],
    [
      'stickiness every 2 at-least 3 cumulative',
      { stickiness: { every: 2, per_slot: { at_least: 3 }, cumulative: true } },
    ],
    [
      'paths from /pricing to /signup excluding /login last 7 days',
      { paths: { from: '/pricing', to: '/signup', exclude: ['/login'] }, range: 'last 7 days' },
    ],
    ['paths from yesterday to now', { paths: {}, range: 'from yesterday to now' }],
    ['retention in last week', { retention: {}, range: 'last week' }],
  ])('%s', (line, expected) => {
    expect(read(line)).toEqual(expected);
  });

  it.each(['count by day', 'retentions of signup', 'pageViewsCount', '', 'funnel.count', 'retention: {}'])(
    '%j is not an analysis',
    (line) => {
      expect(analysisOfLine(line, catalog)).toBeUndefined();
    },
  );

  it('gives way to a member of the same name', () => {
    const [events, ...others] = builtInModel.cubes;
    const own = { ...events!, measures: [{ ...events!.measures[0]!, name: 'retention' }] };
    expect(analysisOfLine('retention by day', toCatalog({ ...builtInModel, cubes: [own, ...others] }))).toBeUndefined();
  });

  it.each<[string, readonly (readonly (string | undefined)[])[]]>([
    [
      'funnel / then /buy by week',
      [
        [
          'week',
          '"week" is not valid for "by".',
          'For results by time of entry, run `sluice funnel` with --trend week.',
        ],
      ],
    ],
    ['retention by wek', [['wek', '"wek" is not valid for "by".', 'Did you mean "week"?']]],
    [
      'lifecycle by agentName',
      [
        [
          'agentName',
          '"agentName" is not valid for "by".',
          'Use one of hour, day, week, month. To follow users of one value only, write `where agentName = …`.',
        ],
      ],
    ],
    ['stickiness by wek', [['wek', '"wek" is not valid for "by".', 'Did you mean "week"?']]],
    [
      'funnel view then Add onto basket',
      [
        [
          'onto',
          '"onto" is not expected here.',
          'Put the name of events in quotes if it has several words: `"Add onto basket"`.',
        ],
      ],
    ],
    [
      'funnel Product Viewed then Order Completed last 7 days',
      [
        [
          'Viewed',
          '"Viewed" is not expected here.',
          'Put the name of events in quotes if it has several words: `"Product Viewed"`.',
        ],
        [
          'Completed',
          '"Completed" is not expected here.',
          'Put the name of events in quotes if it has several words: `"Order Completed"`.',
        ],
      ],
    ],
    [
      'retention of Order Completed by week where docPath = /',
      [
        [
          'Completed',
          '"Completed" is not expected here.',
          'Put the name of events in quotes if it has several words: `"Order Completed"`.',
        ],
      ],
    ],
    ['retention of', [['', 'A value is expected after "of", not the end.', 'Write `of EVENTS`.']]],
    [
      'funnel / then where docHost = a',
      [['where', 'A value is expected after "step", not "where".', 'Write `step EVENTS`.']],
    ],
    [
      'retention of a of b',
      [
        [
          'b',
          'The line already has "start".',
          'Keep one of them. Put the name of events in quotes if it has several words.',
        ],
      ],
    ],
    ['retention last week last month', [['last month', 'The line already has a time range.', 'Keep one of them.']]],
    ['retention periods many', [['many', 'A whole number is expected here, not "many".', undefined]]],
    ['funnel / then /b by plan wihtin', [['wihtin', '"wihtin" is not expected here.', 'Did you mean "within"?']]],
    [
      'funnel / then "buy where "Plan type" = pro"',
      [
        [
          'Plan',
          '"Plan" is not expected here.',
          "For quotes within quotes, write the outer ones as '…': `'purchase where \"Plan type\" = pro'`.",
        ],
      ],
    ],
    ['retention of signup returnin', [['returnin', '"returnin" is not expected here.', 'Did you mean "returning"?']]],
    [
      'funnel checkout within 2 hours',
      [
        [
          'checkout',
          '"checkout" is taken for the name of a saved funnel, whose parts cannot be given here.',
          'Leave out the name. To define another one, begin with `funnel of …`.',
        ],
      ],
    ],
  ])('%s is refused at its place', (line, expected) => {
    expect(read(line)).toEqual(expected);
  });

  it('never throws, and points into the line', () => {
    const words = names.flatMap((name) => definitionParts[name].flatMap((part) => [part.name, ...(part.words ?? [])]));
    const piece = fc.oneof(
      fc.constantFrom(
        ...words,
        'where',
        'last',
        '7',
        'days',
        'in',
        '(',
        ')',
        ',',
        '"',
        "'",
        '/',
        'then',
        'by',
        '=',
        '24h',
      ),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.array(piece, { maxLength: 12 }), (analysis, pieces) => {
        const line = `${analysis} ${pieces.join(' ')}`;
        const { issues, definition } = readAnalysisLine(line, analysis);
        for (const { span } of issues) expect(span && span.end <= line.length && span.start <= span.end).toBe(true);
        expect(Object.getPrototypeOf(definition)).toBe(Object.prototype);
      }),
      { numRuns: runs(4000) },
    );
  });

  it('gives the same definition as the flags of the command', () => {
    const valueOf = (
      kind: string | undefined,
      choices: readonly string[] | undefined,
    ): fc.Arbitrary<string | number> =>
      choices
        ? fc.constantFrom(...choices)
        : kind === 'number'
          ? fc.integer({ min: 1, max: 40 })
          : fc.constantFrom('signup', '/pricing', 'any', '/docs/*', 'pageview where docPath ^= /docs', '7 days');
    const definitions = fc.constantFrom(...names).chain((analysis) =>
      fc.tuple(
        fc.constant(analysis),
        fc.shuffledSubarray([...definitionParts[analysis]]).chain((parts) =>
          fc.tuple(
            ...parts.map((part) =>
              part.value === undefined
                ? fc.constant([part, [true]] as const)
                : fc
                    .array(valueOf(part.kind, part.choices), {
                      minLength: 1,
                      maxLength: part.kind === 'repeatable' ? 3 : 1,
                    })
                    .map((values) => [part, values] as const),
            ),
          ),
        ),
      ),
    );
    const camel = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    fc.assert(
      fc.property(definitions, ([analysis, given]) => {
        const quoted = (value: unknown) => (typeof value === 'string' && value.includes(' ') ? `"${value}"` : value);
        const clauses = given.map(([{ name }, values]) =>
          values[0] === true ? name : `${name} ${values.map(quoted).join(', ')}`,
        );
        const flags = Object.fromEntries(
          given.map(([{ name, kind }, values]) => [camel(name), kind === 'repeatable' ? values : values[0]]),
        );
        const { definition, issues } = readAnalysisLine(`${analysis} ${clauses.join(' ')}`, analysis);
        expect(issues).toEqual([]);
        expect(definition).toEqual(readDefinitionFlags(analysis, flags)?.definition ?? {});
      }),
      { numRuns: runs(2000) },
    );
  });
});
