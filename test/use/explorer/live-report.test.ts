import { readFileSync, writeFileSync, chmodSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fewEvents, type Folder, folderOf } from '../run-in-folder.ts';
import { openTerminal, sent } from './terminal.ts';

const report = `---
title: Visits
params:
  month: {type: month, default: 2024-03}
---

# Visits in {{ month }}

There were {{ visits.pageViewsCount | number }} page views.

\`\`\`compare
name: visits
query: {measures: [TrackedEvents.pageViewsCount]}
range: "{{ month }}"
\`\`\`

\`\`\`query
query: {measures: [TrackedEvents.count], dimensions: [TrackedEvents.eventType]}
\`\`\`

\`\`\`query
query: {measures: [TrackedEvents.count]}
labels: {count: Hits}
\`\`\`

\`\`\`check
expect:
  - {figure: visits.pageViewsCount, atLeast: 4}
\`\`\`
`;
const workspace = { 'e.ndjson': fewEvents, 'sluice.yaml': 'events: e.ndjson\n', 'reports/visits.md': report };
const size = { columns: 100, rows: 48 };

/** An editor that runs these shell commands on the file. */
function editorOf(folder: Pick<Folder, 'write'>, words: string): string {
  const editor = folder.write('edit.sh', `#!/bin/sh\n${words}\n`);
  chmodSync(editor, 0o755);
  return editor;
}

