import type { Cube, Segment } from '../model.ts';
import { titleize } from '../titleize.ts';
import { checkMemberNames } from './check-names.ts';
import type { WholeCube } from './extend-cubes.ts';
import type { WrittenSegment } from './model-schema.ts';
import { readNames, readSql, type ReadContext, type SqlText } from './read-context.ts';
import { readDimension } from './read-dimension.ts';
import type { Unread } from './read-file.ts';
import { readJoin } from './read-join.ts';
import { readMeasure } from './read-measure.ts';
import { readSource } from './read-source.ts';
import { below, reportWarning, type Findings, type Sited } from './site.ts';

/** A cube, with what the checks of the whole model need of it. */
export interface ReadCube {
  readonly cube: Cube;
  readonly texts: readonly SqlText[];
}

/** `cubes` are the names of all cubes of the model. */
export function readCube(cube: WholeCube, cubes: ReadonlySet<string>, unread: Unread, findings: Findings): ReadCube {
  const { written } = cube;
  const context: ReadContext = { cube, title: written.title ?? titleize(cube.name), cubes, findings, texts: [] };
  checkPolicy(cube, findings);
  checkMemberNames(cube, findings);
  const dimensions = cube.dimensions.map((dimension) => readDimension(dimension, context)).filter((dimension) => dimension !== undefined);
  return {
    cube: {
      name: cube.name,
      title: context.title,
      description: written.description ?? undefined,
      source: readSource(cube, unread, findings),
      joins: cube.joins.map((join) => readJoin(join, context)).filter((join) => join !== undefined),
      measures: cube.measures.map((measure) => readMeasure(measure, context)).filter((measure) => measure !== undefined),
      dimensions,
      segments: cube.segments.map((segment) => readSegment(segment, context)),
      timeMember: dimensions.find((dimension) => dimension.type === 'time')?.name,
      public: written.public ?? written.shown ?? true,
    },
    texts: context.texts,
  };
}

function readSegment({ value: written, site }: Sited<WrittenSegment>, context: ReadContext): Segment {
  const about = { member: written.name, mayHoldMeasures: false, role: `the segment "${written.name}"` };
  return { ...readNames(written, context), sql: readSql(written.sql, below(site, 'sql'), about, context) };
}

function checkPolicy({ written, site }: WholeCube, findings: Findings): void {
  if (written.access_policy == null && written.accessPolicy == null) return;
  const at = below(site, written.access_policy == null ? 'accessPolicy' : 'access_policy');
  reportWarning(findings, at, 'not-supported', 'Access policies are not enforced: everyone who can ask sees all rows.');
}
