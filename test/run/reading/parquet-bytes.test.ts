import { afterAll, expect, it } from 'vitest';
import type { Mapping } from '../../../src/plan/mapping/mapping.ts';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { openEventFiles } from '../../../src/run/duckdb/reading/event-files.ts';
import { scratchFolder } from '../ask-sql.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: 1 });
afterAll(() => engine[Symbol.asyncDispose]());

async function furtherOf(path: string, mapping?: Mapping): Promise<readonly unknown[]> {
  const files = await openEventFiles(engine, [path], 'anonymous', 'events', { mappingOf: () => mapping });
  await files.demandFurther();
  await files.refresh();
  const rows = await engine.rows('SELECT further FROM events ORDER BY utc_time');
  return rows.map(([further]) => JSON.parse(String(further)) as unknown);
}

async function writeRows(name: string, columns: string): Promise<string> {
  const path = folder.write(name, '');
  await engine.rows(
    `COPY (SELECT TIMESTAMP '2024-03-01' + INTERVAL 1 HOUR * i AS utcTime, ${columns} FROM range(3) AS r(i)) TO '${path}' (FORMAT parquet)`,
  );
  return path;
}

it('shows bytes that are no text as a UUID or in hexadecimal digits, and other bytes as their text', async () => {
  const bytes = (index: number, length: number) => `from_hex(repeat('f${index}', ${length - 1}) || '0' || i)`;
  const path = await writeRows(
    'bytes.parquet',
    [
      `${bytes(0, 16)} AS id`,
      `${bytes(1, 3)} AS raw`,
      "encode('vä' || i) AS name",
      `[{'sku': encode('ü' || i), 'raw, "x"': ${bytes(2, 2)}, n: i, tags: [encode('é')]}] AS lines`,
      `MAP {encode('clé'): ${bytes(3, 16)}} AS pairs`,
      'CAST(NULL AS BLOB) AS nothing',
      "CASE WHEN i > 0 THEN {'deep': encode('ß')} END AS object",
    ].join(', '),
  );
  const expected = [0, 1, 2].map((index) => ({
    id: `f0f0f0f0-f0f0-f0f0-f0f0-f0f0f0f0f00${index}`,
    raw: `f1f10${index}`,
    name: `vä${index}`,
    lines: [{ sku: `ü${index}`, 'raw, "x"': `f20${index}`, n: index, tags: ['é'] }],
    pairs: { clé: `f3f3f3f3-f3f3-f3f3-f3f3-f3f3f3f3f30${index}` },
    ...(index > 0 && { object: { deep: 'ß' } }),
  }));
  expect(await furtherOf(path)).toEqual(expected);
});

it('shows a column of bytes as bytes also where some of them are text', async () => {
  const path = await writeRows('some.parquet', "CASE WHEN i = 0 THEN encode('abc') ELSE from_hex('ff') END AS raw");
  expect(await furtherOf(path)).toEqual([{ raw: '616263' }, { raw: 'ff' }, { raw: 'ff' }]);
});

it('reads text that is not declared as such', async () => {
  expect(await furtherOf(await writeRows('text.parquet', "encode('vä' || i) AS name"))).toEqual(
    [0, 1, 2].map((index) => ({ name: `vä${index}` })),
  );
});

it('reads columns of a fixed number of bytes', async () => {
  // Written by pyarrow: id: binary(16), timestamp, event_type.
  const path = folder.write(
    'fixed.parquet',
    Buffer.from(
      'UEFSMRUAFWwVbCwVBhUAFQYVBhwAAAACAAAABgFEIII8/ebxwmsw+Q7H3QHkiHU0og8LDQTDbtgOceD9d7B2cOuUC9UzX5c9qthhm5EVABU8FTwsFQYVABUGFQYcAAAAAgAAAAYBAKCbDo4SBgAARC/ljhIGAADowruPEgYAFQAVNhU2LBUGFQAVBhUGHAAAAAIAAAAGAQMAAABidXkDAAAAYnV5AwAAAGJ1eRUEGUw1ABgGc2NoZW1hFQYAFQ4VIBUCGAJpZAAVBCUCGAl0aW1lc3RhbXAlFEyMEhwsAAAAAAAVDCUCGApldmVudF90eXBlJQBMHAAAABYGGRwZPCYAHBUOGSUGABkYAmlkFQAWBhaSARaSASYISRwVABUAFQIAPCkGGSYABgAAACYAHBUEGSUGABkYCXRpbWVzdGFtcBUAFgYWYhZiJpoBSRwVABUAFQIAPCkGGSYABgAAACYAHBUMGSUGABkYCmV2ZW50X3R5cGUVABYGFlwWXCb8AUkcFQAVABUCADwWEhkGGSYABgAAABbQAhYGJggW0AIAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI1LjAuMRk8HAAAHAAAHAAAACMBAABQQVIx',
      'base64',
    ),
  );
  expect(await furtherOf(path, { columns: { utcTime: 'timestamp', eventType: 'event_type' } })).toEqual([
    { id: '4420823c-fde6-f1c2-6b30-f90ec7dd01e4' },
    { id: '887534a2-0f0b-0d04-c36e-d80e71e0fd77' },
    { id: 'b07670eb-940b-d533-5f97-3daad8619b91' },
  ]);
});
