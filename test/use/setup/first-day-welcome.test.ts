import { describe, expect, it } from 'vitest';
import { fewEvents, folderOf } from '../run-in-folder.ts';
import { keys, seatPerson } from '../seated-person.ts';

/** The suggested commands, in order. */
const offered = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('  sluice '))
    .map((line) => line.trim().split(/ {3,}/)[0]);

describe('sluice without arguments', () => {
  it('suggests three commands that suit the workspace', async () => {
    const states: readonly (readonly [Readonly<Record<string, string>>, string, readonly (string | RegExp)[]])[] = [
      [{}, 'No events are configured here yet', ['sluice sample', /^sluice ingest /, 'sluice init']],
      [
        { 'sluice.yaml': 'events: e.ndjson\n', 'queries/top.yaml': '', "queries/it's.yaml": '' },
        'answered from e.ndjson',
        ["sluice query 'it'\\''s'", 'sluice model', 'sluice doctor'],
      ],
      [
        { 'sluice.yaml': 'events: [\n' },
        'has errors',
        ['sluice doctor', 'sluice schema config', 'sluice init --force'],
      ],
      [
        { 'sluice.yaml': 'platform: {url: "https://code.example.org"}\n' },
        'the platform at https://code.example.org',
        [/^sluice query /, 'sluice model', 'sluice doctor'],
      ],
    ];
    for (const [files, state, commands] of states) {
      const { code, stdout, stderr } = await folderOf(files).sluice([]);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain(state);
      expect(offered(stdout)).toEqual(
        commands.map((command) => (typeof command === 'string' ? command : (expect.stringMatching(command) as string))),
      );
      for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    }
  });

  it('continues from the sample', async () => {
    const folder = folderOf();
    await folder.sluice(['sample', '-n', '1000']);
    const { stdout } = await folder.sluice([]);
    expect(offered(stdout)).toEqual([expect.stringMatching(/^sluice query '/), 'sluice model', 'sluice init']);
    for (const line of stdout.split('\n').filter((text) => text.startsWith('  ')))
      expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it('removes control characters from file names', async () => {
    const { stdout } = await folderOf({ 'sluice.yaml': 'events: "\\e[2J.csv"\n', 'queries/\u001b[2J.yaml': '' }).sluice(
      [],
    );
    expect(stdout).not.toContain('\u001b');
  });
});

describe('a mistake', () => {
  it.each([
    [['qurey'], /Did you mean query\? Type: sluice query --help/],
    [['count', 'by', 'day'], /sluice query 'count by day'/],
    [['query', '--mesure', 'x'], /Did you mean --measure\? For all options, run: sluice query --help/],
    [['sample', 'extra'], /For all options, run: sluice sample --help/],
    [['--evnts', 'x'], /Did you mean --events\? For all options, run: sluice --help/],
    [['query'], /`sluice query '.*`.*`sluice init`/],
    [['query', 'no-such'], /`sluice init`/],
    [['query', 'count'], /--events .*sluice sample/],
    [['query', 'count', '--events', 'gone.csv'], /sluice sample/],
    [['query', 'count', '--config', 'gone.yaml'], /`sluice init --config gone\.yaml`/],
    [['query', 'count', '--store', 'gone'], /`sluice ingest /],
    [['model', 'Nothing'], /`sluice model TrackedEvents`/],
    [['query', '--all-saved'], /sluice init/],
    [['query', 'count', '--group-by', 'x'], /unknown option '--group-by'\n {2}Did you mean --dimension\?/],
    [['query', 'count', '--source', 'x.csv'], /Did you mean --events\?/],
    [['query', 'count', '-i', 'x.csv'], /Did you mean --events\?/],
    [['query', 'count', '--since=2026-01-01'], /Did you mean --range\?/],
    [['query', 'count', '--csv'], /Did you mean --format csv\?/],
    [['doctor', '--source', 'x.csv'], /Did you mean --events\? For all options, run: sluice doctor --help/],
    // `sample` has no such flag.
    [['sample', '--group-by', 'x'], /--group-by'\n {2}For all options/],
  ])('%j is answered with what to type', async (argv, expected) => {
    expect((await folderOf().sluice(argv)).stderr).toMatch(expected);
  });

  it.each([
    [['query', 'count by day', 'e.ndjson'], "sluice query 'count by day' --events e.ndjson"],
    [['query', 'count', 'by', 'day', 'e.ndjson', '-f', 'csv'], 'sluice query count by day -f csv --events e.ndjson'],
    [['query', 'count by day', '*.ndjson'], "sluice query 'count by day' --events '*.ndjson'"],
    [['query', 'e.ndjson'], "sluice query 'count by day' --events e.ndjson"],
    [['query', 'count', 'e.json'], 'sluice query count --events e.json'],
    [['funnel', 'signup, login', 'e.ndjson'], "sluice funnel 'signup, login' --events e.ndjson"],
    [['model', 'e.ndjson'], 'sluice model --events e.ndjson'],
    [['explore', 'e.ndjson'], 'sluice explore --events e.ndjson'],
    [['serve', 'e.ndjson', '--port', '0'], 'sluice serve --port 0 --events e.ndjson'],
  ])('%j, with a file as an argument, is answered with the command to type', async (argv, typed) => {
    const { code, stderr } = await folderOf({ 'e.ndjson': fewEvents, 'e.json': '[]' }).sluice(argv);
    const file = argv.findLast((word) => word.includes('json'))!;
    expect([code, stderr]).toEqual([
      2,
      `sluice: Specify event files with --events, not as an argument: ${file}\n  hint: Run: ${typed}\n`,
    ]);
  });

  it('takes the name of an output file for no event file', async () => {
    const folder = folderOf({ 'e.ndjson': fewEvents, 'out.csv': 'old' });
    expect((await folder.sluice(['query', 'count', '--events', 'e.ndjson', '-o', 'out.csv'])).code).toBe(0);
  });
});

describe('sluice init for a platform with a token to follow', () => {
  it('writes the settings without reporting a failure, and names doctor next', async () => {
    const { enter, down } = keys;
    const folder = folderOf({ 'e.ndjson': fewEvents });
    const person = seatPerson([
      ['Where are your events?', `${down}${enter}`],
      ['URL of the platform', `code.example.org${enter}`],
      ['Which project', `shop/web${enter}`],
      ['access token', enter],
      ['time zone', enter],
      ['Add groups', 'y'],
      ['Its name and projects', `acme${enter}`],
      ['not a group of projects', `=42,7${enter}`],
      ['Add another group?', 'n'],
      ['Write sluice.yaml', enter],
    ]);
    const { code } = await folder.sluice(['init'], { person, env: { TZ: 'UTC' } });
    expect([code, person.left()]).toEqual([0, 0]);
    expect(person.seen()).toMatch(/There is no token for code\.example\.org[^]*Next: sluice doctor/);
    const { stdout } = await folder.sluice(['doctor', '-f', 'json']);
    expect((JSON.parse(stdout) as { settings: unknown }).settings).toMatchObject({
      'platform.url': { value: 'https://code.example.org' },
      'platform.project': { value: 'shop/web' },
      'usage.groups': { value: 'name: acme, projects: 42, 7' },
    });
  });
});
