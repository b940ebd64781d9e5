import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { funnelReader } from '../../src/ask/funnel/read-funnel.ts';
import { bindDefinition } from '../../src/plan/bind/bind-analysis.ts';
import { withComputedCubes } from '../../src/plan/analysis/computed-cubes.ts';
import { funnelAnalysis } from '../../src/plan/analysis/funnel/funnel-analysis.ts';
import { toLoadBody } from '../../src/plan/load-body.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import type { Backend } from '../../src/run/backend.ts';
import { openEmbedded } from '../../src/run/duckdb/answer/open-embedded.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { collect } from '../../src/shape/collect.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { now, planOf } from './ask.ts';

const folder = new URL('../../funnels/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
const read = funnelReader.read(
  files.map((file) => ({ file, bytes: readFileSync(new URL(file, folder)) })),
  builtInModel.cubes.map(({ name }) => name),
);
const scratch = openFolder();

describe('the funnels of this folder', () => {
  let backend: Backend;
  beforeAll(async () => {
    const events = `${scratch.root}/events.parquet`;
    await writeSample({ seed: 1, events: 20_000, days: 30, to: '2024-02-29' }, events);
    backend = await openEmbedded({ events: [events], workingDirectory: scratch.root });
  });
  afterAll(async () => {
    await backend[Symbol.asyncDispose]();
    scratch.remove();
  });

  it('are three or more, and in the README', () => {
    expect(files.length).toBeGreaterThanOrEqual(3);
    const readme = readFileSync(new URL('README.md', folder), 'utf8');
    for (const file of files) expect(readme).toContain(`\`${file}\``);
  });

  it.each(read.map((one) => [one.file, one] as const))(
    "%s reads, binds, is explained, and the sample's events convert through it",
    async (_, one) => {
      if (!one.ok) throw new Error(JSON.stringify(one.issues));
      const funnel = one.value;
      expect([
        one.issues,
        bindDefinition({ analysis: funnelAnalysis, definition: funnel, events: builtInModel }, { now, zone: 'UTC' })
          .issues,
      ]).toEqual([[], []]);
      const query = {
        measures: [`${funnel.name}.count`],
        dimensions: [`${funnel.name}.step`],
        timeDimensions: [{ dimension: `${funnel.name}.date`, dateRange: ['2024-02-01', '2024-02-29'] }],
      };
      const plan = planOf(query, withComputedCubes(funnelAnalysis, builtInModel, [funnel], 'here', builtInModel));
      expect(toLoadBody(plan).query.measures).toEqual(query.measures);
      expect((await backend.explain(plan)).enginePlan).toBeTruthy();
      const result = await collect(plan, await backend.run(plan), { queryHash: '', backend: 'embedded', source: '' });
      const counts = result.rows().map((row) => Number(row[`${funnel.name}.count`]));
      expect(counts).toHaveLength(funnel.steps.length);
      expect(counts.every((count, index) => count > 0 && count <= (counts[index - 1] ?? Infinity))).toBe(true);
      expect(counts.at(-1)).toBeLessThan(counts[0]!);
    },
  );
});
