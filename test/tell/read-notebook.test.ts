import { expect, it } from 'vitest';
import { drawIssues } from '../../src/ask/document/draw-issue.ts';
import { readNotebook } from '../../src/tell/notebook/read-notebook.ts';

const issuesOf = (text: string) =>
  readNotebook(text, { file: 'r.md' }).issues.map(
    ({ code, span, severity }) => `${span?.line}:${span?.column} ${code}${severity === 'warning' ? ' (warning)' : ''}`,
  );

it.each<[string, string, string[]]>([
  ['unclosed front matter', '---\ntitle: x\n\nWords.\n', ['1:1 unclosed-front-matter']],
  ['an unknown key of the front matter', '---\ntitel: x\n---\n', ['2:1 unknown-key']],
  ['an unknown type of parameter', '---\nparams:\n  m: {type: mnoth}\n---\n', ['3:13 unknown-value']],
  [
    'a default of the wrong type',
    '---\nparams:\n  m: {type: month, default: last 2 months}\n---\n',
    ['3:29 invalid-param'],
  ],
  ['a choice without options', '---\nparams:\n  m: {type: choice}\n---\n', ['3:6 missing-key']],
  [
    'a default that is not among the options',
    '---\nparams:\n  m: {type: choice, options: [a], default: b}\n---\n',
    ['3:44 invalid-param'],
  ],
  ['an unknown zone', '---\ntimezone: Berlin\n---\n', ['2:11 unknown-zone']],
  ['a cell with two queries', '```query\nfrom: a\nquery: {measures: [A.b]}\n```\n', ['2:1 one-question']],
  ['an empty cell', 'Words.\n\n```query\n```\n', ['3:1 empty-document']],
  ['an unclosed cell', '```query\nfrom: a\n', ['1:1 unclosed-cell']],
  ['broken YAML, in its place', 'Words.\n\n```query\nfrom: a\nfrom: b\n```\n', ['5:1 duplicate-key']],
  [
    'a mistake within a query, at its place',
    '\n```query\nquery:\n  mesures: [A.b]\n```\n',
    ['4:3 unknown-key', '4:3 nothing-asked'],
  ],
  [
    'a parameter without quotes',
    '---\nparams: {m: {type: month}}\n---\n```query\nfrom: a\nrange: {{ m }}\n```\n',
    ['6:8 param-unquoted'],
  ],
  [
    'an unknown parameter',
    '---\nparams: {month: {type: month}}\n---\n```query\nfrom: a\nrange: "{{ mnoth }}"\n```\n',
    ['6:8 unknown-param'],
  ],
  ['an unknown parameter in the title', '---\ntitle: "{{ month }}"\n---\n', ['2:8 unknown-param']],
  ['two cells of one name', '```query\nname: a\nfrom: a\n```\n\n```query\nname: a\nfrom: b\n```\n', ['7:7 name-taken']],
  [
    'a cell called like a parameter',
    '---\nparams: {a: {type: text}}\n---\n```query\nname: a\nfrom: a\n```\n',
    ['5:7 name-taken'],
  ],
  [
    'a quote of an unknown cell',
    'There were {{ pags.total }} of them.\n\n```query\nname: pages\nfrom: a\n```\n',
    ['1:12 unknown-figure'],
  ],
  ['an invalid quote', 'There were {{ 1 + 1 }} of them.\n', ['1:12 unreadable-figure']],
  ['an unknown filter', '{{ report.title | upper }}\n', ['1:1 unknown-filter']],
  [
    'a check of an unknown cell',
    '```check\nexpect:\n  - {figure: pages.total, atLeast: 1}\n```\n',
    ['3:14 unknown-figure'],
  ],
  [
    'a check that expects nothing',
    '```query\nname: p\nfrom: a\n```\n```check\nexpect:\n  - {figure: p.total}\n```\n',
    ['7:5 no-bound'],
  ],
  ['a probable typo of a cell', '```qurey\nfrom: a\n```\n', ['1:4 no-cell (warning)']],
  [
    'all of them at once',
    '---\ntitel: x\n---\n\n{{ nothing }}\n\n```query\n```\n',
    ['2:1 unknown-key', '5:1 unknown-figure', '7:1 empty-document'],
  ],
])('reports %s', (_, text, issues) => {
  expect(issuesOf(text)).toEqual(issues);
});

it.each([
  ['code', 'Write `{{ nothing }}` or\n\n    {{ nothing }}\n\n```js\n{{ nothing }}\n```\n'],
  ['escaped braces', 'Write \\{{ nothing }}.\n'],
  ['the address of a link', '[a](http://x/{{nothing}})\n'],
  ['other languages', '```jquery\n$("a")\n```\n'],
])('ignores %s', (_, text) => {
  expect(issuesOf(text)).toEqual([]);
});

it('draws an issue in its place, with the suggested name', () => {
  const { issues, source, file } = readNotebook(
    '---\nparams: {month: {type: month}}\n---\n\n```query\nfrom: a\nrange: "{{ mnoth }}"\n```\n',
    { file: 'reports/a.md' },
  );
  expect(drawIssues(issues, { source, file })).toBe(
    [
      'reports/a.md:7:8  error  There is no parameter "mnoth".',
      '  range: "{{ mnoth }}"',
      '         ^^^^^^^^^^^^^',
      '  hint: Did you mean "month"?',
    ].join('\n'),
  );
});

it('finds the parts of a cell by their paths', () => {
  const read = readNotebook('Words.\n\n```query\nquery:\n  measures: [A.b, A.c]\n```\n');
  expect(read.locate(['blocks', 1, 'query', 'measures', 1])).toMatchObject({ line: 5, column: 19 });
  expect(read.locate(['blocks', 0])).toMatchObject({ line: 1, column: 1 });
});
