import { readdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { toSourcePath } from '../../../src/use/config/settings.ts';
import { writeZip } from '../../run/write-zip.ts';
import { folderOf } from '../run-in-folder.ts';

const rows = Array.from({ length: 300 }, (_, index) => ({
  utcTime: new Date(Date.UTC(2024, 2, 1) + index * 60_000).toISOString(),
  userAnonymousId: `u${index % 7}`,
  docPath: `/p/${index % 5}`,
}));
const ndjson = (from = 0, to = rows.length) =>
  Buffer.from(
    rows
      .slice(from, to)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  );
const csv = Buffer.from(
  `utcTime,userAnonymousId,docPath\n${rows.map((row) => `${row.utcTime},${row.userAnonymousId},${row.docPath}\n`).join('')}`,
);
const model = 'cubes:\n  - name: pages\n    sql_table: pages\n    measures:\n      - {name: count, type: count}\n';

describe('standard input', () => {
  it('gives the answers of the same file, queried, loaded and as a table', async () => {
    for (const [index, content] of [ndjson(), csv, gzipSync(ndjson())].entries()) {
      const folder = folderOf({ 'a.data': content, 'model.yml': model, 'sluice.yaml': 'tables: {}\n' });
      const expected = await folder.sluice(['query', 'count by docPath', '-f', 'csv', '--events', 'a.data']);
      expect(expected.code).toBe(0);
      const stdin = { stdin: content };
      const piped = await folder.sluice(['query', 'count by docPath', '-f', 'csv', '--events', '-'], stdin);
      expect([piped.code, piped.stdout]).toEqual([0, expected.stdout]);
      const taken = await folder.sluice(['ingest', '-', '--store', `s${index}`], stdin);
      expect([taken.code, taken.stderr]).toEqual([0, expect.stringContaining('300 events added')]);
      const again = await folder.sluice(['ingest', '-', '--store', `s${index}`], stdin);
      expect(again.stderr).toContain('stdin was loaded on');
      folder.write('table.yml', 'model: model.yml\ntables: {pages: "-"}\n');
      const table = await folder.sluice(['query', '-m', 'pages.count', '--config', 'table.yml', '-f', 'csv'], stdin);
      expect([table.code, table.stdout]).toEqual([0, expect.stringContaining('300')]);
    }
  });

  it('is called stdin in the report of a rejected line', async () => {
    const folder = folderOf();
    const broken = Buffer.concat([ndjson(0, 4), Buffer.from('{"utc\n'), ndjson(4, 9)]);
    const { code, stderr } = await folder.sluice(['query', 'count', '--events', '-'], { stdin: broken });
    expect([code, stderr]).toEqual([5, expect.stringMatching(/^stdin:5: not valid JSON/m)]);
  });
});

describe('a path', () => {
  it('may start with ~, or be a file URL', () => {
    expect(toSourcePath('~/a/*.csv', '/base')).toBe(path.join(homedir(), 'a/*.csv'));
    expect(toSourcePath('~', '/base')).toBe(homedir());
    expect(toSourcePath('~x/a', '/base')).toBe('/base/~x/a');
    expect(toSourcePath('file:///a%20b.csv', '/base')).toBe('/a b.csv');
    expect(toSourcePath('a.csv', '/base')).toBe('/base/a.csv');
    for (const kept of ['-', 's3://b/k.csv', 'https://host/a.csv']) expect(toSourcePath(kept, '/base')).toBe(kept);
  });

  it('into an object store is refused with the command that downloads it, without credentials', async () => {
    const folder = folderOf({ 'sluice.yaml': 'events: gs://bucket/x.csv\n' });
    const commands: readonly (readonly [address: string, what: string, download: string])[] = [
      ['s3://key:secret@bucket/e.ndjson?token=secret', 's3://bucket/e.ndjson is on Amazon S3', 'aws s3 cp'],
      ['az://container/e.csv', 'Azure Blob Storage', 'az storage blob download'],
      ['hdfs://name/e.csv', 'another machine', 'curl'],
    ];
    for (const [address, what, download] of commands) {
      for (const command of [
        ['query', 'count', '--events', address],
        ['ingest', address],
      ]) {
        const { code, stderr } = await folder.sluice(command);
        expect(code).not.toBe(0);
        expect(stderr).toContain(what);
        expect(stderr).toContain(download);
        expect(stderr).not.toContain('secret');
      }
    }
    expect((await folder.sluice(['query', 'count'])).stderr).toContain('gcloud storage cp');
  });
});

describe('a zip archive', () => {
  const members = [
    { name: 'b/two.ndjson.gz', content: gzipSync(ndjson(200)) },
    { name: 'one.csv', content: Buffer.from(csv.subarray(0, csv.indexOf('2024-03-01T03:20'))) },
    { name: 'README.txt', content: Buffer.from('nothing') },
    { name: '__MACOSX/one.csv', content: Buffer.from('no') },
    { name: '.hidden.csv', content: Buffer.from('no') },
    { name: 'folder/', content: Buffer.alloc(0) },
  ];

  it('stands for its members that contain events', async () => {
    const folder = folderOf({ 'all.zip': writeZip(members), 'e/all.ndjson': ndjson(), 'model.yml': model });
    const ask = async (events: string) =>
      (await folder.sluice(['query', 'count by docPath', '-f', 'csv', '--events', events])).stdout;
    expect(await ask('all.zip')).toBe(await ask('e'));
    const taken = await folder.sluice(['ingest', 'all.zip', '--verbose']);
    expect([taken.code, taken.stderr]).toEqual([0, expect.stringContaining('Loaded 2 files: 300 events added')]);
    const again = await folder.sluice(['ingest', 'all.zip', '--verbose']);
    expect(again.stderr).toContain('all.zip/one.csv was loaded on');
    folder.write('table.yml', 'model: model.yml\ntables: {pages: all.zip}\n');
    const table = await folder.sluice(['query', '-m', 'pages.count', '--config', 'table.yml', '-f', 'csv']);
    expect(table.stdout).toContain('300');
  });

  it('of one member is that member, whatever its name', async () => {
    const folder = folderOf({ 'one.zip': writeZip([{ name: 'export', content: ndjson() }]) });
    const { code, stdout } = await folder.sluice(['query', 'count', '-f', 'csv', '--events', 'one.zip']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('300')]);
  });

  it('names its member in the report of a rejected line', async () => {
    const content = Buffer.concat([ndjson(0, 4), Buffer.from('{"utc\n'), ndjson(4, 9)]);
    const folder = folderOf({ 'all.zip': writeZip([{ name: 'in/x.ndjson', content }]) });
    for (const command of [
      ['query', 'count', '--events', 'all.zip'],
      ['ingest', 'all.zip'],
    ]) {
      const { code, stderr } = await folder.sluice(command);
      expect([code, stderr]).toEqual([5, expect.stringMatching(/^all\.zip\/in\/x\.ndjson:5: not valid JSON/m)]);
    }
  });

  it('that is cut off or changed is refused by name, and none of it is counted', async () => {
    const whole = writeZip([{ name: 'x.ndjson', content: ndjson() }]);
    const damaged: Record<string, Uint8Array> = {
      'crc.zip': writeZip([{ name: 'x.ndjson', content: ndjson(), crc: 7 }]),
      'short.zip': writeZip([{ name: 'x.ndjson', content: ndjson(), size: 99_999 }]),
      'long.zip': writeZip([{ name: 'x.ndjson', content: ndjson(), size: 100 }]),
    };
    for (const share of [0.1, 0.5, 0.9, 0.99])
      damaged[`cut-${share}.zip`] = whole.subarray(0, Math.floor(whole.length * share));
    for (let at = 60; at < 400; at += 50) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 0x55;
      damaged[`bit-${at}.zip`] = changed;
    }
    const folder = folderOf(damaged);
    for (const name of Object.keys(damaged)) {
      for (const command of [
        ['query', 'count', '--events', name],
        ['ingest', name],
      ]) {
        const { code, stdout, stderr } = await folder.sluice(command);
        expect([name, code, stdout]).toEqual([name, 5, '']);
        expect(stderr).toContain(name);
        expect(stderr).toContain('is damaged');
      }
    }
  });

  it('never writes outside, nor grows without bound, nor asks for a password', async () => {
    const folder = folderOf({
      'up.zip': writeZip([{ name: '../up.csv', content: csv }]),
      'root.zip': writeZip([{ name: '/tmp/sluice-root.csv', content: csv }]),
      'bomb.zip': writeZip([{ name: 'x.csv', content: Buffer.from('a'), size: 2 ** 31 }]),
      'secret.zip': writeZip([{ name: 'x.csv', content: csv, flags: 1 }]),
      'none.zip': writeZip([
        { name: 'a.txt', content: csv },
        { name: 'b.txt', content: csv },
      ]),
    });
    const before = readdirSync(tmpdir()).filter((name) => name.endsWith('.csv'));
    for (const [name, why] of Object.entries({
      up: 'is damaged',
      root: 'is damaged',
      bomb: 'would grow from',
      secret: 'needs a password for "x.csv"',
      none: 'has no data files',
    })) {
      const { code, stderr } = await folder.sluice(['query', 'count', '--events', `${name}.zip`]);
      expect([name, code === 0, stderr]).toEqual([name, false, expect.stringContaining(why)]);
    }
    expect(readdirSync(tmpdir()).filter((name) => name.endsWith('.csv'))).toEqual(before);
  });
});

