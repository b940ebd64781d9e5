import { describe, expect, it } from 'vitest';
import { looksLikeHeader, readCsvHead } from '../../../../src/run/duckdb/reading/formats/csv-head.ts';

const head = (text: string) => readCsvHead(text, 'events.csv');

describe('the head of a CSV file', () => {
  it.each([
    ['commas', 'a,b,c\n1,2,3\n', { delimiter: ',', header: ['a', 'b', 'c'], before: 0 }],
    ['bars', 'a|b|c\n1|2,5|3\n', { delimiter: '|', header: ['a', 'b', 'c'], before: 0 }],
    ['Excel’s mark', 'sep=;\r\na,b;c\r\n1;2\r\n', { delimiter: ';', header: ['a,b', 'c'], before: 1 }],
    ['a title', 'Export\nof March\n\na,b,c\n1,2,3\n', { delimiter: ',', header: ['a', 'b', 'c'], before: 3 }],
    [
      'a padded title',
      'Signups of March,,\nDate,User,Event\n2024-03-01,ann,x\n',
      { delimiter: ',', header: ['Date', 'User', 'Event'], before: 1 },
    ],
    [
      'a padded word and an empty line',
      'Signups,,\n,,\nDate,User,Event\n2024-03-01,ann,x\n',
      { delimiter: ',', header: ['Date', 'User', 'Event'], before: 2 },
    ],
    ['one name and text', 'a,,\nx,y,z\nu,v,w\n', { delimiter: ',', header: ['a', 'column 2', 'column 3'], before: 0 }],
    [
      'several words and a row',
      'my name,,\n2024-03-01,y,z\nu,v,w\n',
      { delimiter: ',', header: ['my name', 'column 2', 'column 3'], before: 0 },
    ],
    ['comments', '# a, b\n# ---\na;b;c\n1;2;3\n', { delimiter: ';', header: ['a', 'b', 'c'], before: 2 }],
    ['one column alone', 'a\n1\n2\n', { delimiter: ',', header: ['a'], before: 0 }],
    ['a header alone', 'a,b,c', { delimiter: ',', header: ['a', 'b', 'c'], before: 0 }],
    ['cells without names', 'a,,\n1,2,3\n', { delimiter: ',', header: ['a', 'column 2', 'column 3'], before: 0 }],
    ['names with spaces around', 'a, b\n1,2\n', { delimiter: ',', header: ['a', 'b'], before: 0 }],
    ['spaces around all cells', 'a, b\n1, 2\n', { delimiter: ',', header: ['a', 'b'], before: 0, padded: true }],
    ['days', 'page,2024-03-01\n/,17\n', { delimiter: ',', header: ['page', '2024-03-01'], before: 0 }],
  ])('is read: %s', (_, text, expected) => expect(head(text)).toEqual(expected));

  it('is refused if it is an event, with names to put before it', () => {
    const refused = () => head('2024-03-01 10:00:00;u1;/\n2024-03-01 10:01:00;u2;/a\n');
    expect(refused).toThrow('events.csv does not begin with column names: its first line is an event.');
    expect(refused).toThrow(
      expect.objectContaining({
        code: 'header-missing',
        hint: "Write a first line with the names of the columns: `(printf 'time;column_2;column_3\\n'; cat events.csv) > named.csv`.",
      }) as Error,
    );
  });

  it.each([
    ['a time as text beside a number', '12,2024-03-01T10:00:00Z,2014520000\n13,2024-03-01T10:01:00Z,2014520001\n', '1'],
    ['seconds', '196\t242\t881250949\n186\t302\t891717742\n', '2'],
    ['a number of users, too small for a time', '151603712,Skyrim,play\n151603713,Skyrim,play\n', ''],
    ['a number of goods, too large for a time', '4006381333931,play\n4006381333948,play\n', ''],
  ])('names one column as the time: %s', (_, text, index) => {
    let hint = '';
    try {
      head(text);
    } catch (error) {
      hint = String((error as { hint?: string }).hint);
    }
    const names = /printf '(.*)\\n'/.exec(hint)![1]!.split(/,|\\t/);
    expect(names.flatMap((name, at) => (name === 'time' ? [String(at)] : [])).join()).toBe(index);
  });

  it('is refused if its lines end with carriage returns alone', () => {
    expect(() => head('a,b\r1,2\r3,4\r')).toThrow('The lines of events.csv end with carriage returns alone.');
    expect(head('a,b\r').header).toEqual(['a', 'b']);
  });

  it.each([
    ['a;b', true],
    ['Zeitpunkt;Größe', true],
    ['日時|ページ', true],
    ['sep=;', true],
    ['$insert_id\ttime', true],
    ['{"a": 1}', false],
    ['time=2024-03-01 user=u1', false],
  ])('is told from other text: %s', (line, isHeader) => expect(looksLikeHeader(`${line}\n`, 'a.txt')).toBe(isHeader));
});
