import { describe, expect, it } from 'vitest';
import { readLook } from '../../../src/use/explorer/shell/run-explorer.ts';
import { toClipboard } from '../../../src/use/explorer/perform/terminal-port.ts';
import { openScriptedServer } from '../../run/http/scripted-server.ts';
import { answered, token } from '../../run/load/remote.ts';
import { fewEvents, folderOf } from '../run-in-folder.ts';
import { openTerminal, sent } from './terminal.ts';

const workspace = { 'e.ndjson': fewEvents, 'sluice.yaml': 'events: e.ndjson\n' };
const meta = {
  cubes: [
    {
      name: 'TrackedEvents',
      measures: [{ name: 'TrackedEvents.count', aggType: 'count' }],
      dimensions: [{ name: 'TrackedEvents.pageTitle', type: 'string' }],
    },
  ],
};

/** Texts sent to the clipboard, in order. */
function copied(written: string): readonly string[] {
  return Array.from(written.matchAll(/(?<!\u001b)\u001b\]52;c;([^\u0007]*)\u0007/g), ([, text = '']) =>
    Buffer.from(text, 'base64').toString(),
  );
}

describe('the explorer by its keys', () => {
  it('y copies the question, the value in the grid as it is, and what a question was turned into', async () => {
    const hostile =
      '{"utcTime":"2024-03-06T10:00:00.000","userAnonymousId":"u","eventType":"pageview","docPath":"/\\u001b]52;c;AAAA\\u0007 é"}';
    await using terminal = openTerminal(folderOf({ ...workspace, 'e.ndjson': hostile }), { env: { TMUX: '/x,1,0' } });
    await terminal.press(...'count by docPath', sent.enter);
    await terminal.see(/1 row /);
    await terminal.press(sent.escape, 'y');
    await terminal.see('Copied the question');
    await terminal.press(sent.tab);
    await terminal.see('esc back');
    await terminal.press('y');
    await terminal.see('Copied the value');
    await terminal.press(sent.escape, 'x', 's');
    await terminal.see('The question as SQL');
    await terminal.press('y', sent.escape);
    await terminal.see('Copied The question as SQL');
    const texts = copied(terminal.written());
    expect(texts.slice(0, 2)).toEqual(['count by docPath', '/\u001b]52;c;AAAA\u0007 é']);
    expect(texts[2]).toMatch(/^SELECT /);
    expect(texts).toHaveLength(3);
    // Inside tmux, each is also sent wrapped.
    expect(terminal.written().split('\u001bPtmux;\u001b\u001b]52;c;')).toHaveLength(4);
  });

  it('p turns the values of a column into columns and back, c compares with the time before', async () => {
    await using terminal = openTerminal(folderOf(workspace), { columns: 160, rows: 40 });
    await terminal.press(...'count by docPath, eventType from 2024-03-06 to 2024-03-07', sent.enter);
    await terminal.see(/3 rows /);
    await terminal.press(sent.escape, sent.tab);
    await terminal.see('esc back');
    await terminal.press(sent.right, 'p');
    const turned = await terminal.see(/Page +(?:pageview +link_click|link_click +pageview)/);
    const [first = ''] = /pageview|link_click/.exec(turned.split('\n')[2] ?? '') ?? [];
    const cells = (path: string) => new RegExp(`^[› ] ${path} +(\\S+) +(\\S+)`, 'm').exec(turned)?.slice(1);
    const inOrder = (pageviews: string, clicks: string) =>
      first === 'pageview' ? [pageviews, clicks] : [clicks, pageviews];
    // A combination without a row has no value.
    expect([cells('/'), cells('/docs')]).toEqual([inOrder('3', '–'), inOrder('1', '1')]);
    await terminal.press('o');
    await terminal.see('A row of a pivot covers several');
    await terminal.press('p');
    await terminal.see(/Page +Event type +Events/);
    await terminal.press('c');
    await terminal.see(
      /2 {2}count by docPath, eventType compare from 2024-03-06 to 2024-03-07 with previous .*\d rows? /,
    );
    expect(terminal.screen()).toContain('change in %');
  });

  it('without colour draws by bold, dim and inverse alone, and without any of them where TERM says so', async () => {
    expect(
      [
        readLook(undefined, {}),
        readLook(undefined, { NO_COLOR: '1' }),
        readLook(undefined, { NO_COLOR: '' }),
        readLook(false, {}),
        readLook(undefined, { TERM: 'dumb' }),
      ].map(({ depth }) => depth),
    ).toEqual(['colour', 'attributes', 'colour', 'attributes', 'plain']);
    for (const [depth, allowed] of [
      ['attributes', new Set(['0', '1', '2', '4', '7', '22', '24', '27'])],
      ['plain', new Set(['0'])],
    ] as const) {
      await using terminal = openTerminal(folderOf(workspace), { look: { depth, unicode: true } });
      await terminal.see(/e\.ndjson$/m);
      await terminal.press(...'count by evntType', sent.enter);
      await terminal.see('^^^');
      await terminal.press('\u0017', ...'eventType day 2024-03', sent.enter);
      await terminal.see(/rows? /);
      await terminal.press(sent.escape, 't');
      await terminal.see('2024-03');
      await terminal.press(sent.tab, '?');
      await terminal.see('In the rows');
      const used = [...terminal.written().matchAll(/\u001b\[([\d;]*)m/g)].flatMap(([, codes = '']) =>
        codes.split(';').map((code) => code || '0'),
      );
      expect(
        [...new Set(used)].filter((code) => !allowed.has(code)),
        depth,
      ).toEqual([]);
    }
  });

  it('a backend that went away can be asked again when it is back, and the answers of before stay to be looked at', async () => {
    await using server = await openScriptedServer(({ path }) => {
      if (path.endsWith('/meta')) return { json: meta };
      return path.endsWith('/load') ? load : { status: 404, json: {} };
    });
    const rows = Array.from({ length: 600 }, (_, index) => ({
      'TrackedEvents.pageTitle': `page ${index}`,
      'TrackedEvents.count': '7',
    }));
    let load = answered(rows);
    const folder = folderOf({ 'sluice.yaml': `backend: platform\nplatform: {url: "${server.url}", project: 42}\n` });
    await using terminal = openTerminal(folder, { env: { SLUICE_TOKEN: token }, columns: 100 });
    await terminal.press(...'count by pageTitle', sent.enter);
    await terminal.see(/600 rows/);
    // A status that is not retried: this test is not about waiting for retries.
    load = { status: 501, json: { message: 'gone for lunch' } };
    await terminal.press(...'count', sent.enter);
    await terminal.see(/2 {2}count .*failed/);
    expect(await terminal.see('the data is not available')).toContain(':reconnect tries again');
    load = answered([{ 'TrackedEvents.count': '335' }]);
    await terminal.press(sent.escape, ':', ...'reconnect', sent.enter);
    await terminal.see((screen) => !screen.includes('the data is not available') && !screen.includes('opening'));
    await terminal.press('r');
    await terminal.see(/Events +335/);
    await terminal.press(sent.up, sent.tab);
    await terminal.see('esc back');
    await terminal.press('G');
    await terminal.see(/page 599/);
  });
});

describe('the explorer', () => {
  it('opens with the data at hand where the report that was named does not exist', async () => {
    await using terminal = openTerminal(folderOf(workspace), { notebook: 'nope' });
    expect(await terminal.see('There is no report "nope".')).not.toContain('cannot be reached');
    await terminal.press(...'count', sent.enter);
    await terminal.see(/Events +5/);
  });

  it('remembers the lines of earlier times, and those that were emptied', async () => {
    const folder = folderOf(workspace);
    {
      await using terminal = openTerminal(folder);
      await terminal.press(...'count by eventType', sent.enter);
      await terminal.see(/2 rows/);
      await terminal.press(...'uniqueUsers', sent.interrupt);
      await terminal.see('Cleared');
      await terminal.press(sent.up);
      await terminal.see('? uniqueUsers');
    }
    await using terminal = openTerminal(folder);
    await terminal.see(/e\.ndjson$/m);
    await terminal.press('\u0012', ...'event');
    await terminal.see(/earlier line with "event": count by eventType/);
  });

  it('says nothing against what is still being typed, and all of it when Enter is pressed', async () => {
    await using terminal = openTerminal(folderOf(workspace));
    await terminal.see(/e\.ndjson$/m);
    await terminal.press(...'count where docPath = ');
    expect(await terminal.see('/docs')).not.toMatch(/\^|expected/);
    await terminal.press(sent.escape, sent.enter);
    expect(await terminal.see('A value is expected here')).toMatch(/\^$/m);
  });
});

describe('toClipboard', () => {
  it('takes no more than a terminal can swallow', () => {
    expect(copied(toClipboard('a'.repeat(500_000), { inTmux: false }))[0]).toHaveLength(500_000);
    expect(() => toClipboard('a'.repeat(500_001), { inTmux: false })).toThrow('too long for the clipboard');
  });
});

describe('the keys of where one stands', () => {
  it.each([
    [80, 24],
    [40, 12],
    [24, 10],
  ])('can be asked for at %i×%i, everywhere, and none of them is cut', async (columns, rows) => {
    await using terminal = openTerminal(folderOf(workspace), { columns, rows });
    await terminal.see('f1 keys');
    await terminal.press(...'count', sent.enter);
    await terminal.see(/1 row/);
    await terminal.press(sent.escape);
    await terminal.see('? all keys');
    await terminal.press('?');
    await terminal.see('In the cells');
    for (let page = 0; page < 40; page += 1) {
      expect(
        terminal
          .screen()
          .split('\n')
          .slice(1, -1)
          .filter((line) => /\S…$/.test(line)),
      ).toEqual([]);
      await terminal.press(sent.pageDown);
    }
    expect(terminal.screen()).toMatch(/fg\s+resumes/);
    await terminal.press(sent.escape, sent.tab);
    await terminal.see('? all keys');
  });

  it('says that the settings or the model have changed, until they are read again', async () => {
    const folder = folderOf({
      'e.ndjson': fewEvents,
      'sluice.yaml': 'events: e.ndjson\nmodel: model\n',
      'model/a.yaml': 'cubes:\n  - {name: a, sql: select 1 AS n, measures: [{name: rows, type: count}]}\n',
    });
    await using terminal = openTerminal(folder, { columns: 120 });
    await terminal.press(...'a.rows', sent.enter);
    expect(await terminal.see(/1 {2}a\.rows +1 row/)).not.toContain('changed');
    folder.write('sluice.yaml', 'events: e.ndjson\nmodel: model\ntimezone: Asia/Tokyo\n');
    await terminal.press(...'TrackedEvents.count', sent.enter);
    await terminal.see('"sluice.yaml" has changed since sluice read it: `:reconnect` reads it again.');
    await terminal.press(sent.escape, ':', ...'reconnect', sent.enter);
    await terminal.see((screen) => !screen.includes('Opening') && !screen.includes('opening'));
    await terminal.press('r');
    await terminal.see((screen) => /2 {2}TrackedEvents\.count +1 row/.test(screen) && !screen.includes('has changed'));
    folder.write('model/a.yaml', 'cubes:\n  - {name: a, sql: select 1 AS n, measures: [{name: lines, type: count}]}\n');
    await terminal.press('o', ...'a.lines', sent.enter);
    await terminal.see(/model\/a\.yaml" has changed/);
  });

  it('asks everything as of another time, and as of the clock again', async () => {
    const old = fewEvents.replaceAll('2024', '2019');
    const folder = folderOf({ 'e.ndjson': old, 'sluice.yaml': 'events: e.ndjson\n' });
    await using terminal = openTerminal(folder, { columns: 100 });
    await terminal.press(...'users last 7 days', sent.enter);
    await terminal.see(/Unique users +0/);
    expect((await terminal.see('No events in the range')).replaceAll(/\s+/g, ' ')).toContain('use :as-of 2019-03-08');
    await terminal.press(...'count', sent.enter);
    await terminal.see(/2 {2}count +1 row/);
    await terminal.press(sent.escape, ':', ...'as-of 2019-13-08', sent.enter);
    await terminal.see(/2019-13-08.*no/);
    await terminal.press(':', ...'as-of 2019-03-08', sent.enter);
    await terminal.see((screen) => /as of 2019-03-08/.test(screen) && /Unique users +2/.test(screen));
    await terminal.press(':', ...'reconnect', sent.enter);
    await terminal.see((screen) => screen.includes('as of 2019-03-08') && !screen.includes('opening'));
    await terminal.press(':', ...'as-of now', sent.enter);
    await terminal.see((screen) => !screen.includes('as of 2019') && /Unique users +0/.test(screen));
  });
});