describe('an unsupported compression', () => {
  it('is named, with the command that decompresses it', async () => {
    const folder = folderOf({
      'a.csv.bz2': Buffer.from('425a6839314159265359', 'hex'),
      'a b.csv.xz': Buffer.from('fd377a585a000004', 'hex'),
      'zipped.csv': writeZip([{ name: 'x.csv', content: csv }]),
      'bzh.csv': 'BZh9,utcTime\n1,2024-03-01\n',
    });
    for (const [name, packing, unpack] of [
      ['a.csv.bz2', 'bzip2', 'bunzip2 -k'],
      ['a b.csv.xz', 'xz', "unxz -k '"],
      ['zipped.csv', 'zip', 'rename it to .zip'],
    ] as const) {
      for (const command of [
        ['query', 'count', '--events', name],
        ['ingest', name],
      ]) {
        const { code, stderr } = await folder.sluice(command);
        expect(code).not.toBe(0);
        expect(stderr).toContain(`is compressed with ${packing}`);
        expect(stderr).toContain(unpack);
      }
    }
    expect((await folder.sluice(['query', 'count', '--events', 'bzh.csv'])).code).toBe(0);
  });

  it.each([
    ['bzip2', Buffer.from('425a6839314159265359', 'hex'), 'bunzip2 -k FILE'],
    ['zip', writeZip([{ name: 'x.csv', content: csv }]), 'unzip FILE'],
  ] as const)('on standard input must be saved and decompressed: %s', async (packing, bytes, unpack) => {
    const { code, stderr } = await folderOf({}).sluice(['query', 'count', '--events', '-'], { stdin: bytes });
    expect(code).not.toBe(0);
    expect(stderr).toContain(`stdin is compressed with ${packing}`);
    expect(stderr).toContain(unpack);
    expect(stderr).not.toContain('rename');
  });
});

