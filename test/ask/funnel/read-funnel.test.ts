import { describe, expect, it } from 'vitest';
import { drawIssues } from '../../../src/ask/document/draw-issue.ts';
import type { ReadDefinition } from '../../../src/ask/analysis/read-definitions.ts';
import type { Funnel } from '../../../src/ask/funnel/funnel.ts';
import { funnelReader } from '../../../src/ask/funnel/read-funnel.ts';

const steps = `steps:
  - {name: view_cart, action: pageview, target: /cart}
  - {name: pay, action: pageview, target: /pay}
`;

function read(
  text: string | Uint8Array,
  file = 'funnels/checkout.yaml',
  taken: readonly string[] = [],
): ReadDefinition<Funnel> {
  return funnelReader.read([{ file, bytes: typeof text === 'string' ? Buffer.from(text) : text }], taken)[0]!;
}

function codes(one: ReadDefinition<Funnel>): readonly string[] {
  return one.issues.map(({ code, span }) => `${span ? `${span.line}:${span.column} ` : ''}${code}`);
}

describe('funnel files', () => {
  it('reads files of the platform as ordered funnels of page views', () => {
    const one = read(`name: checkout\nseconds_to_convert: 3600\n${steps}`);
    expect(one.issues).toEqual([]);
    expect(one.ok && one.value).toEqual({
      name: 'checkout',
      secondsToConvert: 3600,
      order: 'ordered',
      by: 'user',
      where: [],
      exclude: [],
      hold: [],
      breakdown: undefined,
      extended: false,
      steps: [
        {
          name: 'view_cart',
          event: 'pageview',
          targets: [{ path: '/cart', isPattern: false }],
          where: [],
          within: undefined,
        },
        { name: 'pay', event: 'pageview', targets: [{ path: '/pay', isPattern: false }], where: [], within: undefined },
      ],
    });
  });

  it('reads the short form as the long one, and knows that no server reads it', () => {
    const short = read(`# Any events.
steps: [signup, /start, purchase where docHost = x, {name: again, any_of: [/a, "/b/*"], within: 1 hour}]
within: 7 days
order: strict
exclude: [refund, {target: /out, after: start}]
hold: docHost
breakdown: agentName
`);
    const long = read(`seconds_to_convert: 604800
steps:
  - {name: signup, action: pageview, target: /, sluice: {event: signup, any_of: ["/**"]}}
  - {name: start, action: pageview, target: /start}
  - {name: purchase, action: pageview, target: /, sluice: {event: purchase, any_of: ["/**"], where: [docHost = x]}}
  - {name: again, action: pageview, target: /a, sluice: {any_of: [/a, "/b/*"], within: 3600}}
sluice:
  order: strict
  exclude: [{event: refund, any_of: ["/**"]}, {target: /out, after: start}]
  hold: docHost
  breakdown: agentName
`);
    expect([short.issues, long.issues]).toEqual([[], []]);
    if (!short.ok || !long.ok) throw new Error('they read');
    // An event without a path is any with it.
    const anywhere = <Part extends { readonly targets: readonly unknown[] | undefined }>(parts: readonly Part[]) =>
      parts.map((part) =>
        JSON.stringify(part.targets) === '[{"path":"/**","isPattern":true}]' ? { ...part, targets: [] } : part,
      );
    const bare = (funnel: Funnel) => ({ ...funnel, steps: anywhere(funnel.steps), exclude: anywhere(funnel.exclude) });
    expect(bare(short.value)).toEqual(bare(long.value));
    const pages = read('steps: [/a, /b]\n');
    expect(pages.ok && [pages.value.extended, pages.value.secondsToConvert]).toEqual([true, 14 * 86_400]);
  });

  it('points to the mistakes of the form that a file has', () => {
    expect(codes(read('steps: [signup, {event: buy, wher: x}]\nwithin: soon\nordr: strict\n'))).toEqual([
      '1:30 unknown-key',
      '2:9 invalid-value',
      '3:1 unknown-key',
    ]);
    expect(codes(read('steps: [signup, purchase]\nseconds_to_convert: 60\n'))).toEqual(['2:1 unknown-key']);
    expect(codes(read('steps: [{name: a, action: pageview, target: /a}, {event: b}]\n'))).toContain('1:1 missing-key');
    expect(codes(read('within: 1 day\n'))).toEqual(['1:1 missing-key']);
    expect(codes(read('steps: [signup, purchase]\nexclude: [{event: x, after: nowhere}]\n'))).toEqual([
      '2:29 unknown-step',
    ]);
  });

  it('reads a breakdown of only a dimension, as other analyses do', () => {
    const steps = 'steps: [{name: a, action: pageview, target: /a}, {name: b, action: pageview, target: /b}]';
    const one = read(`seconds_to_convert: 60\n${steps}\nsluice: {breakdown: TrackedEvents.agentName}\n`);
    expect(one.issues).toEqual([]);
    expect(one.ok && one.value.breakdown).toEqual({ dimension: 'TrackedEvents.agentName', attribution: 'first' });
  });

  it('reads extensions under the key sluice', () => {
    const one = read(`
seconds_to_convert: 3600
steps:
  - {name: view, action: pageview, target: /a, sluice: {any_of: [/a, "/b/*"]}}
  - {name: click, action: pageview, target: /a, sluice: {event: link_click, within: 60, where: [{member: TrackedEvents.docHost, operator: equals, values: [x]}]}}
  - {name: done, action: pageview, target: /done, sluice: {event: any}}
sluice:
  order: strict
  by: session
  exclude: [{target: /out}, {any_of: ["/help/**"], event: link_click, after: click, before: done}]
  breakdown: {dimension: TrackedEvents.agentName, attribution: click}
`);
    expect(one.issues).toEqual([]);
    if (!one.ok) throw new Error('it reads');
    expect(one.value).toMatchObject({
      order: 'strict',
      by: 'session',
      extended: true,
      breakdown: { dimension: 'TrackedEvents.agentName', attribution: 1 },
    });
    expect(
      one.value.steps.map(({ event, targets, within }) => [
        event,
        targets.map(({ path, isPattern }) => `${path}${isPattern ? ' (pattern)' : ''}`),
        within,
      ]),
    ).toEqual([
      ['pageview', ['/a', '/b/* (pattern)'], undefined],
      ['link_click', ['/a'], 60],
      [undefined, ['/done'], undefined],
    ]);
    expect(one.value.exclude.map(({ event, from, to }) => [event, from, to])).toEqual([
      ['pageview', 0, 2],
      ['link_click', 1, 2],
    ]);
  });

  it.each([
    ['an empty extension', 'sluice: {}', false],
    ['only default values', 'sluice: {order: ordered, by: user, where: []}', false],
    ['another order', 'sluice: {order: unordered}', true],
    ['an exclusion', 'sluice: {exclude: [{target: /x}]}', true],
    ['a held dimension', 'sluice: {hold: props.sku}', true],
    ['a condition', 'sluice: {where: [{member: TrackedEvents.docHost, operator: set}]}', true],
  ])('with %s: different from the platform %s → %s', (_, line, extended) => {
    const one = read(`seconds_to_convert: 60\n${steps}${line}\n`);
    expect(one.ok && one.value.extended).toBe(extended);
  });

  it.each([
    ['props.sku', ['TrackedEvents.props.sku']],
    ['[docHost, TrackedEvents.agentName, docHost]', ['TrackedEvents.docHost', 'TrackedEvents.agentName']],
    ['"Product name"', ['TrackedEvents.props.Product%20name']],
  ])('reads the dimensions that it holds: %s', (written, hold) => {
    const one = read(`seconds_to_convert: 60\n${steps}sluice: {hold: ${written}}\n`);
    expect(one.issues).toEqual([]);
    expect(one.ok && one.value.hold).toEqual(hold);
  });

  it.each(['[]', '7', '[7]', '{dimension: docHost}'])('refuses to hold %s', (written) => {
    const one = read(`seconds_to_convert: 60\n${steps}sluice: {hold: ${written}}\n`);
    expect(one.ok).toBe(false);
    expect(codes(one)[0]).toMatch(/^5:1\d (?!unknown-key)/);
  });

  it('takes a star in a target literally, as the platform does', () => {
    const one = read(
      'seconds_to_convert: 1\nsteps: [{name: a, action: pageview, target: /*}, {name: b, action: pageview, target: /b, sluice: {any_of: [/b]}}]',
    );
    expect(one.ok && one.value.extended).toBe(false);
    expect(one.ok && one.value.steps[0]!.targets).toEqual([{ path: '/*', isPattern: false }]);
  });

  it.each<[string, string, readonly string[]]>([
    [
      'every problem at once',
      `seconds_to_convrt: 10\nsteps:\n  - {name: A b, action: click, target: https://x.org/cart?a=1}\n  - {name: b, target: cart}\n`,
      [
        '1:1 missing-key',
        '1:1 unknown-key',
        '3:12 invalid-value',
        '3:25 invalid-value',
        '3:40 not-a-path',
        '4:5 missing-key',
        '4:23 not-a-path',
      ],
    ],
    [
      'types and bounds',
      `seconds_to_convert: 1.5\nsteps: [{name: a, action: pageview, target: 7}]\n`,
      ['1:21 wrong-type', '2:8 out-of-range', '2:45 wrong-type'],
    ],
    ['a time of zero', `seconds_to_convert: 0\n${steps}`, ['1:21 out-of-range']],
    [
      'steps of one name',
      `seconds_to_convert: 1\nsteps:\n  - {name: a, action: pageview, target: /a}\n  - {name: a, action: pageview, target: /b}\n`,
      ['4:12 duplicate-step'],
    ],
    ['a key twice', `seconds_to_convert: 1\nseconds_to_convert: 2\n${steps}`, ['2:1 duplicate-key']],
    [
      'a query string in a target',
      `seconds_to_convert: 1\nsteps: [{name: a, action: pageview, target: "/a?b"}, {name: b, action: pageview, target: "/b "}]`,
      ['2:45 not-a-path', '2:90 not-a-path'],
    ],
    [
      'unknown steps',
      `seconds_to_convert: 1\n${steps}sluice:\n  exclude: [{target: /x, after: pey}]\n  breakdown: {dimension: TrackedEvents.docHost, attribution: midle}\n`,
      ['6:33 unknown-step', '7:62 unknown-step'],
    ],
    [
      'an exclusion between no steps',
      `seconds_to_convert: 1\n${steps}sluice: {exclude: [{target: /x, after: pay}]}\n`,
      ['5:20 empty-stretch'],
    ],
    ['nothing', '# only a comment\n', ['1:1 empty-document']],
    ['several documents', `a: 1\n---\nb: 2\n`, ['2:1 several-documents']],
    [
      'alias bombs',
      `a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n`,
      ['yaml-alias'],
    ],
  ])('reports %s', (_, text, found) => {
    const one = read(text);
    expect(one.ok).toBe(false);
    expect(codes(one).map((code) => (found[0] === 'yaml-alias' ? code.replace(/^.* /, '') : code))).toEqual(found);
  });

  it('draws its issues in the text, with hints', () => {
    const one = read(
      'seconds_to_convert: 60\nsteps:\n  - {name: a, action: pageview, target: "https://x.org/cart"}\n  - {name: b, action: signup, target: /b}\n',
    );
    expect(drawIssues(one.issues, one)).toBe(`funnels/checkout.yaml:3:41  error  A target is a path, not a full URL.
    - {name: a, action: pageview, target: "https://x.org/cart"}
                                          ^^^^^^^^^^^^^^^^^^^^
  hint: Write only the path: "/cart".
funnels/checkout.yaml:4:23  error  "action" cannot be "signup".
    - {name: b, action: signup, target: /b}
                        ^^^^^^
  hint: The platform supports only pageview. For other events add \`sluice: {event: signup}\` to the step.`);
  });

  it('refuses text that is not UTF-8', () => {
    expect(codes(read(Buffer.from([0x6e, 0x3a, 0x20, 0xff])))).toEqual(['1:4 not-utf8']);
  });

  it('takes its name from the file, and warns about a different name inside', () => {
    const one = read(`name: Completed purchase\nseconds_to_convert: 1\n${steps}`, 'funnels/Checkout Flow.yml');
    expect(one.ok && one.value.name).toBe('checkout_flow');
    expect(one.issues.map(({ severity, code, hint }) => [severity, code, hint])).toEqual([
      ['warning', 'other-name', 'Rename the file to "Completed purchase.yaml", or remove the name.'],
    ]);
    expect(read(`name: Checkout Flow\nseconds_to_convert: 1\n${steps}`, 'checkout-flow.yaml').issues).toEqual([]);
  });
});

