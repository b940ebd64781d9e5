import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long for their size, the longest first; vitest itself goes by size until it has measured them. */
const slow = [
  'use/export.test.ts',
  'use/presets.test.ts',
  'use/pack.test.ts',
  'contract/embedded.test.ts',
  'contract/clickhouse-differential.test.ts',
  'clickhouse/moving.test.ts',
  'run/export/fetch-window.test.ts',
  'run/store/projections.test.ts',
  'golden.test.ts',
  'use/export-siege.test.ts',
  'use/report/formats.test.ts',
  'use/explorer/stories.test.ts',
  'use/export-hard-times.test.ts',
  'contract/sessions-of-sample.test.ts',
  'run/packed-input.test.ts',
  'use/export-killed.test.ts',
  'use/launcher.test.ts',
  'use/visits.test.ts',
  'use/encoding.test.ts',
  'show/picture/to-svg.test.ts',
  'show/html/chart-page.test.ts',
  'run/sample.test.ts',
  'use/round-trip.test.ts',
  'contract/clickhouse.test.ts',
  'plan/buckets.test.ts',
  'run/typed-output.test.ts',
  'run/damaged-files.test.ts',
  'use/library.test.ts',
  'run/snowplow.test.ts',
  'use/unfit-definitions.test.ts',
  'use/properties.test.ts',
  'run/event-reading.test.ts',
  'use/examples.test.ts',
  'use/users.test.ts',
  'use/analysis-command.test.ts',
  'real-recordings.test.ts',
  'use/all-rows.test.ts',
  'contract/cube.test.ts',
  'contract/platform.test.ts',
  'use/kept-answers.test.ts',
  'use/answer-notes.test.ts',
  'use/explorer/grid/views.test.ts',
  'use/unknown-files.test.ts',
  'guides.test.ts',
  'run/formats.test.ts',
  'show/terminal/chart/draw-chart.test.ts',
  'use/attribution.test.ts',
  'run/funnel/hard-events.test.ts',
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
