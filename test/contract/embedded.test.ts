import { afterAll } from 'vitest';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { open } from '../../src/use/index.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { contractNow } from './contract-events.ts';
import { describeLocalContract } from './contract-local.ts';
import { describeContract, type OpenContract } from './contract.ts';
import { type ExportedEvent, writeCsv, writeNdjson } from './exported-events.ts';

const folder = openFolder();
afterAll(() => folder.remove());

const openFile =
  (write: (events: readonly ExportedEvent[]) => Promise<string>): OpenContract =>
  async (events) =>
    open({ workspace: folder.root, env: {}, events: await write(events), now: () => contractNow });

const formats = {
  NDJSON: openFile(async (events) => folder.write('events.ndjson', writeNdjson(events))),
  CSV: openFile(async (events) => folder.write('events.csv', writeCsv(events))),
  Parquet: openFile(async (events) => {
    const source = folder.write('source.ndjson', writeNdjson(events));
    const target = `${folder.root}/events.parquet`;
    await using engine = await openEngine({});
    await engine.rows(
      `COPY (SELECT * REPLACE (CAST(utcTime AS TIMESTAMP) AS utcTime) FROM read_json('${source}', convert_strings_to_integers = false)) TO '${target}'`,
    );
    return target;
  }),
};

for (const [format, openFormat] of Object.entries(formats)) {
  const name = `the embedded engine over ${format}`;
  describeContract(name, openFormat);
  // CSV cannot distinguish an empty text from null.
  describeLocalContract(name, openFormat, { tellsEmptyText: format !== 'CSV', tellsRepeats: true });
}