describe('a file of another program', () => {
  const sqlite = Buffer.from('SQLite format 3\0\x10\0\x01\x01\0');
  const duckDb = Buffer.from('a1b2c3d4e5f60718 4455434b 4000000000000000'.replaceAll(' ', ''), 'hex');
  /** The header and the contents of one member. */
  const tar = Buffer.alloc(1536);
  tar.write('events.ndjson');
  tar.write('ustar', 257);
  tar.write('{"utcTime": "2024-03-01T10:00:00Z"}\n', 512);
  const files = {
    'events.avro': Buffer.from('4f626a0104146176726f', 'hex'),
    'events.orc': Buffer.from('4f52430a0b0a0300', 'hex'),
    'old.xls': Buffer.from('d0cf11e0a1b11ae10000', 'hex'),
    'book.xlsb': writeZip([{ name: 'xl/workbook.bin', content: Buffer.from('') }]),
    'sheet.numbers': writeZip([{ name: 'Index/Document.iwa', content: Buffer.from('') }]),
    'orc.csv': 'ORCHARD,utcTime\nx,2024-03-01\n',
    'duck.csv': 'utcTime,DUCK\n2024-03-01,x\n',
  };

  it.each([
    ['events.avro', 'an Avro file', 'fastavro FILE'],
    ['events.orc', 'an ORC file', 'orc-contents FILE'],
    ['old.xls', 'an Excel workbook', 'soffice --headless --convert-to csv FILE'],
    ['book.xlsb', 'a workbook', 'soffice --headless --convert-to csv FILE'],
    ['sheet.numbers', 'a workbook', 'soffice --headless --convert-to csv FILE'],
  ])('is named, with a command that converts it: %s', async (name, what, command) => {
    const folder = folderOf(files);
    for (const args of [
      ['query', 'count', '--events', name],
      ['ingest', name],
      ['init', name],
    ]) {
      const { code, stderr } = await folder.sluice(args);
      expect([code !== 0, stderr]).toEqual([
        true,
        expect.stringContaining(`${name} is ${what}, which sluice does not`),
      ]);
      expect(stderr.replaceAll(path.join(folder.root, name), 'FILE')).toContain(command);
    }
  });

  it.each([
    ['logs.tar', tar, 'is a tar archive', 'tar -xf FILE'],
    ['logs.tar.gz', gzipSync(tar), 'is a tar archive', 'tar -xf FILE'],
    ['logs.tgz', gzipSync(tar), 'is a tar archive', 'tar -xf FILE'],
    ['app.db.gz', gzipSync(sqlite), 'is a SQLite database within gzip', 'gunzip -k FILE'],
    ['app.duckdb.gz', gzipSync(duckDb), 'is a DuckDB database within gzip', 'gunzip -k FILE'],
    ['a.parquet.gz', gzipSync('PAR1'), 'is Parquet within gzip', 'gunzip -k FILE'],
    ['a.csv.zst', zstdCompressSync('BZh91AY&SY'), 'is packed with bzip2 within zstd', 'unzstd -k FILE'],
  ])('is named also if it is packed: %s', async (name, content, what, command) => {
    const folder = folderOf({ [name]: content });
    for (const args of [
      ['query', 'count', '--events', name],
      ['init', name],
    ]) {
      const { code, stderr } = await folder.sluice(args);
      expect([code !== 0, stderr]).toEqual([true, expect.stringContaining(`${name} ${what}, which sluice does not`)]);
      expect(stderr.replaceAll(path.join(folder.root, name), 'FILE')).toContain(command);
    }
  });

  it.each(['orc.csv', 'duck.csv'])('is not suspected in text: %s', async (name) => {
    expect((await folderOf(files).sluice(['query', 'count', '--events', name])).code).toBe(0);
  });

  it.each([
    ['events.csv', sqlite],
    ['a.zip', writeZip([{ name: 'app.db', content: sqlite }])],
  ])('is a database, whatever its name: %s', async (name, content) => {
    const { code, stderr } = await folderOf({ [name]: content }).sluice(['query', 'count', '--events', name]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is a SQLite database, which its name does not say/)]);
  });
});
