import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long for their size, the longest first; vitest itself goes by size until it has measured them. */
const slow = [
  'use/export.test.ts',
  'use/presets.test.ts',
  'use/pack.test.ts',
  'use/round-trip.test.ts',
  'use/encoding.test.ts',
  'use/report/formats.test.ts',
  'show/html/chart-page.test.ts',
  'use/export-hard-times.test.ts',
  'use/export-siege.test.ts',
  'use/export-killed.test.ts',
  'use/library.test.ts',
  'run/event-reading.test.ts',
  'use/properties.test.ts',
  'run/packed-input.test.ts',
  'plan/buckets.test.ts',
  'contract/sessions-of-sample.test.ts',
  'contract/end-to-end.test.ts',
  'show/picture/to-svg.test.ts',
  'contract/remote.test.ts',
  'use/funnel-run.test.ts',
  'run/damaged-files.test.ts',
  'run/store/small-files.test.ts',
  'run/formats.test.ts',
  'use/all-rows.test.ts',
  'contract/sessions-in-zones.test.ts',
  'run/cohort/cohort.test.ts',
  'run/sample.test.ts',
  'use/left-behind.test.ts',
  'use/usage-whole.test.ts',
  'run/store/killed-writer.test.ts',
  'run/float-sums.test.ts',
];

/** Starts slow files first, so that no worker ends alone with one. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = slow.indexOf(relative(new URL('../test', import.meta.url).pathname, moduleId));
      return place < 0 ? slow.length : place;
    };
    return (await super.sort(files)).sort((one, other) => placeOf(one) - placeOf(other));
  }
}
