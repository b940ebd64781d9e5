import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../../src/ask/sluice-error.ts';
import { inlineStyles } from '../../../src/tell/report/email-style.ts';
import type { Report } from '../../../src/tell/report/report.ts';
import { findFonts } from '../../../src/use/output/fonts.ts';
import { type Envelope, readEnvelope } from '../../../src/use/report/envelope.ts';
import { writeEml } from '../../../src/use/report/write-eml.ts';
import { exampleResult, hostileTexts, numberColumn, textColumn } from '../../show/example-result.ts';
import { attack, cellOf, days, everything, proseOf, reportOf } from '../../tell/report/specimen-reports.ts';

const write = (report: Report, envelope?: Envelope) => writeEml(report, findFonts(), envelope);
const read = async (report: Report, envelope?: Envelope) => PostalMime.parse(await write(report, envelope));
const small = reportOf(
  [
    proseOf('# Visits\n\nThere were **2,943** visits, see [here](https://example.org).\n'),
    cellOf([{ kind: 'chart', result: days, preference: 'line', annotations: [] }], { title: 'A day' }),
  ],
  { title: 'Visits: März' },
);

describe('the rows of an email', () => {
  it('are attached as CSV and Parquet, each answer once, and to the same bytes', async () => {
    const twice = reportOf([
      cellOf(
        [
          { kind: 'chart', result: days, preference: 'line', annotations: [] },
          { kind: 'table', result: days },
        ],
        { title: 'A day / =1+1' },
      ),
      cellOf([{ kind: 'table', result: days }], { title: 'A day / =1+1' }),
    ]);
    const mail = await read(twice, { attach: ['csv', 'parquet'] });
    const files = mail.attachments.filter(({ disposition }) => disposition === 'attachment');
    expect(files.map(({ filename }) => filename)).toEqual([
      'A-day-1-1.csv',
      'A-day-1-1.parquet',
      'A-day-1-1-2.csv',
      'A-day-1-1-2.parquet',
    ]);
    const text = new TextDecoder().decode(files[0]?.content as ArrayBuffer);
    expect(text.trim().split('\n')).toHaveLength(days.rowCount + 1);
    expect(new TextDecoder().decode((files[1]?.content ?? new ArrayBuffer(0)) as ArrayBuffer).slice(0, 4)).toBe('PAR1');
    expect(await write(twice, { attach: ['csv', 'parquet'] })).toEqual(
      await write(twice, { attach: ['csv', 'parquet'] }),
    );
    expect((await read(twice)).attachments.filter(({ disposition }) => disposition === 'attachment')).toEqual([]);
  });
});

