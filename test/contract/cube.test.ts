import { afterAll } from 'vitest';
import { openFolder } from '../use/run-in-folder.ts';
import { describeContract } from './contract.ts';
import { contractNow } from './contract-events.ts';
import { writeNdjson } from './exported-events.ts';
import { openServed } from './served.ts';

const folder = openFolder();
afterAll(() => folder.remove());

describeContract('the cube backend', (events) =>
  openServed('cube', {
    workspace: folder.root,
    env: {},
    events: folder.write('events.ndjson', writeNdjson(events)),
    now: () => contractNow,
  }),
);