describe('several funnel files', () => {
  const text = Buffer.from(`seconds_to_convert: 1\n${steps}`);

  it('report each other if they share a name', () => {
    const all = funnelReader.read([
      { file: 'f/a-b.yml', bytes: text },
      { file: 'f/A B.yaml', bytes: text },
      { file: 'f/c.yml', bytes: text },
    ]);
    expect(all.map((one) => one.issues.map((issue) => issue.message))).toEqual([
      ['"f/a-b.yml" and "f/A B.yaml" define funnels with the same name, "a_b".'],
      ['"f/A B.yaml" and "f/a-b.yml" define funnels with the same name, "a_b".'],
      [],
    ]);
    expect(all.map((one) => one.ok)).toEqual([false, false, true]);
  });

  it.each([
    ['sessions.yml', 'name-taken'],
    ['2024.yml', 'no-name'],
    ['!!!.yml', 'no-name'],
    ['кофе.yml', 'no-name'],
  ])('refuses the name %s', (file, code) => {
    expect(codes(read(text, `funnels/${file}`, ['TrackedEvents', 'Sessions']))).toEqual([code]);
  });

  it('reports name problems together with mistakes inside the file', () => {
    expect(codes(read('steps: []\n', 'funnels/1.yml'))).toEqual(['no-name', '1:1 missing-key', '1:8 out-of-range']);
  });
});