describe('a report as an email', () => {
  it('has a sender, who it is for, a subject, the date of the report, and two forms of its text', async () => {
    const mail = await read(small, {
      from: 'Reports <reports@example.org>',
      to: ['a@example.org', 'Bö <b@example.org>, c@example.org'],
    });
    expect(mail).toMatchObject({
      subject: 'Visits: März',
      date: '2024-03-10T12:00:00.000Z',
      from: { name: 'Reports', address: 'reports@example.org' },
      to: [{ address: 'a@example.org' }, { name: 'Bö', address: 'b@example.org' }, { address: 'c@example.org' }],
    });
    expect(mail.messageId).toMatch(/^<[0-9a-f]{32}@example\.org>$/);
    expect(mail.text).toMatch(/^Visits\n======\n\nThere were 2,943 visits, see here <https:\/\/example\.org>\.\n/);
    expect(mail.text).toMatch(/Day +Visits/);
    expect(mail.html).toContain('<strong>2,943</strong>');
    expect(String(new TextDecoder().decode(await write(small)).split('\r\n\r\n')[0])).toContain(
      'Content-Type: multipart/alternative',
    );
  });

  it('leaves out what it does not know, and takes another subject', async () => {
    const mail = await read(small, { subject: 'Other' });
    expect([mail.subject, mail.from, mail.to ?? []]).toEqual(['Other', undefined, []]);
    expect(mail.messageId).toMatch(/@sluice\.invalid>$/);
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
  });

  it('carries each of its pictures once, within it, and shows them all', async () => {
    const mail = await read(
      reportOf([
        ...small.blocks,
        cellOf([{ kind: 'chart', result: days, preference: 'line', annotations: [] }], { title: 'A day' }),
      ]),
    );
    expect(mail.attachments).toHaveLength(1);
    const [{ contentId, mimeType, disposition, content }] = mail.attachments as [(typeof mail.attachments)[number]];
    expect([mimeType, disposition]).toEqual(['image/png', 'inline']);
    expect([...new Uint8Array(content as ArrayBuffer).subarray(1, 4)]).toEqual([...new TextEncoder().encode('PNG')]);
    const sources = [...(mail.html ?? '').matchAll(/<img [^>]*src="([^"]*)"[^>]* alt="([^"]+)"/g)];
    expect(sources.map(([, source]) => source)).toEqual(
      Array.from({ length: 2 }, () => `cid:${contentId?.slice(1, -1)}`),
    );
    expect(sources[0]?.[2]).toMatch(/^Line chart: A day/);
  });

  it('needs no style sheet, no script and nothing from elsewhere', async () => {
    for (const report of [everything, attack]) {
      const { html = '' } = await read(report);
      const tags = html.match(/<[a-z][^>]*>/gi) ?? [];
      expect(
        tags.filter((tag) =>
          /^<(?:script|style|link|iframe|object|embed|base|form|svg|input)\b|\s(?:on\w+|class)=|src="(?!cid:)/i.test(
            tag,
          ),
        ),
      ).toEqual([]);
      expect(tags.filter((tag) => /href=/.test(tag) && !/href="(?:#|https:\/\/example\.org")/.test(tag))).toEqual([]);
    }
  });

  it('says where its figures come from and what failed, in both of its forms', async () => {
    const { text = '', html = '' } = await read(everything);
    for (const form of [text, html.replaceAll('&gt;', '>').replaceAll('&lt;', '<')]) {
      for (const words of [
        '2024-03-07 to 2024-03-10, not over yet · Europe/Berlin · from events.ndjson (embedded)',
        '7 events without a user are not counted.',
        'Limit of 12 rows reached',
        'Project 7 could not be counted.',
        'It did not answer.',
        'partial',
        'b is at least 1: It is 0. It is a busy site.',
        'Month: 2024-03',
      ])
        expect(form).toContain(words);
    }
  });

  it('is small enough for Gmail, which hides the end of large emails, and says what it leaves out', async () => {
    const paths = Array.from({ length: 210 }, (_, index) => `/path/${index}`);
    const long = exampleResult([
      [textColumn('path', 'Path'), paths],
      [numberColumn('count', 'Count'), paths.map((_, index) => index)],
    ]);
    const mailOf = (tables: number) =>
      read(reportOf(Array.from({ length: tables }, () => cellOf([{ kind: 'table', result: long }]))));
    const [one, many] = [await mailOf(1), await mailOf(8)];
    expect(one.html).toContain('The first 200 of 210 rows.');
    expect(many.html).toMatch(/The first (?:25|50) of 210 rows\./);
    expect(Buffer.byteLength(many.html ?? '')).toBeLessThan(102 * 1024);
    expect(many.text?.match(/\/path\/209/g)).toHaveLength(8);
  });

  it('has lines as mail has them, and nothing but ASCII', async () => {
    const bytes = await write(attack, { from: 'a@example.org' });
    const text = new TextDecoder('latin1').decode(bytes);
    expect(text).toMatch(/^[\x20-\x7e\r\n]*$/);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(Math.max(...text.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998);
  });

  it('takes no header from a title, whatever it holds', async () => {
    for (const title of [...hostileTexts, 'Hello\r\nBcc: all@example.org', 'a\nContent-Type: text/html\n\n<b>']) {
      const mail = await read(reportOf([], { title }));
      expect(mail.headers.map(({ key }) => key).sort()).toEqual([
        'auto-submitted',
        'content-type',
        'date',
        'message-id',
        'mime-version',
        'subject',
      ]);
    }
  });

  it.each<Envelope>([
    { from: 'a@example.org\r\nBcc: b@example.org' },
    { from: 'a@example.org, b@example.org' },
    { from: 'nobody' },
    { from: '' },
    { to: ['a@example.org', 'b@'] },
    { to: ['a@example.org\nX: y'] },
    { to: ['<script>@example.org'] },
    { subject: 'a\nBcc: b@example.org' },
    { subject: ' ' },
  ])('refuses %j', (envelope) => {
    expect(() => readEnvelope(envelope)).toThrow(InvalidInputError);
  });

  it('is the same to the byte every time, and another one has another number', async () => {
    const [one, same, other] = [await write(small), await write(small), await write(small, { to: ['a@example.org'] })];
    expect(same).toEqual(one);
    expect((await PostalMime.parse(other)).messageId).not.toBe((await PostalMime.parse(one)).messageId);
  });
});

it('styles go into each element, by tag and class, and nothing else is lost', () => {
  expect(
    inlineStyles('<p class="a b">x<br></p><td class="a" colspan="2"><img src="cid:x"/>', {
      p: 'm:0',
      '.a': 'c:1',
      'td.a': 'd:2',
      img: 'w:1',
    }),
  ).toBe('<p style="m:0;c:1">x<br></p><td colspan="2" style="c:1;d:2"><img src="cid:x" style="w:1"/>');
  expect(inlineStyles('<p class="a">', { p: 'm:0;n:1', '.a': 'm:2' })).toBe('<p style="m:2;n:1">');
});
