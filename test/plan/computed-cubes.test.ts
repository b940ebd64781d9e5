import { describe, expect, it } from 'vitest';
import type { Analysis } from '../../src/plan/analysis.ts';
import { analysisNames } from '../../src/plan/analysis/analysis-names.ts';
import { analyses } from '../../src/plan/analysis/analyses.ts';
import { withComputedCubes } from '../../src/plan/analysis/computed-cubes.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { defineCube } from '../../src/plan/model/define-cube.ts';

const toCube: Analysis['toCube'] = ({ name }, place) =>
  defineCube({
    name,
    description: 'Visits.',
    timeMember: 'date',
    source: { kind: 'computed', analysis: visits(false), definition: { name }, ...place },
    measures: { count: { description: 'Visits.', type: 'max', sql: '{CUBE}.count' } },
    dimensions: { date: { description: 'When.', type: 'time', sql: '{CUBE}.date' } },
    segments: {},
  });

/** An analysis that only this test knows. */
const visits = (onServers: boolean): Analysis => ({
  name: 'visits',
  onServers,
  loadReader: () => Promise.reject(new Error('it has no files')),
  toCube,
  bind: () => ({}),
  check: () => undefined,
});

const known = { cubes: [...builtInModel.cubes, toCube({ name: 'often' }, { computed: 'here', events: builtInModel })] };

function placesOf(onServers: boolean, place: 'here' | 'server' | 'silent-server') {
  const definitions = [{ name: 'often' }, { name: 'seldom' }];
  const { cubes } = withComputedCubes(visits(onServers), known, definitions, place, builtInModel);
  return Object.fromEntries(
    cubes.flatMap(({ name, source }) => (source.kind === 'computed' ? [[name, source.computed]] : [])),
  );
}

describe('the cubes of an analysis', () => {
  it('are computed here by a local engine', () => {
    expect(placesOf(true, 'here')).toEqual({ often: 'here', seldom: 'here' });
    expect(placesOf(false, 'here')).toEqual({ often: 'here', seldom: 'here' });
  });

  it('are computed by servers only if servers know the analysis, and the one that is asked may know the cube', () => {
    expect(placesOf(true, 'server')).toEqual({ often: 'by-server', seldom: 'nowhere' });
    expect(placesOf(true, 'silent-server')).toEqual({ often: 'by-server', seldom: 'by-server' });
    expect(placesOf(false, 'server')).toEqual({ often: 'nowhere', seldom: 'nowhere' });
    expect(placesOf(false, 'silent-server')).toEqual({ often: 'nowhere', seldom: 'nowhere' });
  });

  it('take the place of cubes of their names, once each', () => {
    const model = withComputedCubes(visits(true), known, [{ name: 'often' }], 'here', builtInModel);
    expect(model.cubes.map(({ name }) => name)).toEqual(known.cubes.map(({ name }) => name));
  });
});

describe('every analysis', () => {
  it.each(analysisNames)('%s is called as it is listed, and has a reader and a schema', async (name) => {
    expect(analyses[name].name).toBe(name);
    const reader = await analyses[name].loadReader();
    const { anyOf, ...only } = reader.toJsonSchema();
    for (const form of Array.isArray(anyOf) ? anyOf : [only]) expect(form).toMatchObject({ type: 'object' });
    expect(reader.read([]).length).toBe(0);
    const [broken] = reader.read([{ file: `${name}s/a.yaml`, bytes: Buffer.from('surely: [wrong') }]);
    expect(broken).toMatchObject({ ok: false, slug: 'a', file: `${name}s/a.yaml` });
  });
});