describe('a report in the explorer', () => {
  it('opens answered, with the figures of `report run`, and its parameters can be set', async () => {
    const folder = folderOf(workspace);
    await using terminal = openTerminal(folder, { ...size, notebook: 'visits' });
    await terminal.see('Visits in March 2024');
    // Cells are answered in no fixed order.
    for (const answer of [/pageview +4/, 'Hits: 5']) await terminal.see(answer);
    const screen = await terminal.see(/passed: visits\.pageViewsCount is at least 4/);
    const { stdout } = await folder.sluice(['report', 'run', 'visits', '-f', 'json']);
    const { blocks } = JSON.parse(stdout) as { blocks: { checks?: { finding: string }[]; markdown?: string }[] };
    const said = blocks.find(({ markdown }) => markdown?.includes('There were'))?.markdown ?? '';
    const sentence = /There were .* page views\./.exec(said)?.[0] ?? 'none';
    expect(screen).toContain(sentence);
    expect(screen).toContain(blocks.find(({ checks }) => checks)?.checks?.[0]?.finding ?? 'none');
    expect(screen).toContain('month=2024-03');
    expect(screen).toMatch(/pageview +4/);
    expect(screen).toContain('Hits: 5');
    expect(screen).not.toContain('{{');
    expect(screen).not.toContain('```');

    await terminal.press(...':set month=2024-02', sent.enter);
    await terminal.see('Visits in February 2024');
    await terminal.see('There were 0 page views.');
    const earlier = await terminal.see(/failed: visits\.pageViewsCount is at least 4/);
    expect(earlier).toContain('There were 0 page views.');
    expect(earlier).toContain('month=2024-02');
    // The same by one key, editing the current value.
    await terminal.press('P');
    await terminal.see('month = 2024-02');
    await terminal.press(sent.backspace, '3', sent.enter);
    await terminal.see('Visits in March 2024');
    await terminal.see(/passed: visits\.pageViewsCount is at least 4/);
    await terminal.press(...':set mont=2024-02', sent.enter);
    await terminal.see('There is no parameter "mont". The report has month.');
    await terminal.press(...':set month=never', sent.enter);
    await terminal.see(/"never" is not|is not a valid|not a month/);
    // Nothing was written.
    expect(readFileSync(path.join(folder.root, 'reports/visits.md'), 'utf8')).toBe(report);
  });

  it('answers the text as it is on the screen, also before it is saved', async () => {
    const folder = folderOf(workspace);
    const editor = editorOf(folder, 'sed -i "s/There were/We counted/" "$1"');
    await using terminal = openTerminal(folder, { ...size, notebook: 'visits', env: { EDITOR: editor } });
    await terminal.see(/There were 4 page views/);
    await terminal.press('e');
    await terminal.see('We counted 4 page views.');
    expect(await terminal.see('(not saved)')).not.toContain('There were');
    await terminal.press('u');
    await terminal.see('There were 4 page views.');
    await terminal.press('e');
    await terminal.see('We counted');
    await terminal.press('s');
    await terminal.see('Saved as reports/visits.md.');
    expect(readFileSync(path.join(folder.root, 'reports/visits.md'), 'utf8')).toBe(
      report.replace('There were', 'We counted'),
    );
  });

  it('keeps texts apart that follow each other, also when it is opened again', async () => {
    const folder = folderOf(workspace);
    const file = path.join(folder.root, 'reports/visits.md');
    await using terminal = openTerminal(folder, { ...size, notebook: 'visits' });
    await terminal.see(/There were 4 page views/);
    await terminal.press('m', ...'- a list', sent.escape, 'm', ...'  going on?', sent.escape, 's');
    await terminal.see('Saved as reports/visits.md.');
    const saved = readFileSync(file, 'utf8');
    expect(saved).toContain('page views.\n\n<!-- -->\n\n- a list\n\n<!-- -->\n\n  going on?\n');
    const { stdout } = await folder.sluice(['report', 'run', 'visits', '-f', 'html']);
    expect(stdout).toMatch(/<li>a list<\/li>\n<\/ul>\s*<p>going on\?<\/p>/);
    await using again = openTerminal(folder, { ...size, notebook: 'visits' });
    await again.see(/passed: visits\.pageViewsCount is at least 4/);
    expect(again.screen()).not.toContain('<!--');
    await again.press('d', sent.enter, 's');
    await again.see('Saved as reports/visits.md.');
    // Only the first text was deleted.
    expect(readFileSync(file, 'utf8')).not.toContain('There were');
    expect(readFileSync(file, 'utf8')).toContain('- a list\n\n<!-- -->\n\n  going on?\n');
    await again.press('u', 's');
    await again.see('There were 4 page views');
  });

  it('shows the rows of a question that depends on parameters, and keeps the question as it is written', async () => {
    const block = '```query\nname: days\nquery: count by day, eventType\nrange: "{{ month }}"\nchart: line\n```\n';
    const text = `---\ntitle: Days\nparams:\n  month: {type: month, default: 2024-03}\n---\n\nWords.\n\n${block}`;
    const folder = folderOf({ ...workspace, 'reports/days.md': text });
    await using terminal = openTerminal(folder, { ...size, notebook: 'days' });
    await terminal.see(/query days[^]*2024-03-06/);
    expect(terminal.screen()).toMatch(/cells {3}enter ask {2}o new/);
    await terminal.press(sent.tab);
    await terminal.see('This block has no rows to look at');
    await terminal.press('j', 't');
    await terminal.see('The report decides what this block shows');
    expect(terminal.screen()).toMatch(/tab look {2}o new {2}i edit {2}m text {2}P/);
    await terminal.press(sent.tab);
    await terminal.see(/row 1 of \d+/);
    await terminal.press('/', ...'Events > 2', sent.enter);
    await terminal.see(/row 1 of 1\b/);
    await terminal.press('Q');
    await terminal.see(/3 {2}count by day, eventType 2024-03 where count > 2 +1 row/);
    await terminal.press('k', sent.tab);
    await terminal.see(/row 1 of 1\b/);
    await terminal.press('o', ...'hour of', sent.enter);
    await terminal.see(/3 {2}count by hourOfDay from 2024-03-06 to 2024-03-06 /);
    await terminal.press('k', ...':export csv rows.csv', sent.enter);
    await terminal.see('Exported 1 row');
    await terminal.press('s');
    await terminal.see('Saved as reports/days.md.');
    expect(readFileSync(path.join(folder.root, 'reports/days.md'), 'utf8')).toContain(`Words.\n\n${block}`);
  });

  it('shows a text of an editor that would take in the cells below, to be ended', async () => {
    const folder = folderOf(workspace);
    const editor = editorOf(folder, 'printf "\\nWords.\\n\\n\\`\\`\\`\\nno end\\n" > "$1"');
    await using terminal = openTerminal(folder, { ...size, notebook: 'visits', env: { EDITOR: editor } });
    await terminal.see(/There were 4 page views/);
    await terminal.press('e');
    const screen = await terminal.see('has no end: it would take in the cells below');
    expect(screen).toContain('no end');
    await terminal.press(sent.enter, ...'```', sent.escape);
    await terminal.see('(not saved)');
    await terminal.press('s');
    await terminal.see('Saved as reports/visits.md.');
    expect(readFileSync(path.join(folder.root, 'reports/visits.md'), 'utf8')).toContain(
      'Words.\n\n```\nno end\n```\n\n```compare\n',
    );
  });

  it('asks the backend that the report names, as `report run` does', async () => {
    const elsewhere = report.replace('title: Visits', 'title: Visits\nbackend: platform');
    const folder = folderOf({ ...workspace, 'reports/visits.md': elsewhere });
    const { code } = await folder.sluice(['report', 'run', 'visits', '-f', 'md']);
    expect(code).not.toBe(0);
    await using terminal = openTerminal(folder, { ...size, notebook: 'visits' });
    expect(await terminal.see(/platform/)).not.toContain('There were 4 page views');
  });

  it('says where a report is wrong, and goes on when it is mended', async () => {
    const folder = folderOf({ ...workspace, 'reports/wrong.md': report.replace('{{ visits.page', '{{ visit.page') });
    await using terminal = openTerminal(folder, { ...size, notebook: 'wrong' });
    const screen = await terminal.see(/reports\/wrong\.md:9:12 /);
    expect(screen).toContain('{{ visit.pageViewsCount | number }}');
    expect(screen).toContain('Did you mean "visits"?');
    await terminal.press(sent.escape);
    writeFileSync(path.join(folder.root, 'reports/wrong.md'), report);
    await terminal.press(...':open wrong', sent.enter);
    await terminal.see('There were 4 page views.');
  });

  it('has no cells of blank lines, and is another report under another name', async () => {
    const folder = folderOf({
      ...workspace,
      'reports/blank.md':
        '---\ntitle: Old title\n---\n\n\n```query\nquery: {measures: [TrackedEvents.count]}\n```\n\n\n```query\nquery: {measures: [TrackedEvents.uniqueUsersCount]}\n```\n\nThere is prose.\n',
    });
    await using terminal = openTerminal(folder, { ...size, notebook: 'blank' });
    await terminal.see(/2 {2}uniqueUsersCount .*1 row/);
    expect(await terminal.see('There is prose.')).toMatch(/^ *› 1 {2}count/m);
    await terminal.press(':', ...'save other', sent.enter);
    await terminal.see('Saved as reports/other.md.');
    const before = readFileSync(path.join(folder.root, 'reports', 'blank.md'), 'utf8');
    expect(readFileSync(path.join(folder.root, 'reports', 'other.md'), 'utf8')).toBe(
      before.replace('Old title', 'other'),
    );
  });

  it('offers the value that exists where a filter names one in other letters', async () => {
    await using terminal = openTerminal(folderOf(workspace), size);
    await terminal.press(...'count by eventType where eventType = Pageview', sent.enter);
    await terminal.see('eventType has no value "Pageview". Did you mean "pageview"?');
  });

  it('draws the dated marks of the report on its charts', async () => {
    const folder = folderOf({
      ...workspace,
      'reports/marks.md':
        '---\ntitle: Marks\n---\n\n```annotations\nmarks:\n  - {date: 2024-03-06, title: Launch}\n```\n\n```query\nshow: chart\nquery: {measures: [TrackedEvents.count], timeDimensions: [{dimension: TrackedEvents.utcTime, granularity: day, dateRange: [2024-03-01, 2024-03-08]}]}\n```\n',
    });
    await using terminal = openTerminal(folder, { ...size, notebook: 'marks' });
    await terminal.see(/Launch/);
  });

  it('saves what is seen: the filter and the order of the rows, or says what it cannot', async () => {
    const folder = folderOf(workspace);
    await using terminal = openTerminal(folder, size);
    await terminal.press(...'count by docPath, eventType', sent.enter);
    await terminal.see(/3 rows/);
    await terminal.press(sent.escape, sent.tab, ...'/event type = pageview', sent.enter);
    await terminal.see(/filter: event type = pageview/);
    await terminal.press(sent.right, sent.right, 's', ...':save seen', sent.enter);
    await terminal.see('Saved as reports/seen.md.');
    const screen = await terminal.see(/count by docPath, eventType where eventType = pageview order by count .*2 rows/);
    expect(screen).not.toContain('link_click');
    expect(readFileSync(path.join(folder.root, 'reports', 'seen.md'), 'utf8')).toContain('where eventType = pageview');
    await terminal.press(sent.escape, sent.tab, ...'/docs', sent.enter);
    await terminal.see(/filter: docs/);
    await terminal.press('\u0013');
    await terminal.see(/Not saved: the filter or order of rows\. Cell 1:/);
  });

  it('takes Markdown that is written here, moves and changes it, and saves and opens it exactly so', async () => {
    const folder = folderOf(workspace);
    const saved = () => readFileSync(path.join(folder.root, 'reports', 'told.md'), 'utf8');
    {
      await using terminal = openTerminal(folder, size);
      await terminal.press(...'count by eventType', sent.enter);
      await terminal.see(/pageview +4/);
      await terminal.press(sent.escape, 'm', ...'## What it says', sent.enter, sent.enter, ...'```', sent.escape);
      await terminal.see('A code block or a comment has no end');
      await terminal.press(sent.backspace, sent.backspace, sent.backspace, ...'Ann *asks*, q ? : it', sent.escape);
      expect(await terminal.see('Ann *asks*, q ? : it')).toMatch(/1 {2}count[^]*## What it says\n\n +Ann/);
      await terminal.press('K', 'u', 'U');
      await terminal.see(/## What it says[^]*2 {2}count/);
      await terminal.press(':', ...'save told', sent.enter);
      await terminal.see('Saved as reports/told.md.');
      expect(saved()).toMatch(/^---\ntitle: told\n---\n\n?## What it says\n\nAnn \*asks\*, q \? : it\n\n```query\n/);
      // A paste keeps its lines; ctrl-s accepts and saves.
      await terminal.press('g', 'i', sent.enter, '\u001b[200~- **one**\r\n- two\u001b[201~', '\u0013');
      await terminal.see('Saved as reports/told.md.');
      expect(saved()).toContain('Ann *asks*, q ? : it\n- **one**\n- two\n\n```query');
    }
    await using terminal = openTerminal(folder, { ...size, notebook: 'told' });
    const before = saved();
    await terminal.see(/What it says[^]*two[^]*2 {2}count by eventType/);
    expect(terminal.screen()).not.toContain('not saved');
    await terminal.press('g', 'i', sent.escape);
    await terminal.see('Nothing was changed.');
    await terminal.press('\u0013');
    await terminal.see('Saved as reports/told.md.');
    expect(saved()).toBe(before);
  });

  it('keeps the name of a cell and its alert when its question is changed', async () => {
    const folder = folderOf({
      ...workspace,
      'reports/watched.md':
        '---\ntitle: Watched\n---\n\n```query\nname: views\nalert: {when: "count < 1", because: Ask ops.}\nquery: {measures: [TrackedEvents.count]}\n```\n\nThere were {{ views.count }}.\n',
    });
    await using terminal = openTerminal(folder, { ...size, notebook: 'watched' });
    await terminal.see('There were 5.');
    await terminal.press('g', 'i');
    await terminal.see(/edit 1\? count/);
    await terminal.press(...' where eventType = pageview', sent.enter);
    await terminal.see(/count where eventType = pageview/);
    await terminal.press('\u0013');
    await terminal.see('Saved');
    const saved = readFileSync(path.join(folder.root, 'reports', 'watched.md'), 'utf8');
    expect(saved).toContain('name: views');
    expect(saved).toContain('because: Ask ops.');
    expect(saved).toContain('count where eventType = pageview');
    expect((await folder.sluice(['report', 'run', 'watched', '-f', 'md'])).stdout).toContain('There were 4.');
  });

  it('gives questions titles and names, which stay with them, and can be undone', async () => {
    const folder = folderOf(workspace);
    const file = path.join(folder.root, 'reports/named.md');
    await using terminal = openTerminal(folder, size);
    await terminal.press(...'count by eventType', sent.enter);
    await terminal.see(/pageview +4/);
    await terminal.press(sent.escape, ...':title Kinds of *events*', sent.enter);
    await terminal.see(/1 {2}Kinds of \*events\* {2}count by eventType +2 rows/);
    await terminal.press(...':name kinds of', sent.enter);
    await terminal.see('"kinds of" is not a valid cell name.');
    await terminal.press(...':name kinds', sent.enter);
    await terminal.see('{{ kinds.MEASURE }}');
    await terminal.press(...':save named', sent.enter);
    await terminal.see('Saved as reports/named.md.');
    expect(readFileSync(file, 'utf8')).toMatch(/^title: Kinds of \*events\*\nname: kinds\n|^name: kinds\ntitle: /m);
    const { stdout } = await folder.sluice(['report', 'run', 'named', '-f', 'md']);
    expect(stdout).toContain('Kinds of');
    await using again = openTerminal(folder, { ...size, notebook: 'named' });
    await again.see(/1 {2}Kinds of \*events\* {2}count by eventType +2 rows/);
    // Changing the question keeps both.
    await again.press('i', ...' top 1', sent.enter);
    await again.see(/1 {2}Kinds of \*events\* {2}count by eventType top 1 +1 row/);
    await again.press('s');
    await again.see('Saved as reports/named.md.');
    expect(readFileSync(file, 'utf8')).toMatch(/name: kinds/);
    await again.press('u', ...':title', sent.enter);
    await again.see('Specify a title');
    await terminal.press('u', 'u');
    await terminal.see(/1 {2}count by eventType +2 rows/);
  });

  it('saves a pivot as part of its cell, opens it again so, and `report run` shows the same table', async () => {
    const folder = folderOf(workspace);
    const turned =
      /Page +Events \(?link_click\)? +Events \(?pageview\)?|Page .*(?:pageview|link_click).*(?:pageview|link_click)/;
    {
      await using terminal = openTerminal(folder, size);
      await terminal.press(...'count by docPath, eventType', sent.enter);
      await terminal.see(/3 rows/);
      await terminal.press(sent.escape, sent.tab, sent.right, 'p');
      await terminal.see(turned);
      await terminal.press(sent.escape, 'u');
      await terminal.see(/3 rows/);
      await terminal.press('U');
      await terminal.see(/2 rows/);
      await terminal.press(...':save turned', sent.enter);
      await terminal.see('Saved as reports/turned.md.');
    }
    expect(readFileSync(path.join(folder.root, 'reports', 'turned.md'), 'utf8')).toContain(
      'pivot: TrackedEvents.eventType',
    );
    const { stdout } = await folder.sluice(['report', 'run', 'turned', '--events', 'e.ndjson']);
    expect(stdout.split('\n').find((line) => line.startsWith('| Page'))).toMatch(
      /pageview.*link_click|link_click.*pageview/,
    );
    const wrong = readFileSync(path.join(folder.root, 'reports', 'turned.md'), 'utf8');
    folder.write('reports/wrong.md', wrong.replace('pivot: TrackedEvents.eventType', 'pivot: TrackedEvents.osName'));
    for (const verb of ['check', 'run']) {
      const { code, stdout, stderr } = await folder.sluice(['report', verb, 'wrong', '--events', 'e.ndjson']);
      expect([code, stdout + stderr]).toEqual([
        2,
        expect.stringMatching(/wrong\.md:\d+:\d+[^]*"TrackedEvents\.osName" in "pivot" is not a dimension or time/),
      ]);
    }
    await using terminal = openTerminal(folder, { ...size, notebook: 'turned' });
    const screen = await terminal.see(/2 rows/);
    expect(screen).toMatch(turned);
    expect(screen).not.toContain('not saved');
  });
});
