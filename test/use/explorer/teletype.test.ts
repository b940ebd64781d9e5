import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goOn } from '../../../src/use/explorer/shell/line-terminal.ts';
import { fewEvents, folderOf } from '../run-in-folder.ts';
import { keys, seatPerson } from '../seated-person.ts';
import { openTerminal, sent } from './terminal.ts';

const workspace = { 'e.ndjson': fewEvents, 'sluice.yaml': 'events: e.ndjson\n' };

describe('the explorer on a terminal that knows no escape sequences', () => {
  it('writes what is new behind what is there, and nothing that such a terminal would show as rubbish', async () => {
    await using terminal = openTerminal(folderOf(workspace), { plain: true, columns: 100 });
    await terminal.see('Question:');
    await terminal.press(...'count by eventTyp', sent.backspace, ...'pe', sent.enter);
    await terminal.see('Answer: 2 rows.');
    await terminal.press(sent.escape, 'y');
    await terminal.see('This terminal does not support the clipboard.');
    expect(terminal.raw()).toBe(true);
    await terminal.press(sent.interrupt);
    await terminal.see('ctrl-c again');
    await terminal.press(sent.interrupt);
    await terminal.ended;
    expect(terminal.raw()).toBe(false);
    expect(terminal.written()).toMatch(/^[^\u0000-\u0009\u000b-\u001f\u007f]*\n$/);
    expect(terminal.written()).toContain('\nQuestion: count by eventTyp\nQuestion: count by eventTy');
  });

  it('reads the notes of an answer that is a chart, too', async () => {
    await using terminal = openTerminal(folderOf(workspace), { plain: true, columns: 200 });
    await terminal.see('Question:');
    await terminal.press(...'count by day last 7 days', sent.enter);
    await terminal.see('chart: Events by day');
    await terminal.see('No events before 2024-03-06: earlier days of the range may lack data.');
  });

  it('is what it is by TERM=dumb, and says so', async () => {
    const person = seatPerson([
      ['Question:', `count${keys.enter}`],
      ['Events 5', keys.interrupt],
      ['ctrl-c again', keys.interrupt],
    ]);
    const { code, stderr } = await folderOf(workspace).sluice(['explore'], {
      person,
      env: { TERM: 'dumb' },
      terminal: { columns: 80, rows: 24 },
    });
    expect([code, person.left()]).toEqual([0, 0]);
    expect(stderr).toBe(
      'This terminal (TERM=dumb) cannot draw a screen. sluice prints lines instead, as with --screen-reader. Type :keys for help, press ctrl-c twice to quit.\n',
    );
  });

  it.each([
    ['files', ['own events.ndjson']],
    ['flags', ['--events', 'own events.ndjson']],
    ['a file and flags', ['own events.ndjson', '--encoding', 'windows-1252', '--screen-reader']],
    ['flags and a file', ['--encoding', 'windows-1252', 'own events.ndjson']],
    ['a table of a database', ['app.db/hits']],
  ])('opens over %s alone', async (_, argv) => {
    const person = seatPerson([
      ['Question:', `count by docPath${keys.enter}`],
      ['/only-here', keys.interrupt],
      ['ctrl-c again', keys.interrupt],
    ]);
    const own = { utcTime: '2024-03-07T00:00:00Z', docPath: '/only-here' };
    const folder = folderOf({ ...workspace, 'own events.ndjson': `${JSON.stringify(own)}\n` });
    const database = new DatabaseSync(path.join(folder.root, 'app.db'));
    database.exec("CREATE TABLE hits AS SELECT '2024-03-07 00:00:00' AS utcTime, '/only-here' AS docPath");
    database.close();
    const there = { env: { TERM: 'dumb' }, terminal: { columns: 80, rows: 24 } };
    const { code } = await folder.sluice(argv, { person, ...there });
    expect([code, person.left()]).toEqual([0, 0]);
    expect(await folder.sluice(['--quiet', 'report'], there)).toMatchObject({ stdout: '', code: 2 });
    const { stderr } = await folder.sluice(['own events.ndjson']);
    expect(stderr).toBe(
      "sluice: unknown command 'own events.ndjson'\n  To map the columns of this file, type: sluice init 'own events.ndjson'. To query it: sluice query 'count by day' --events 'own events.ndjson'\n",
    );
  });

  it('has every line of what there is to see on it, and the cursor behind the last one', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(fc.array(line, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
        (screens) => {
          let before: readonly string[] = [];
          let written = '';
          for (const after of screens) {
            const more = goOn(before, after);
            written += more;
            const lines = written.split('\n');
            expect(lines.at(-1)).toBe(after.at(-1));
            for (const each of after) expect(lines).toContain(each);
            // Lines before and after the new ones are not repeated, except for the last line.
            const start = after.findIndex((each, index) => each !== before[index]);
            const end = after.findLastIndex((each, index) => each !== before[index - after.length + before.length]);
            if (start >= 0) expect(more.split('\n').length - 1).toBeLessThanOrEqual(Math.max(0, end - start + 1) + 1);
            if (after.length === before.length && after.every((each, index) => each === before[index]))
              expect(more).toBe('');
            before = after;
          }
        },
      ),
    );
  });
});
