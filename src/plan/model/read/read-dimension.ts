import type { CaseLabel, Dimension, DimensionExpression, DimensionType } from '../model.ts';
import type { WrittenDimension } from './model-schema.ts';
import { readNames, readSql, readWord, type ReadContext } from './read-context.ts';
import { readFormat } from './read-format.ts';
import { below, leaveOut, partKey, reportError, reportWarning, type Site, type Sited } from './site.ts';

const dimensionTypes: readonly DimensionType[] = ['string', 'number', 'boolean', 'time'];

/** What to write instead of the types that are not supported. */
const otherTypes: ReadonlyMap<string, string> = new Map([
  ['geo', 'Write two dimensions of type `number`, for latitude and longitude.'],
  ['switch', 'Write a dimension of type `string`.'],
]);

export function readDimension({ value: written, site }: Sited<WrittenDimension>, context: ReadContext): Dimension | undefined {
  const { findings } = context;
  checkKeys(written, site, context);
  const otherType = otherTypes.get(written.type);
  if (otherType !== undefined) {
    const reason = `Dimensions of type "${written.type}" are not supported.`;
    leaveOut(findings, below(site, 'type'), partKey(context.cube.name, written.name), `The dimension "${written.name}"`, reason, otherType);
    return undefined;
  }
  const type = readWord(written.type, dimensionTypes, 'type of a dimension', below(site, 'type'), findings);
  const expression = readExpression(written, site, context);
  if (type === undefined || expression === undefined) return undefined;
  const primaryKey = written.primary_key ?? written.primaryKey ?? false;
  return {
    ...readNames(written, context, !primaryKey),
    type,
    expression,
    primaryKey,
    format: readFormat(written.format, below(site, 'format'), findings),
  };
}

function readExpression(written: WrittenDimension, site: Site, context: ReadContext): DimensionExpression | undefined {
  const { name, sql } = written;
  if (written.case != null) {
    const message = `The dimension "${name}" has both \`sql\` and \`case\`.`;
    if (sql != null) reportError(context.findings, site, 'bad-dimension', message, 'Leave one of them out.');
    return readCase(written.case, name, below(site, 'case'), context);
  }
  if (sql != null) return { kind: 'sql', sql: readSql(sql, below(site, 'sql'), aboutDimension(name), context) };
  const hint = `For a column of that name write \`sql: ${name}\`.`;
  reportError(context.findings, site, 'missing-sql', `The dimension "${name}" needs \`sql\` or \`case\`.`, hint);
  return undefined;
}

function readCase(written: NonNullable<WrittenDimension['case']>, name: string, site: Site, context: ReadContext): DimensionExpression {
  const about = aboutDimension(name);
  const readLabel = (label: typeof written.when[number]['label'], at: Site): CaseLabel =>
    typeof label === 'string' ? { kind: 'literal', text: label } : { kind: 'sql', sql: readSql(label.sql, below(at, 'sql'), about, context) };
  if (written.when.length === 0) {
    reportError(context.findings, below(site, 'when'), 'bad-dimension', `The dimension "${name}" has a \`case\` without any \`when\`.`);
  }
  return {
    kind: 'case',
    when: written.when.map(({ sql, label }, index) => {
      const at = below(site, 'when', index);
      return { sql: readSql(sql, below(at, 'sql'), about, context), label: readLabel(label, below(at, 'label')) };
    }),
    otherwise: written.else == null ? undefined : readLabel(written.else.label, below(site, 'else', 'label')),
  };
}

function aboutDimension(name: string) {
  return { member: name, mayHoldMeasures: false, role: `the dimension "${name}"` };
}

function checkKeys(written: WrittenDimension, site: Site, { cube, findings }: ReadContext): void {
  if (written.sub_query === true || written.subQuery === true) {
    const at = below(site, written.sub_query === true ? 'sub_query' : 'subQuery');
    const reason = 'Dimensions made of another cube\'s measure (`sub_query`) are not supported.';
    const hint = 'Aggregate in the `sql` of a separate cube, and join it.';
    leaveOut(findings, at, partKey(cube.name, written.name), `The dimension "${written.name}"`, reason, hint);
  }
  if (written.granularities != null) {
    const hint = 'Second, minute, hour, day, week, month, quarter and year work.';
    reportWarning(findings, below(site, 'granularities'), 'not-supported', 'Custom granularities are left out.', hint);
  }
  if (written.mask != null) {
    reportWarning(findings, below(site, 'mask'), 'not-supported', '`mask` is not applied: values are shown as they are.');
  }
}
