import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long for their size, the longest first; vitest itself goes by size until it has measured them. */
const slow = [
  'use/export.test.ts',
  'use/presets.test.ts',
  'contract/end-to-end.test.ts',
  'run/store/small-files.test.ts',
  'use/export-hard-times.test.ts',
  'use/export-siege.test.ts',
  'use/round-trip.test.ts',
  'run/event-reading.test.ts',
  'run/packed-input.test.ts',
  'use/export-killed.test.ts',
  'plan/buckets.test.ts',
  'use/report/formats.test.ts',
  'contract/sessions-in-zones.test.ts',
  'run/damaged-files.test.ts',
  'use/encoding.test.ts',
  'run/export/any-source.test.ts',
  'run/cohort/cohort.test.ts',
  'show/html/chart-page.test.ts',
  'run/activity/retention.test.ts',
  'run/store/killed-writer.test.ts',
  'use/left-behind.test.ts',
  'contract/remote.test.ts',
  'contract/sessions-of-sample.test.ts',
  'run/store/same-store.test.ts',
  'run/store/store-model.test.ts',
  'run/sources/same-events.test.ts',
  'use/all-rows.test.ts',
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
