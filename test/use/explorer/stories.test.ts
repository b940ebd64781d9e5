import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fewEvents, folderOf } from '../run-in-folder.ts';
import { openTerminal, sent } from './terminal.ts';

const workspace = { 'e.ndjson': fewEvents, 'sluice.yaml': 'events: e.ndjson\n' };
const slowModel = `cubes:
  - name: Slow
    sql: SELECT range AS id FROM range(400000000000)
    measures:
      - name: count
        type: count
      - name: total
        sql: id
        type: sum
  - name: Few
    sql: SELECT 1 AS id
    measures:
      - name: count
        type: count
`;
/** Lines of the screen that are not blank, without the top one. */
const linesOf = (screen: string) =>
  screen
    .split('\n')
    .slice(1)
    .filter((line) => line.trim() !== '');
const clears = /\u001b\[[23]J/;

describe('the explorer', () => {
  it('first question: the prompt is ready, Enter gives the answer, ctrl-c twice leaves the terminal as it was', async () => {
    const terminal = openTerminal(folderOf(workspace));
    await terminal.see('enter ask');
    expect([terminal.isAlternate(), terminal.raw()]).toEqual([true, true]);
    await terminal.press(...'count by eventType', sent.enter);
    const screen = await terminal.see(/pageview +4/);
    expect(screen).toMatch(/1 {2}count by eventType +2 rows/);
    expect(screen).toMatch(/link_click +1/);
    // The prompt is ready again.
    expect(terminal.cursor()).toEqual({ x: 2, y: 20 });
    await terminal.press(...'uniqueUsersCount', sent.enter);
    await terminal.see(/2 {2}uniqueUsersCount +1 row/);
    await terminal.press(sent.interrupt);
    await terminal.see('ctrl-c again to quit');
    await terminal.press(sent.interrupt);
    await terminal.ended;
    expect([terminal.isAlternate(), terminal.raw(), terminal.modesLeft()]).toEqual([false, false, []]);
    await terminal[Symbol.asyncDispose]();
  });

  it('asks an analysis in one line, changes its question, and opens it again as it was saved', async () => {
    const folder = folderOf(workspace);
    const terminal = openTerminal(folder, { columns: 120 });
    await terminal.see('Questions to begin');
    await terminal.press(...'lifecycle by dey', sent.enter);
    await terminal.see('"dey" is not valid for "by".');
    await terminal.press(sent.backspace, sent.backspace, ...'ay', sent.enter);
    await terminal.see(/1 {2}lifecycle by day +\d+ rows/);
    await terminal.press(sent.escape, 't', sent.tab);
    await terminal.see(/esc back/);
    // Only the rows of one status. No line can express that, so the definition is saved too.
    await terminal.press('/', ...'Users > 0', sent.enter);
    await terminal.press(sent.escape, ...':save back', sent.enter);
    await terminal.see('Saved');
    const written = readFileSync(path.join(folder.root, 'reports/back.md'), 'utf8');
    expect(written).toContain('define:\n  lifecycle: {period: day}\n');
    await terminal[Symbol.asyncDispose]();
    const again = openTerminal(folder, { columns: 120 });
    await again.see('Questions to begin');
    await again.press(...':open back', sent.enter);
    await again.see(/new +2024-03-06 +2/);
    await again[Symbol.asyncDispose]();
    expect(await folder.sluice(['report', 'run', 'back', '-f', 'md'])).toMatchObject({ code: 0 });
  });

  it('drill down: the row becomes filters of a cell below', async () => {
    await using terminal = openTerminal(folderOf(workspace), { columns: 120 });
    await terminal.press(...'count by docPath, eventType', sent.enter);
    await terminal.see(/3 rows/);
    await terminal.press(sent.escape, sent.tab);
    const grid = await terminal.see(/esc back/);
    // Go to the row of that value, wherever it is in the order.
    const rows = linesOf(grid).filter((line) => /pageview|link_click/.test(line));
    const index = rows.findIndex((line) => /\/docs.*link_click/.test(line));
    await terminal.press(...Array.from({ length: index }, () => sent.down), 'o');
    await terminal.see('by what?');
    await terminal.press(sent.enter);
    await terminal.see('2  count by day where docPath = /docs and eventType = link_click');
    await terminal.see(/2024-03-07 +1$/m);
    // From a day to the event itself.
    await terminal.press(sent.tab, 'o', ...'even', sent.enter);
    const events = await terminal.see(
      /3 {2}events where docPath = \/docs and eventType = link_click from 2024-03-07 to 2024-03-07 +1 row/,
    );
    // Empty columns are hidden, with a note.
    expect(events).toMatch(/\d+ empty columns are hidden\./);
    expect(events).toMatch(/Time +Event type +Anonymous ID +Page/);
  });

  const allSizes = [
    [40, 12],
    [80, 24],
    [120, 40],
    [200, 50],
  ] as const;

  it.each(allSizes)(
    'frequencies: all values of a column, of which Enter filters by one and Q asks for it; all of it is undone and redone, at %d × %d',
    async (columns, rows) => {
      await using terminal = openTerminal(folderOf(workspace), { columns, rows });
      const see = async (wanted: Parameters<typeof terminal.see>[0]) => {
        const screen = await terminal.see(wanted);
        for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
        return screen;
      };
      await terminal.press(...'count by eventType', sent.enter);
      await see(/1 {2}count by eventType.* 2 rows/);
      await terminal.press(...'uniqueUsersCount by eventType, docPath', sent.enter);
      await see(/2 {2}uniqueUsersCount.* 3 rows/);
      await terminal.press(sent.escape, sent.tab, 'F');
      expect(await see(/Event type by unique users/)).toMatch(/› pageview +\d+ {2}█+/);
      await terminal.press(...'link');
      expect(await see((screen) => !/pageview +\d/.test(screen))).toMatch(/link_click +\d/);
      await terminal.press(sent.enter);
      await see(/(?:row )?1 of 1/);
      await terminal.press('Q');
      await see(
        /where eventType = link_click.* 1 row|uniqueUsersCount by event…? +1 row|2 {2}uniqueUsersCount.* 1 row /,
      );
      // Undo every step, and redo it.
      await terminal.press(sent.escape, 'u');
      await see(/2 {2}uniqueUsersCount.* 3 rows/);
      await terminal.press('u');
      const alone = await see((screen) => !screen.includes('uniqueUsersCount'));
      expect(alone).toMatch(/1 {2}count by eventType.* 2 rows/);
      await terminal.press('u');
      await see((screen) => !/count by eventType.* 2 rows/.test(screen));
      // Without cells, keys go to the prompt.
      await terminal.press(...':undo', sent.enter);
      await see('There is nothing to undo.');
      await terminal.press(...':redo', sent.enter);
      await see(/1 {2}count by eventType.* 2 rows/);
      await terminal.press(...':redo', sent.enter);
      await see(/2 {2}uniqueUsersCount.* 3 rows/);
      await terminal.press(...':redo', sent.enter);
      await see(/2 {2}uniqueUsersCount.* 1 row /);
      await terminal.press(...':redo', sent.enter);
      await see('There is nothing to redo.');
    },
  );

  it('first screen: says what there is, and gives questions to begin with; the catalog finds names by their meaning', async () => {
    const folder = folderOf({ ...workspace, 'reports/weekly.md': '---\ntitle: Weekly\n---\n\nText.\n' });
    await using terminal = openTerminal(folder, { columns: 100 });
    const first = await terminal.see('Questions to begin with:');
    expect(first).toMatch(/1 report, \d+ measures, \d+ dimensions/);
    expect(first).toContain(':open weekly');
    const questions = Array.from(first.matchAll(/^ +[123] {2}(.*\S)$/gm), ([, question]) => question);
    expect(questions).toHaveLength(3);
    await terminal.press('2');
    await terminal.see(`? ${questions[1]}`);
    await terminal.press(sent.enter);
    await terminal.see(/1 {2}\S.* rows? /);
    await terminal.press(...'count by ', '\u001bOQ', ...'browser');
    const found = await terminal.see(/› Browser +agentName {2}dimension/);
    expect(found).not.toContain('docPath');
    await terminal.press(sent.enter);
    await terminal.see('? count by agentName');
  });

  it('hides dimensions that no event has a value of, until they are wanted or looked for', async () => {
    await using terminal = openTerminal(folderOf(workspace), { columns: 100, rows: 30 });
    await terminal.see('Questions to begin with:');
    await terminal.press('\u001bOQ');
    const listed = await terminal.see(/\d+ dimensions without values in the latest 5 events hidden; f2 shows them\./);
    expect(listed).toMatch(/eventType[^]*docPath/);
    expect(listed).not.toContain('docHost');
    await terminal.press('\u001bOQ');
    expect(await terminal.see('docHost')).toContain('f2 hides');
    await terminal.see('f2 hides those without values.');
    await terminal.press('\u001bOQ', ...'browser');
    await terminal.see(/Browser +agentName/);
    for (let press = 0; press < 7; press += 1) await terminal.press(sent.backspace);
    // Members with values are listed.
    await terminal.press(...'page path');
    await terminal.see(/docPath/);
  });

  it('looks at the latest events of many for what has values', async () => {
    // Only the earliest event has a host, and only the latest a title; the file is not sorted.
    const events = Array.from({ length: 1001 }, (_, minute) => ({
      event_type: 'pageview',
      utc_time: new Date(Date.UTC(2024, 2, 1, 0, minute)).toISOString(),
      ...(minute === 0 ? { doc_host: 'example.com' } : {}),
      ...(minute === 1000 ? { page_title: 'Home' } : {}),
    })).toSorted((a, b) => a.utc_time.slice(-8).localeCompare(b.utc_time.slice(-8)));
    const files = { ...workspace, 'e.ndjson': events.map((event) => JSON.stringify(event)).join('\n') };
    await using terminal = openTerminal(folderOf(files), { columns: 100, rows: 30 });
    await terminal.see('Questions to begin with:');
    await terminal.press('\u001bOQ');
    const listed = await terminal.see(
      /\d+ dimensions without values in the latest 1,000 events hidden; f2 shows them\./,
    );
    expect(listed).toContain('pageTitle');
    expect(listed).not.toContain('docHost');
  });

  it('takes the rows that are seen into files and the clipboard', async () => {
    const folder = folderOf(workspace);
    await using terminal = openTerminal(folder, { columns: 100 });
    await terminal.press(...'count by eventType, docPath', sent.enter);
    await terminal.see(/3 rows/);
    await terminal.press(sent.escape, ...':export csv', sent.enter);
    await terminal.see('Exported 3 rows to answer.csv.');
    const { stdout } = await folder.sluice(['query', 'count by eventType, docPath', '-f', 'csv']);
    const csv = (name: string) => readFileSync(path.join(folder.root, name), 'utf8');
    expect(csv('answer.csv')).toBe(stdout);
    await terminal.press(sent.tab, ...'/count > 1', sent.enter);
    await terminal.see(/filter: count > 1/);
    await terminal.press(...':export csv', sent.enter);
    await terminal.see(/Exported \d rows to answer-2\.csv\./);
    const [heading, ...lines] = stdout.trimEnd().split('\n');
    expect(csv('answer-2.csv').trimEnd().split('\n')).toEqual([
      heading,
      ...lines.filter((line) => Number(line.split(',').at(-1)?.trim()) > 1),
    ]);
    await terminal.press(...':export csv answer.csv', sent.enter);
    await terminal.see('answer.csv already exists.');
    for (const format of ['md', 'parquet', 'png']) {
      await terminal.press(...`:export ${format}`, sent.enter);
      await terminal.see(`answer.${format}.`);
      expect(existsSync(path.join(folder.root, `answer.${format}`))).toBe(true);
    }
    await terminal.press(...':copy table', sent.enter);
    await terminal.see('Copied the table');
    const [, copied = ''] = /\]52;c;([A-Za-z0-9+/=]+)/.exec(terminal.written()) ?? [];
    expect(Buffer.from(copied, 'base64').toString()).toBe(
      csv('answer-2.csv').replaceAll(',', '\t').replaceAll('\r\n', '\n'),
    );
    await terminal.press(...':copy command', sent.enter);
    await terminal.see('Copied the command');
    await terminal.press(...':copy link', sent.enter);
    await terminal.see('Save the report first');
  });

  it.each(allSizes)('from a dip to the events behind it in six keys, at %d × %d', async (columns, rows) => {
    await using terminal = openTerminal(folderOf(workspace), { columns, rows });
    await terminal.press(...'count by day 2024-03', sent.enter);
    await terminal.see(/count by day 2024.* rows/);
    // It is shown as a chart at once; the narrowest screen has no room for one.
    if (columns === 40) await terminal.press(sent.escape, sent.tab, sent.right, 's');
    else {
      await terminal.see(/[\u2801-\u28ff\u2581-\u2588]/);
      await terminal.press(sent.escape, sent.right, 'M');
    }
    await terminal.see(columns === 40 ? /▲/ : /2024-03-06 {2}6 of 31\nEvents 3$/m);
    await terminal.press('o', sent.down, sent.enter);
    const screen = await terminal.see(columns === 40 ? /2 {2}raw events.* rows? / : /2 {2}raw events.* 3 rows /);
    for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it('draws the hours of the day at once', async () => {
    await using terminal = openTerminal(folderOf(workspace));
    await terminal.press(...'count by hour of day', sent.enter);
    await terminal.see(/[\u2581-\u2588][^]*\b(?:[01]\d|2[0-3]):00\b/);
  });

  it('a shipped report with another parameter and one more cell tells the same by `report run`, at all sizes', async () => {
    const shipped = readFileSync(new URL('../../../reports/weekly-overview.md', import.meta.url), 'utf8');
    const folder = folderOf({ ...workspace, 'reports/weekly-overview.md': shipped });
    await using terminal = openTerminal(folder, { columns: 80, rows: 24, notebook: 'weekly-overview' });
    const sizes = [
      [40, 12],
      [120, 40],
      [200, 50],
      [80, 24],
    ] as const;
    /** Every size shows the text, and no line is wider than the screen. */
    const seenEverywhere = async (wanted: RegExp) => {
      for (const [columns, rows] of sizes) {
        await terminal.resize(columns, rows);
        for (const line of (await terminal.see(wanted)).split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      }
    };
    await terminal.see(/0\s+page\s+views/);
    await terminal.press(...':set week=2024-W10', sent.enter);
    await terminal.see('week=2024-W10');
    await seenEverywhere(/4\s+page\s+views/);
    await terminal.press('G', 'o', ...'count by eventType from 2024-03-04 to 2024-03-10', sent.enter);
    await seenEverywhere(/pageview +4/);
    await terminal.press(sent.escape, 'u');
    await terminal.see('Undone: the new cell.');
    await seenEverywhere(/^(?![^]*count by eventType from)/);
    await terminal.press('U');
    await seenEverywhere(/pageview +4/);
    await terminal.press(...':save mine', sent.enter);
    await seenEverywhere(/Saved as reports\/mine\.md\./);
    const written = readFileSync(path.join(folder.root, 'reports', 'mine.md'), 'utf8');
    // Everything is unchanged except the title.
    expect(written.startsWith(shipped.replace(/^title: .*$/m, 'title: mine').trimEnd())).toBe(true);
    const { stdout } = await folder.sluice(['report', 'run', 'mine', '--param', 'week=2024-W10', '-f', 'md']);
    expect(stdout).toMatch(/\*\*4 page views\*\*/);
    expect(stdout).toMatch(/\| pageview +\| +4 \|/);
  });

  it('save and reopen: the report in the folder opens again exactly so', async () => {
    const folder = folderOf(workspace);
    const lines = ['count by eventType', 'uniqueUsersCount by day 2024-03', "count where docPath = '/docs' top 3"];
    {
      await using terminal = openTerminal(folder);
      for (const [index, line] of lines.entries()) {
        await terminal.press(...line, sent.enter);
        await terminal.see(new RegExp(`${index + 1} {2}${line.slice(0, 6)}.* rows? `));
      }
      await terminal.press(sent.escape, ...':save weekly', sent.enter);
      await terminal.see('Saved as reports/weekly.md.');
      expect(await terminal.see('reports/weekly.md  ')).not.toContain('not saved');
    }
    const written = readFileSync(path.join(folder.root, 'reports', 'weekly.md'), 'utf8');
    expect(written.match(/^```query$/gm)).toHaveLength(3);
    const first = await (async () => {
      await using terminal = openTerminal(folder, { notebook: 'weekly', rows: 60 });
      return await terminal.see((screen) =>
        lines.every((line) => new RegExp(`${line.slice(0, 6)}.* rows? `).test(screen)),
      );
    })();
    for (const line of lines) expect(first).toContain(line);
    await using terminal = openTerminal(folder, { notebook: 'reports/weekly.md', rows: 60 });
    await terminal.see(/docs' top 3 .*1 row /);
    await terminal.press(':', ...'save again', sent.enter);
    await terminal.see('Saved as reports/again.md.');
    // Only the title changed.
    expect(readFileSync(path.join(folder.root, 'reports', 'again.md'), 'utf8')).toBe(
      written.replace('title: weekly', 'title: again'),
    );
  });

  it('saves lines as they were typed, and the flags of their data, with which the report runs', async () => {
    const file = 'event_time,customer,action,Preis\n2024-03-01T10:00:00Z,a,view,1\n2024-03-02T10:00:00Z,b,Käufe,2\n';
    const folder = folderOf({ 'a b.csv': Buffer.from(file, 'latin1') });
    const flags = { events: ['a b.csv'], encoding: 'windows-1252' };
    const lines = [
      'count by action',
      "sum(Preis) where action = 'Käufe'",
      'retention by day from 2024-03-01 to 2024-03-02',
    ];
    await using terminal = openTerminal(folder, { columns: 120, flags });
    for (const [index, line] of lines.entries()) {
      await terminal.press(...line, sent.enter);
      await terminal.see(new RegExp(`${index + 1} {2}${line.replaceAll(/[()]/g, '.')} .* rows? `));
    }
    await terminal.press(sent.escape, ...':save mine', sent.enter);
    const command = "sluice report run mine --events 'a b.csv' --encoding windows-1252";
    await terminal.see(`Saved as reports/mine.md. To run it: ${command}`);
    const written = readFileSync(path.join(folder.root, 'reports', 'mine.md'), 'utf8');
    expect(written).toMatch(
      /^---\n# Run this report with: --events 'a b.csv' --encoding windows-1252\ntitle: mine\n---\n/,
    );
    for (const line of lines) expect(written).toContain(`query: ${line}\n`);
    const run = await folder.sluice([
      'report',
      'run',
      'mine',
      '-f',
      'md',
      '--events',
      'a b.csv',
      '--encoding',
      'windows-1252',
    ]);
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toMatch(/Käufe \| +1/);
    await terminal.press('x', ...'command', sent.enter);
    await terminal.see(
      "sluice query 'retention by day from 2024-03-01 to 2024-03-02' --events 'a b.csv' --encoding windows-1252",
    );
  });

  it('opens typed lines of a report in the zone of the report', async () => {
    const cell = (line: string) => `\`\`\`query\nquery: ${line}\n\`\`\`\n\n`;
    const report = `---\ntitle: T\ntimezone: Asia/Tokyo\n---\n\n${cell('count by day')}${cell('retention by day')}`;
    await using terminal = openTerminal(folderOf({ ...workspace, 'reports/t.md': report }), {
      columns: 100,
      notebook: 't',
    });
    await terminal.see(/1 {2}count by day in Asia\/Tokyo +\d+ rows?/);
    await terminal.press('G');
    await terminal.see(/2 {2}retention by day in Asia\/Tokyo +\d+ rows?/);
    await terminal.see('reports/t.md  ');
    expect(terminal.screen()).not.toContain('not saved');
    // The report would ask a new question in its zone, so the screen does too.
    await terminal.press('o', ...'count by hourOfDay', sent.enter);
    await terminal.see(/3 {2}count by hourOfDay in Asia\/Tokyo +\d+ rows?/);
  });

  it('cancel: a question that takes long can be stopped, and the next one is answered', async () => {
    await using terminal = openTerminal(
      folderOf({ 'model.yaml': slowModel, 'e.parquet': '', 'sluice.yaml': 'model: model.yaml\n' }),
    );
    await terminal.press(...'Slow.total', sent.enter);
    await terminal.see(/Slow\.total +\d+\.\d s {2}esc stops/);
    const elapsed = () => Number(/(\d+\.\d) s/.exec(terminal.screen())?.[1]);
    const before = elapsed();
    await terminal.see(() => elapsed() > before);
    await terminal.press(sent.escape);
    await terminal.see(/Slow\.total +stopped/);
    expect(terminal.screen()).toContain('Stopped.');
    // With nothing left to stop, escape moves to the cells, and back to the prompt.
    await terminal.press(sent.escape, sent.escape, ...'Few.count', sent.enter);
    await terminal.see(/2 {2}Few\.count +1 row/);
  });

  it('error and fix: the issue stands under the word, and goes with it', async () => {
    await using terminal = openTerminal(folderOf(workspace));
    await terminal.see(/e\.ndjson$/m);
    await terminal.press(...'count by evntType', sent.enter);
    const wrong = await terminal.see('There is no member "evntType"');
    const lines = wrong.split('\n');
    const typed = lines.findIndex((line) => line.startsWith('? count by evntType'));
    expect(lines[typed + 1]).toBe(`${' '.repeat('? count by '.length)}^^^^^^^^`);
    expect(wrong).toContain('eventType');
    await terminal.press('\u0017');
    expect(await terminal.see((text) => !text.includes('^^^'))).not.toContain('There is no member');
    await terminal.press(...'eventType', sent.enter);
    await terminal.see(/pageview +4/);
    // An error that only the backend finds is shown in its cell.
    await terminal.press(...'Sessions.count by TrackedEvents.eventType', sent.enter);
    await terminal.see(/2 {2}Sessions\.count .*failed/);
    expect(terminal.screen()).toMatch(/pageview +4/);
  });

  it('resize: everything stays in sight, and nothing overflows', async () => {
    await using terminal = openTerminal(folderOf(workspace));
    await terminal.press(...'count, uniqueUsersCount, pageViewsCount by docPath, eventType day 2024-03', sent.enter);
    await terminal.see(/rows? /);
    for (const [columns, rows] of [
      [120, 40],
      [40, 12],
      [20, 6],
      [200, 50],
      [80, 24],
    ] as const) {
      await terminal.resize(columns, rows);
      const screen = await terminal.see((text) => text.split('\n').length === rows && /^\? /m.test(text));
      for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      expect(terminal.cursor().y).toBeLessThan(rows);
    }
    await terminal.press(...'count', sent.enter);
    await terminal.see(/2 {2}count +1 row/);
  });

  it('scrolls through many rows without ever clearing the screen', async () => {
    const events = Array.from(
      { length: 30_000 },
      (_, index) =>
        `{"utcTime":"2024-03-06T10:00:00.000","userAnonymousId":"u${index}","eventType":"pageview","docPath":"/p${index}"}`,
    ).join('\n');
    await using terminal = openTerminal(folderOf({ 'e.ndjson': events, 'sluice.yaml': 'events: e.ndjson\n' }));
    await terminal.press(...'count by docPath limit 30000', sent.enter);
    await terminal.see(/30,000 rows/);
    await terminal.press(sent.escape, sent.tab);
    await terminal.see('esc back');
    const from = terminal.written().length;
    await terminal.press(
      ...Array.from({ length: 30 }, () => sent.down),
      ...Array.from({ length: 30 }, () => sent.pageDown),
      ...Array.from({ length: 10 }, () => sent.wheelDown),
      'G',
    );
    await terminal.see(/30,000 of 30,000/);
    await terminal.press('g', 's');
    await terminal.see((text) => /\/p0\b/.test(text));
    const bytes = terminal.written().slice(from);
    expect(bytes.length).toBeGreaterThan(1000);
    expect(bytes).not.toMatch(clears);
    expect(bytes).not.toContain('\u001b[?1049');
  });

  it('keeps what was typed and not saved, and offers it the next time', async () => {
    const folder = folderOf(workspace);
    const drafts = () =>
      existsSync(path.join(folder.root, '.sluice', 'explorer'))
        ? readdirSync(path.join(folder.root, '.sluice', 'explorer')).filter((name) => name.startsWith('draft'))
        : [];
    {
      await using terminal = openTerminal(folder, { process: { id: 7, started: 1, isAlive: () => false } });
      await terminal.press(...'count by eventType', sent.enter);
      await terminal.see(/pageview +4/);
      await terminal.press(...'uniqueUsers');
    }
    expect(drafts()).toHaveLength(1);
    {
      // A running process keeps its draft.
      await using terminal = openTerminal(folder, { process: { id: 8, started: 2, isAlive: (id) => id === 7 } });
      await terminal.see(/e\.ndjson$/m);
      expect(terminal.screen()).not.toContain(':restore');
      await terminal.press(sent.up);
      await terminal.see('? count by eventType');
      await terminal.press('\u0015');
      await terminal.see((text) => !text.includes('? count by eventType') || text.includes('ask'));
    }
    await using terminal = openTerminal(folder, { process: { id: 9, started: 3, isAlive: () => false } });
    await terminal.see(':restore loads them');
    await terminal.press(...':restore', sent.enter);
    await terminal.see(/pageview +4/);
    expect(terminal.screen()).toContain('? uniqueUsers');
    expect(drafts()).toEqual(['draft-9-3.json']);
  });

  it('restores nothing over other questions or for a report that cannot be read, and goes on offering it', async () => {
    const report = '---\ntitle: T\n---\n\n```query\nquery: {measures: [TrackedEvents.count]}\n```\n';
    const folder = folderOf({ ...workspace, 'reports/t.md': report });
    {
      const process = { id: 7, started: 1, isAlive: () => false };
      await using terminal = openTerminal(folder, { notebook: 't', process });
      await terminal.see(/1 {2}count +1 row/);
      await terminal.press('o', ...'count by eventType', sent.enter);
      await terminal.see(/pageview +4/);
    }
    folder.write('reports/t.md', report.replace('measures', 'measure'));
    await using terminal = openTerminal(folder, { process: { id: 8, started: 2, isAlive: () => false } });
    await terminal.see(':restore loads them');
    await terminal.press(...'uniqueUsersCount', sent.enter);
    await terminal.see(/1 {2}uniqueUsersCount +1 row/);
    await terminal.press(...':restore', sent.enter);
    await terminal.see('The notebook has unsaved changes.');
    await terminal.press(sent.escape, 'd', sent.enter, ...':restore', sent.enter);
    await terminal.see('Not restored');
    expect(terminal.screen()).not.toContain('pageview');
    await terminal.press(sent.escape);
    // If the file is gone, its cells are restored.
    rmSync(path.join(folder.root, 'reports/t.md'));
    await terminal.press(...':restore', sent.enter);
    await terminal.see('reports/t.md does not exist any more');
    await terminal.see(/pageview +4/);
  });

  it('draws a chart instead of the table, and back', async () => {
    await using terminal = openTerminal(folderOf(workspace));
    await terminal.press(...'count by day 2024-03', sent.enter);
    const chart = await terminal.see(/[\u2801-\u28ff\u2581-\u2588]/);
    expect(chart).not.toMatch(/2024-03-06 +3/);
    await terminal.press(sent.escape, 't');
    await terminal.see(/2024-03-06 +3/);
    await terminal.press('t');
    await terminal.see(/[\u2801-\u28ff\u2581-\u2588]/);
    // Two buckets, or only zeros, are not shown as a chart.
    await terminal.press('o', ...'count by day from 2024-03-06 to 2024-03-07', sent.enter);
    await terminal.see(/2024-03-06 +3/);
    await terminal.press(...'count by day 2023-03', sent.enter);
    await terminal.see(/2023-03-06 · +0/);
  });

  it.each([
    [80, 24],
    [200, 50],
  ])('draws many series over time in plots of their own, or as a heat map, at %d × %d', async (columns, rows) => {
    const pages = Array.from({ length: 60 }, (_, index) =>
      JSON.stringify({
        utcTime: `2024-03-${String(1 + (index % 20)).padStart(2, '0')}T10:00:00.000`,
        eventType: 'pageview',
        docPath: `/page/${index % 7}`,
        userAnonymousId: 'ann',
      }),
    );
    const folder = folderOf({ ...workspace, 'e.ndjson': pages.join('\n') });
    await using terminal = openTerminal(folder, { columns, rows });
    await terminal.press(...'count by docPath, day from 2024-03-01 to 2024-03-20', sent.enter);
    const screen = await terminal.see(/\/page\/6(?: |$)/m);
    if (columns === 80)
      for (const page of [0, 3, 6]) expect(screen).toMatch(new RegExp(`^ +/page/${page} .*[█▓▒░1]`, 'm'));
    else {
      expect(screen).toMatch(/\/page\/0 +\/page\/1 +\/page\/2/);
      expect(screen).toContain('All plots have the same scale.');
    }
    await terminal.press(sent.escape, sent.right, 'g');
    if (columns === 200) expect((await terminal.see(/│.*│.*│.*│/)).length).toBeGreaterThan(0);
    await terminal.see(/2024-03-01 {2}1 of 20\n/);
    // Every page has its own figure: there are 60 events, three on each of 20 days.
    const [, read = ''] = /1 of 20\n([^]*?)\n.*chart {3}esc/.exec(terminal.screen()) ?? [];
    expect([...read.matchAll(/\/page\/\d (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0)).toBe(3);
  });

  it('reads a chart value by value, zooms into a marked range, leaves series out, and undoes it', async () => {
    const folder = folderOf({ ...workspace, 'sluice.yaml': 'events: e.ndjson\nfill: none\n' });
    await using terminal = openTerminal(folder, { columns: 120, rows: 30 });
    await terminal.press(...'count by hour, eventType from 2024-03-06 to 2024-03-07', sent.enter);
    await terminal.see(/[\u2801-\u28ff\u2581-\u2588]/);
    await terminal.press(sent.escape, sent.right);
    await terminal.see(/2024-03-07 09:00 {2}24 of 24\npageview 1 {2}link_click 1/);
    await terminal.press('M');
    await terminal.see(/2024-03-06 10:00 {2}1 of 24\npageview 2 {2}link_click –/);
    // The last of these buckets has no row, but belongs to the range.
    await terminal.press('v', sent.right, sent.right);
    await terminal.see('marked: 3 from 2024-03-06 10:00 to 2024-03-06 12:00');
    await terminal.press(sent.enter);
    const zoomed = await terminal.see(
      /count by hour, eventType from 2024-03-06T10:00\S* to 2024-03-06T12:59\S* +\d rows/,
    );
    // The query command returns the same figures for that line.
    expect(zoomed).toMatch(/1 of 2\nEvents 2\n/);
    const [, line = ''] = /1 {2}(count .*?) {2,}\d rows/.exec(zoomed) ?? [];
    const { stdout } = await folder.sluice(['query', line, '-f', 'csv']);
    expect(stdout.trim().split('\n').slice(1)).toHaveLength(Number(/(\d+) rows/.exec(zoomed)?.[1]));
    await terminal.press('u');
    await terminal.see(/Undone: the zoom\./);
    await terminal.see(/count by hour, eventType from 2024-03-06 to 2024-03-07 /);
    await terminal.press(sent.down, ' ');
    await terminal.see(/link_click \(left out\)/);
    await terminal.press(sent.up, ' ');
    await terminal.see('The last series stays');
    await terminal.press(sent.down, ' ', sent.tab);
    await terminal.see(/row \d+ of \d+/);
  });

  it('brings back the only cell after it was deleted, also by way of the prompt', async () => {
    await using terminal = openTerminal(folderOf(workspace));
    await terminal.press(...'count by eventType', sent.enter);
    await terminal.see(/pageview +4/);
    await terminal.press(sent.escape, 'd', sent.enter);
    await terminal.see('Deleted; u brings it back.');
    await terminal.press('u');
    await terminal.see(/pageview +4/);
    await terminal.press('U');
    await terminal.see('Redone: the deletion.');
    await terminal.press(sent.escape, ...'uniqueUsersCount');
    await terminal.see('? uniqueUsersCount');
    // The first one closes the completions.
    await terminal.press(sent.escape, sent.escape, 'u');
    await terminal.see(/pageview +4/);
    expect(terminal.screen()).toContain('? uniqueUsersCount');
    await terminal.press(...':delete', sent.enter);
    await terminal.see('Deleted; u brings it back.');
    await terminal.press('u');
    await terminal.see(/pageview +4/);
  });

  it('does what help, quit and exit mean at the prompt', async () => {
    await using terminal = openTerminal(folderOf(workspace));
    await terminal.see('Questions to begin');
    await terminal.press(...'help', sent.enter);
    await terminal.see('In the prompt');
    await terminal.press(sent.escape);
    await terminal.see('? count by eventType');
    await terminal.press(...' Exit ', sent.enter);
    await terminal.ended;
    const named = folderOf({ ...workspace, 'queries/quit.yaml': 'query: {measures: [TrackedEvents.count]}\n' });
    await using again = openTerminal(named);
    await again.see('Questions to begin');
    await again.press(...'quit', sent.enter);
    await again.see(/1 {2}quit +1 row/);
  });

  it.each([60, 80])('wraps what is wrong with a line at %i columns', async (columns) => {
    await using terminal = openTerminal(folderOf(workspace), { columns });
    const line = 'count around 2026-01-01 and 2026-02-01';
    await terminal.see('Questions to begin');
    await terminal.press(...line, sent.enter);
    const refused = await terminal.see('`limit`.');
    expect(refused.replaceAll(/\s+/g, ' ')).toContain('a range such as `last 7 days`, `top`, `order by`, `limit`.');
    expect(refused).toMatch(/^\? count around/m);
    expect(refused).toContain('enter ask');
  });

  it('shows how the columns of a file are read below one answer, and again once that is deleted', async () => {
    const file =
      'event_time,customer,action\n2024-03-01T10:00:00Z,a,view\n2024-03-02T10:00:00Z,b,view\n2024-03-03T10:00:00Z,b,buy\n';
    await using terminal = openTerminal(folderOf({ 'a.csv': file }), { rows: 60, flags: { events: ['a.csv'] } });
    await terminal.press(...'count by action', sent.enter);
    const times = (screen: string) => screen.split('Unknown column names').length - 1;
    expect(times(await terminal.see(/1 {2}count by action +2 rows/))).toBe(1);
    await terminal.press(...'uniqueUsersCount by action', sent.enter);
    expect(times(await terminal.see(/2 {2}uniqueUsersCount by action +2 rows/))).toBe(1);
    // Charts have notes, too.
    await terminal.press(...'count by day', sent.enter);
    expect(times(await terminal.see(/Mar 0?1/))).toBe(1);
    await terminal.press(sent.escape, 'g', 'r');
    expect(times(await terminal.see(/1 {2}count by action +2 rows/))).toBe(1);
    await terminal.press('d', sent.enter);
    expect(times(await terminal.see(/1 {2}uniqueUsersCount by action +2 rows/))).toBe(0);
    await terminal.press('r');
    await terminal.see('Unknown column names');
  });

  it('compares an analysis with the range before it in a line, whose figures are those of both ranges', async () => {
    const folder = folderOf(workspace);
    await using terminal = openTerminal(folder, { columns: 120, rows: 50 });
    await terminal.press(...'stickiness by day from 2024-03-07 to 2024-03-08', sent.enter);
    await terminal.see(/1 {2}stickiness .* rows/);
    await terminal.press(sent.escape, 'c');
    const screen = await terminal.see(
      /2 {2}stickiness by day from 2024-03-07 to 2024-03-08 compare with previous +2 rows/,
    );
    const usersOf = async (range: string) => {
      const { stdout } = await folder.sluice(['query', `stickiness by day ${range}`, '-f', 'csv']);
      return stdout
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',').at(-1));
    };
    const [now, before] = [
      await usersOf('from 2024-03-07 to 2024-03-08'),
      await usersOf('from 2024-03-05 to 2024-03-06'),
    ];
    for (const [index, users] of now.entries())
      expect(screen).toMatch(new RegExp(`^ *${index + 1} +${users}~? +${before[index]} `, 'm'));
  });

  it('names its keys in hints, not commands and flags of a shell', async () => {
    await using terminal = openTerminal(folderOf(workspace), { columns: 100 });
    await terminal.press(...'uniqueUsersCount by zzzzzz', sent.enter);
    await terminal.see('Press f2 to list');
    await terminal.press('\u0015', ...'docPath', sent.enter);
    const screen = await terminal.see('Write `by docPath`.');
    expect(screen).not.toMatch(/sluice model|`-d/);
  });

  it('says below all rows that the answer reached its limit', async () => {
    await using terminal = openTerminal(folderOf(workspace));
    await terminal.press(...'count by docPath limit 1', sent.enter);
    await terminal.see('Limit of 1 row reached');
    await terminal.press(sent.escape, sent.tab);
    await terminal.see('row 1 of 1 (limit reached)');
  });

  it('takes the colours of a theme, screen and charts alike', async () => {
    await using terminal = openTerminal(folderOf(workspace), { look: { depth: 'attributes', unicode: true } });
    await terminal.press(...'count by day 2024-03', sent.enter);
    await terminal.see(/[\u2801-\u28ff\u2581-\u2588]/);
    const colours = /\u001b\[(?:\d+;)*3[1-7]m/;
    expect(terminal.written()).not.toMatch(colours);
    await terminal.press(...':theme light', sent.enter);
    await terminal.see('Theme: light.');
    for (let waited = 0; waited < 100 && !colours.test(terminal.written()); waited += 1) await terminal.press();
    expect(terminal.written()).toMatch(colours);
    await terminal.press(...':theme blue', sent.enter);
    await terminal.see('Specify a theme');
  });

  it('is read out in sentences where a screen is of no use', async () => {
    await using terminal = openTerminal(folderOf(workspace), { spoken: true, columns: 100 });
    await terminal.see('Question:');
    expect(terminal.isAlternate()).toBe(false);
    await terminal.press(...'count by eventType', sent.enter);
    const screen = await terminal.see('Answer: 2 rows.');
    expect(screen).toContain('Event type pageview, Events 4');
    expect(screen).not.toMatch(/[─│›…^]/);
    await terminal.press(sent.escape);
    // Without waiting, the next key would be handled in the same frame, and the table would never be read out.
    await terminal.see('Cell 1 of 1');
    await terminal.press('t');
    await terminal.see(/[Bb]ars? /);
    await terminal.press('i');
    await terminal.see('Editing cell 1.');
    expect(terminal.written()).not.toContain('\u001b');
    // Unchanged lines are not repeated: once for the prompt, once for the cell.
    expect(terminal.written().split('Answer: 2 rows.')).toHaveLength(3);
  });
});
