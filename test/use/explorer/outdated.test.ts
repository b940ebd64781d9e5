import { describe, expect, it } from 'vitest';
import { fewEvents, folderOf } from '../run-in-folder.ts';
import { openTerminal, sent } from './terminal.ts';

const later = `${fewEvents.trimEnd().split('\n').at(-1)?.replace('2024-03-0', '2024-02-0') ?? ''}\n`;
const workspace = { 'events/a.ndjson': fewEvents, 'sluice.yaml': 'events: events/*.ndjson\n' };
const report = '---\ntitle: All\n---\n\nThere were {{ all.count }}.\n\n```query\nname: all\nquery: count\n```\n';

describe('answers of older data', () => {
  it('say so once a later answer is of newer data, until they are asked again', async () => {
    const folder = folderOf(workspace);
    await using terminal = openTerminal(folder);
    await terminal.press(...'count', sent.enter);
    await terminal.see(/1 {2}count +1 row/);
    await terminal.press(...'pageViewsCount', sent.enter);
    const same = await terminal.see(/2 {2}pageViewsCount +1 row/);
    expect(same).not.toMatch(/outdated|changed/);

    folder.write('events/b.ndjson', later);
    await terminal.press(...'uniqueUsersCount', sent.enter);
    const screen = await terminal.see(/3 {2}uniqueUsersCount +1 row/);
    expect(screen).toMatch(/1 {2}count +outdated {2}1 row/);
    expect(screen).toMatch(/2 {2}pageViewsCount +outdated {2}1 row/);
    expect(screen).toContain('The data has changed. `:run-all` asks all cells again.');

    await terminal.press(...':run-all', sent.enter);
    const again = await terminal.see((text) => /Events +6/.test(text) && !text.includes('stops'));
    expect(again).not.toMatch(/outdated|changed/);
  });

  it('keep the sign if their table is pivoted', async () => {
    const folder = folderOf(workspace);
    await using terminal = openTerminal(folder);
    await terminal.press(...'count by eventType, docPath', sent.enter);
    await terminal.see(/1 {2}count by eventType, docPath +\d rows/);
    folder.write('events/b.ndjson', later);
    await terminal.press(...'count', sent.enter);
    await terminal.see(/1 {2}count by eventType, docPath +outdated/);
    await terminal.press(sent.escape, sent.up, sent.tab, 'p');
    await terminal.see(/link_click +pageview/);
    await terminal.press(sent.escape);
    await terminal.see(/1 {2}count by eventType, docPath +outdated/);
  });

  it('say so to a screen reader', async () => {
    const folder = folderOf(workspace);
    await using terminal = openTerminal(folder, { spoken: true });
    await terminal.press(...'count', sent.enter);
    await terminal.see('Answer: 1 row.');
    folder.write('events/b.ndjson', later);
    await terminal.press(...'pageViewsCount', sent.enter);
    await terminal.see(/Answer: 1 row[^]*Answer: 1 row/);
    await terminal.press(sent.escape, sent.up);
    await terminal.see('Outdated: the data has changed since.');
  });

  it('have the sign in an opened report, too', async () => {
    const folder = folderOf({ ...workspace, 'reports/all.md': report });
    await using terminal = openTerminal(folder, { notebook: 'all' });
    await terminal.see('There were 5.');
    folder.write('events/b.ndjson', later);
    await terminal.press(sent.escape, ...'pageViewsCount', sent.enter);
    await terminal.see(/There were 5\./);
    await terminal.see(/pageViewsCount +1 row/);
    await terminal.see(/outdated[^]*There were 5\./);
  });
});

describe('changed settings', () => {
  it('are told of when an opened report is answered', async () => {
    const folder = folderOf({ ...workspace, 'reports/all.md': report });
    await using terminal = openTerminal(folder, { notebook: 'all' });
    await terminal.see('There were 5.');
    folder.write('sluice.yaml', 'events: events/*.ndjson\ntimezone: Europe/Berlin\n');
    await terminal.press(...':run-all', sent.enter);
    await terminal.see('"sluice.yaml" has changed since sluice read it');
  });
});
