import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder, type Folder } from '../run-in-folder.ts';

const steps =
  'steps:\n  - {name: cart, action: pageview, target: /cart}\n  - {name: paid, action: pageview, target: /paid}\n';

describe('sluice funnel', () => {
  let folder: Folder;

  beforeAll(() => {
    folder = openFolder({
      'sluice.yaml': '{}\n',
      'funnels/Check Out.yaml': `seconds_to_convert: 3600\n${steps}`,
      'funnels/named.yml': `name: other\nseconds_to_convert: 60\n${steps}sluice: {order: strict}\n`,
      'funnels/notes.txt': 'no funnel',
      '.gitlab/analytics/funnels/signup.yml': `seconds_to_convert: 60\n${steps}`,
      'wrong/broken.yaml': 'seconds_to_convert: 0\nsteps: [{name: a, action: pageview, targt: /a}]\n',
    });
  });
  afterAll(() => folder.remove());

  it('check finds the files of the workspace and of the platform, and warns', async () => {
    const { code, stdout, stderr } = await folder.sluice(['funnel', 'check']);
    expect([code, stderr]).toEqual([0, '3 funnel files: 0 errors, 1 warning.\n']);
    expect(stdout).toContain(
      'funnels/named.yml:1:7  warning  The funnel is named "named", after its file, not "other".',
    );
  });

  it('check --strict fails on a warning', async () => {
    expect((await folder.sluice(['funnel', 'check', '--strict'])).code).toBe(2);
    expect((await folder.sluice(['funnel', 'check', '--strict', 'funnels/Check Out.yaml'])).code).toBe(0);
  });

  it('check reports every problem of every named file', async () => {
    const { code, stdout } = await folder.sluice(['funnel', 'check', 'wrong/broken.yaml', 'funnels/named.yml']);
    expect(code).toBe(2);
    expect(
      stdout
        .split('\n')
        .filter((line) => /^\S+:\d/.test(line))
        .map((line) => line.replace(/ {2}.*/, '')),
    ).toEqual([
      'wrong/broken.yaml:1:21',
      'wrong/broken.yaml:2:8',
      'wrong/broken.yaml:2:9',
      'wrong/broken.yaml:2:37',
      'funnels/named.yml:1:7',
    ]);
    expect(stdout).toContain('Did you mean "target"?');
  });

  it('check -f json is machine-readable', async () => {
    const { stdout } = await folder.sluice(['funnel', 'check', 'wrong/broken.yaml', '-f', 'json', '--quiet']);
    const [file] = JSON.parse(stdout) as [
      { file: string; funnel: string; ok: boolean; issues: { code: string; path: unknown; span: { line: number } }[] },
    ];
    expect([file.file, file.funnel, file.ok, file.issues.map(({ code, span }) => [code, span.line])]).toEqual([
      'wrong/broken.yaml',
      'broken',
      false,
      [
        ['out-of-range', 1],
        ['out-of-range', 2],
        ['missing-key', 2],
        ['unknown-key', 2],
      ],
    ]);
  });

  it('check names a missing file, and what to type', async () => {
    const { code, stderr } = await folder.sluice(['funnel', 'check', 'funnels/none.yaml']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/file funnels\/none\.yaml does not exist.*\n.*sluice funnel list/s),
    ]);
  });

  it('list shows funnels with their steps', async () => {
    const { code, stdout } = await folder.sluice(['funnel', 'list']);
    expect(code).toBe(0);
    expect(stdout).toBe(`check_out  within 3600 s, ordered, by user  funnels/Check Out.yaml
  1. cart  pageview /cart
  2. paid  pageview /paid

named  within 60 s, strict, by user  funnels/named.yml
  1. cart  pageview /cart
  2. paid  pageview /paid

signup  within 60 s, ordered, by user  .gitlab/analytics/funnels/signup.yml
  1. cart  pageview /cart
  2. paid  pageview /paid
`);
  });

  it('list reports if there are none', async () => {
    const empty = openFolder({ 'sluice.yaml': '{}\n' });
    const { code, stdout, stderr } = await empty.sluice(['funnel', 'list']);
    empty.remove();
    expect([code, stdout, stderr]).toEqual([0, '', expect.stringContaining('sluice schema funnel')]);
  });

  it('has a JSON Schema of both forms', async () => {
    const { stdout } = await folder.sluice(['schema', 'funnel']);
    const schema = JSON.parse(stdout) as { anyOf: { required: string[]; properties: Record<string, unknown> }[] };
    expect(schema.anyOf.map(({ required }) => required)).toEqual([['seconds_to_convert', 'steps'], ['steps']]);
    const [ofPlatform, short] = schema.anyOf.map(({ properties }) => Object.keys(properties));
    expect(ofPlatform).toEqual(['name', 'seconds_to_convert', 'steps', 'sluice']);
    expect(short).toEqual(expect.arrayContaining(['steps', 'within', 'order', 'exclude', 'hold', 'breakdown']));
  });

  it('counts the users of a file in the short form as those of its line', async () => {
    folder.write('funnels/short.yaml', 'steps: [visit, buy where plan = pro]\nwithin: 1 day\n');
    folder.write(
      'bought.csv',
      [
        'utcTime,userId,eventType,plan',
        ...['a,visit,', 'a,buy,pro', 'b,visit,', 'b,buy,free', 'c,buy,pro'].map(
          (event, index) => `2024-03-0${index + 1}T00:00:00Z,${event}`,
        ),
      ].join('\n'),
    );
    const figuresOf = async (...args: readonly string[]) => {
      const { code, stdout } = await folder.sluice(['funnel', ...args, '--events', 'bought.csv', '-f', 'json']);
      expect(code).toBe(0);
      return (JSON.parse(stdout) as Record<string, unknown>[]).map((row) => [
        Object.entries(row).find(([key]) => key.endsWith('.name') || key === 'name')?.[1],
        Object.entries(row).find(([key]) => /(?:count|users)$/.test(key))?.[1],
      ]);
    };
    const steps = ['--step', 'visit', '--step', 'buy where plan = pro', '--within', '1 day'];
    expect(await figuresOf('run', 'short')).toEqual([
      ['visit', 2],
      ['buy', 1],
    ]);
    expect(await figuresOf(...steps)).toEqual(await figuresOf('run', 'short'));
  });
});
