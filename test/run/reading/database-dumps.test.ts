import { describe, expect, it } from 'vitest';
import { openFiles, scratchFolder } from '../ask-sql.ts';

const folder = scratchFolder();
const asked = `SELECT user_id, doc_path, further ->> 'amount' FROM events ORDER BY utc_time`;

async function read(name: string, rows: readonly string[]) {
  const text = ['utcTime\tuser_id\tdocPath\tamount', ...rows].map((row) => `${row}\n`).join('');
  await using files = await openFiles([folder.write(name, text)]);
  await files.session.events!.demandFurther();
  return {
    rows: await files.ask(asked),
    rejected: files.facts().rejected.count,
    notes: await files.session.events!.lacking('SELECT 1'),
  };
}

const time = (index: number) => `2024-03-08T10:0${index}:00Z`;

describe.each([
  ['whole', []],
  ['with a row that is none', ['no time\tx']],
])('a dump of a database, %s,', (name, more) => {
  it('has the tabs, line breaks and backslashes that PostgreSQL escapes', async () => {
    const rows = [
      String.raw`${time(0)}	ann	/a\tb	\N`,
      String.raw`${time(1)}	\N	/c\\td\\\ne	5`,
      String.raw`${time(2)}	bob	\\N	7`,
    ];
    expect(await read(`copy ${name}.tsv`, [...rows, ...more])).toMatchObject({
      rows: [
        ['ann', '/a\tb', null],
        [null, '/c\\td\\\ne', 5],
        ['bob', '\\N', 7],
      ],
      rejected: more.length,
    });
  });

  it('has no value where MySQL writes the word NULL, and a note says so', async () => {
    const rows = [String.raw`${time(0)}	NULL	/a\tb	1`, `${time(1)}	ann	NULL	2`, `${time(2)}	bob	/c	NULL`];
    const { notes, ...found } = await read(`mysql ${name}.tsv`, [...rows, ...more]);
    expect(found).toEqual({
      rows: [
        [null, '/a\tb', 1],
        ['ann', null, 2],
        ['bob', '/c', null],
      ],
      rejected: more.length,
    });
    expect(notes).toContain(`The word NULL in mysql ${name}.tsv is read as no value, as MySQL writes it.`);
  });

  it('is not every file with backslashes', async () => {
    const rows = [String.raw`${time(0)}	ann	C:\new\temp	NULL`, String.raw`${time(1)}	bob	C:\\x\users	2`];
    expect(await read(`paths ${name}.tsv`, [...rows, ...more])).toMatchObject({
      rows: [
        ['ann', String.raw`C:\new\temp`, 'NULL'],
        ['bob', String.raw`C:\\x\users`, 2],
      ],
    });
  });
});

it.each([
  [
    'pg.sql',
    "--\n-- PostgreSQL database dump\n--\n\nSET client_encoding = 'UTF8';\n\nCREATE TABLE public.orders (\n  id integer\n);\n\nCOPY public.orders (id) FROM stdin;\n1\n\\.\n",
    /psql DATABASE -c '\\copy public\.orders to events\.csv csv header'/,
  ],
  [
    'my.sql',
    '-- MySQL dump 10.13\n/*!40101 SET NAMES utf8 */;\nDROP TABLE IF EXISTS `orders`;\nCREATE TABLE `orders` (\n `id` int\n);\nINSERT INTO `orders` VALUES (1);\n',
    /mysql --batch -e 'SELECT \* FROM orders' DATABASE/,
  ],
  ['lite.sql', 'PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE t(a);\n', /sqlite3 -header -csv/],
])('an SQL dump is refused with the command that exports its table: %s', async (name, text, hint) => {
  await expect(openFiles([folder.write(name, text)])).rejects.toMatchObject({
    code: 'format-unsupported',
    message: expect.stringContaining('is an SQL dump') as string,
    hint: expect.stringMatching(hint) as string,
  });
});
