import type { Join } from '../model.ts';
import { didYouMean } from '../../../ask/did-you-mean.ts';
import type { WrittenJoin } from './model-schema.ts';
import { readSql, readWord, type ReadContext } from './read-context.ts';
import { below, reportError, type Sited } from './site.ts';
import { withoutBraces } from '../identifier.ts';

const relationships = ['one_to_one', 'one_to_many', 'many_to_one', 'has_one', 'has_many', 'belongs_to'] as const;

const aliases: Readonly<Record<(typeof relationships)[number], Join['relationship']>> = {
  one_to_one: 'one_to_one', one_to_many: 'one_to_many', many_to_one: 'many_to_one',
  has_one: 'one_to_one', has_many: 'one_to_many', belongs_to: 'many_to_one',
};

export function readJoin({ value: written, site }: Sited<WrittenJoin>, context: ReadContext): Join | undefined {
  const { findings, cubes, cube } = context;
  const other = withoutBraces(written.name);
  const relationship = readWord(written.relationship, relationships, 'relationship of a join', below(site, 'relationship'), findings);
  const about = { member: undefined, join: other, mayHoldMeasures: false, role: `the join to "${other}"` };
  const sql = readSql(written.sql, below(site, 'sql'), about, context);
  if (!cubes.has(other)) {
    reportError(findings, below(site, 'name'), 'unknown-cube', `There is no cube "${other}" to join.`, didYouMean(other, cubes));
    return undefined;
  }
  if (other === cube.name) {
    const hint = 'Write a second cube that extends it, and join that.';
    reportError(findings, below(site, 'name'), 'bad-join', `The cube "${other}" cannot join itself.`, hint);
    return undefined;
  }
  return relationship && { cube: other, relationship: aliases[relationship], sql };
}
