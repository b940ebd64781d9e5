import { hasUsualTime } from '../../../ask/query/member-name.ts';
import { didYouMean } from '../../../ask/suggest.ts';
import { tablePath, titleize, withoutBraces } from '../identifier.ts';
import type {
  CaseLabel,
  Cube,
  CubeSource,
  Dimension,
  DimensionExpression,
  DimensionType,
  Join,
  Segment,
  Template,
} from '../model.ts';
import { readTemplate } from '../template.ts';
import { checkMemberNames } from './check-model.ts';
import type { WholeCube } from './extend-cubes.ts';
import { isListed, type ReadContext, readNames, readSql, readWord, type SqlText } from './read-context.ts';
import type { Unread, WrittenDimension, WrittenJoin, WrittenSegment } from './read-file.ts';
import { readFormat } from './read-format.ts';
import { readGranularities } from './read-granularities.ts';
import { readMeasure, readSwitchCase, type WrittenSwitch } from './read-measure.ts';
import {
  below,
  type Findings,
  leaveOut,
  partKey,
  report,
  reportError,
  reportWarning,
  type Site,
  type Sited,
} from './site.ts';

const dimensionTypes: readonly DimensionType[] = ['string', 'number', 'boolean', 'time'];

function readDimension({ value: written, site }: Sited<WrittenDimension>, context: ReadContext): Dimension | undefined {
  const { findings } = context;
  checkKeys(written, site, context);
  const leave = (reason: string, hint?: string) =>
    leaveOut(
      findings,
      below(site, 'type'),
      partKey(context.cube.name, written.name),
      `The dimension "${written.name}"`,
      reason,
      hint,
    );
  // Belongs to calendars, which define the times of shifted measures.
  if ('time_shift' in written ? written.time_shift != null : 'timeShift' in written && written.timeShift != null) {
    leave('`time_shift` of a dimension is not supported.');
    return undefined;
  }
  const isPlace = written.type === 'geo';
  if (isPlace && (written.latitude == null || written.longitude == null)) {
    leave('A dimension of type "geo" needs `latitude` and `longitude`.');
    return undefined;
  }
  const isSwitch = written.type === 'switch';
  if (isSwitch && (written.sql != null || written.case != null || (written.values ?? []).length === 0)) {
    leave('A dimension of type "switch" needs `values`, and neither `sql` nor `case`.');
    return undefined;
  }
  if (isSwitch && holdsEvents(context.cube)) {
    leave('A cube whose rows are the events cannot have a dimension of type "switch".');
    return undefined;
  }
  const type =
    isPlace || isSwitch
      ? 'string'
      : readWord(written.type, dimensionTypes, 'type of a dimension', below(site, 'type'), findings, leave);
  // Further errors do not matter once the dimension is left out.
  if (findings.leftOut.has(partKey(context.cube.name, written.name))) return undefined;
  const expression: DimensionExpression | undefined = isSwitch
    ? { kind: 'switch', values: [...new Set(written.values)] }
    : isPlace
      ? readPlace(written, site, context)
      : readExpression(written, site, context);
  if (type === undefined || expression === undefined) return undefined;
  const primaryKey = written.primary_key ?? written.primaryKey ?? false;
  return {
    ...readNames(written, context, !primaryKey),
    type,
    expression,
    primaryKey,
    ...(written.granularities != null && { granularities: readGranularities(written, type, site, context) }),
    format: readFormat(written.format, below(site, 'format'), findings),
  };
}

/** True if the cube declares events, which funnels and other analyses read row by row. */
function holdsEvents({ written: { meta, sluice } }: WholeCube): boolean {
  return sluice != null || (meta !== null && typeof meta === 'object' && 'sluice' in meta);
}

/** A place is the text `latitude,longitude`, as in Cube. */
function readPlace(
  { name, latitude, longitude }: WrittenDimension,
  site: Site,
  context: ReadContext,
): DimensionExpression {
  const part = (key: 'latitude' | 'longitude', text: string): Template => [
    { kind: 'text', text: 'CAST((' },
    ...readSql(text, below(site, key, 'sql'), aboutDimension(name), context),
    { kind: 'text', text: ') AS VARCHAR)' },
  ];
  const sql = [
    ...part('latitude', latitude?.sql ?? ''),
    { kind: 'text', text: ` || ',' || ` } as const,
    ...part('longitude', longitude?.sql ?? ''),
  ];
  return { kind: 'sql', sql };
}

function readExpression(written: WrittenDimension, site: Site, context: ReadContext): DimensionExpression | undefined {
  const { name, sql } = written;
  if (written.case != null) {
    const message = `The dimension "${name}" has both \`sql\` and \`case\`.`;
    if (sql != null) reportError(context.findings, site, 'bad-dimension', message, 'Leave one of them out.');
    const at = below(site, 'case');
    if (!('switch' in written.case)) return readCase(written.case, name, at, context);
    return { kind: 'sql', sql: readSwitchCase(written.case, at, aboutDimension(name), context) };
  }
  if (sql != null && (written.sub_query ?? written.subQuery) === true) return readSubQuery(written, sql, site, context);
  if (sql != null) return { kind: 'sql', sql: readSql(sql, below(site, 'sql'), aboutDimension(name), context) };
  const hint = `For a column of that name write \`sql: ${name}\`.`;
  reportError(context.findings, site, 'missing-sql', `The dimension "${name}" needs \`sql\` or \`case\`.`, hint);
  return undefined;
}

/** Requires a primary key that identifies the rows of the cube. */
function readSubQuery(written: WrittenDimension, text: string, site: Site, context: ReadContext): DimensionExpression {
  const { cube, findings } = context;
  const about = { ...aboutDimension(written.name), mayHoldMeasures: true, mustHoldMeasure: true };
  const sql = readSql(text, below(site, 'sql'), about, context);
  if (!cube.dimensions.some(({ value }) => (value.primary_key ?? value.primaryKey) === true)) {
    const hint = 'Give a dimension of the cube `primary_key: true`.';
    const reason = 'A `sub_query` needs a primary key in its cube.';
    leaveOut(findings, site, partKey(cube.name, written.name), `The dimension "${written.name}"`, reason, hint);
  }
  const propagate = written.propagate_filters_to_sub_query ?? written.propagateFiltersToSubQuery ?? false;
  return { kind: 'sub-query', sql, propagate };
}

function readCase(
  written: Exclude<NonNullable<WrittenDimension['case']>, WrittenSwitch>,
  name: string,
  site: Site,
  context: ReadContext,
): DimensionExpression {
  const about = aboutDimension(name);
  const readLabel = (label: (typeof written.when)[number]['label'], at: Site): CaseLabel =>
    typeof label === 'string'
      ? { kind: 'literal', text: label }
      : { kind: 'sql', sql: readSql(label.sql, below(at, 'sql'), about, context) };
  if (written.when.length === 0) {
    reportError(
      context.findings,
      below(site, 'when'),
      'bad-dimension',
      `The dimension "${name}" has a \`case\` without any \`when\`.`,
    );
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

function checkKeys(written: WrittenDimension, site: Site, { findings }: ReadContext): void {
  if (written.mask != null) {
    reportWarning(
      findings,
      below(site, 'mask'),
      'not-supported',
      '`mask` is not applied: values are shown as they are.',
    );
  }
}

/** A cube, with the texts that checks of the whole model need. */
export interface ReadCube {
  readonly cube: Cube;
  readonly texts: readonly SqlText[];
}

/** `cubes`: names of all cubes of the model. */
export function readCube(cube: WholeCube, cubes: ReadonlySet<string>, unread: Unread, findings: Findings): ReadCube {
  const { written } = cube;
  const context: ReadContext = { cube, title: written.title ?? titleize(cube.name), cubes, findings, texts: [] };
  checkPolicy(cube, findings);
  checkMemberNames(cube, findings);
  const dimensions = cube.dimensions
    .map((dimension) => readDimension(dimension, context))
    .filter((dimension) => dimension !== undefined);
  return {
    cube: {
      name: cube.name,
      title: context.title,
      description: written.description ?? undefined,
      source: readSource(cube, unread, findings),
      joins: cube.joins.map((join) => readJoin(join, context)).filter((join) => join !== undefined),
      measures: cube.measures
        .map((measure) => readMeasure(measure, context))
        .filter((measure) => measure !== undefined),
      dimensions,
      segments: cube.segments.map((segment) => readSegment(segment, context)),
      timeMember: dimensions.find((dimension) => dimension.type === 'time')?.name,
      public: isListed(written),
      ...readHierarchies(cube),
    },
    texts: context.texts,
  };
}

/** Skips levels that are not dimensions of the cube, as they affect no figure. */
function readHierarchies({ name: cube, written, dimensions }: WholeCube): Pick<Cube, 'hierarchies'> {
  if (!written.hierarchies) return {};
  const known = new Set(dimensions.map(({ value }) => value.name));
  return {
    hierarchies: written.hierarchies.map(({ name, title, levels }) => ({
      name,
      title: title ?? titleize(name),
      members: (levels ?? [])
        .map((level) => withoutBraces(level).replace(/^(CUBE|TABLE)\./, ''))
        .filter((level) => known.has(level))
        .map((level) => `${cube}.${level}`),
    })),
  };
}

function readSegment({ value: written, site }: Sited<WrittenSegment>, context: ReadContext): Segment {
  const about = { member: written.name, mayHoldMeasures: false, role: `the segment "${written.name}"` };
  return { ...readNames(written, context), sql: readSql(written.sql, below(site, 'sql'), about, context) };
}

function checkPolicy({ written, site }: WholeCube, findings: Findings): void {
  if (written.access_policy == null && written.accessPolicy == null) return;
  const at = below(site, written.access_policy == null ? 'accessPolicy' : 'access_policy');
  reportWarning(findings, at, 'not-supported', 'Access policies are not enforced: everyone sees all rows.');
}

const relationships = ['one_to_one', 'one_to_many', 'many_to_one', 'has_one', 'has_many', 'belongs_to'] as const;

const aliases: Readonly<Record<(typeof relationships)[number], Join['relationship']>> = {
  one_to_one: 'one_to_one',
  one_to_many: 'one_to_many',
  many_to_one: 'many_to_one',
  has_one: 'one_to_one',
  has_many: 'one_to_many',
  belongs_to: 'many_to_one',
};

function readJoin({ value: written, site }: Sited<WrittenJoin>, context: ReadContext): Join | undefined {
  const { findings, cubes, cube } = context;
  const other = withoutBraces(written.name);
  const relationship = readWord(
    written.relationship,
    relationships,
    'relationship of a join',
    below(site, 'relationship'),
    findings,
  );
  const about = { member: undefined, join: other, mayHoldMeasures: false, role: `the join to "${other}"` };
  const sql = readSql(written.sql, below(site, 'sql'), about, context);
  if (!cubes.has(other)) {
    const near = didYouMean(other, cubes);
    const message = `There is no cube "${other}" to join.`;
    if (near !== undefined) reportError(findings, below(site, 'name'), 'unknown-cube', message, near);
    else
      leaveOut(
        findings,
        below(site, 'name'),
        partKey(cube.name, undefined, other),
        `The join to "${other}"`,
        message,
        hasUsualTime(`${other}.*`)
          ? 'sluice makes this cube of the events. ' +
              'To join them, make the events a cube of the model: `meta: {sluice: {events: {time: …}}}`.'
          : 'Cubes written in JavaScript are not supported.',
      );
    return undefined;
  }
  if (other === cube.name) {
    const hint = 'Write a second cube that extends it, and join that.';
    reportError(findings, below(site, 'name'), 'bad-join', `The cube "${other}" cannot join itself.`, hint);
    return undefined;
  }
  return relationship && { cube: other, relationship: aliases[relationship], sql };
}

/** Replaces an invalid source. */
const nothing: CubeSource = { kind: 'sql', sql: [] };

/** The source of a cube's rows: `sql_table` or `sql`, its own or inherited. */
function readSource({ name, source: { value, site } }: WholeCube, unread: Unread, findings: Findings): CubeSource {
  const sql = value.sql?.trim().replace(/(\s*;)+$/, '') || undefined;
  const table = (value.sql_table ?? value.sqlTable)?.trim() || undefined;
  if (sql !== undefined && table !== undefined) {
    reportError(
      findings,
      site,
      'bad-source',
      `The cube "${value.name}" has both \`sql\` and \`sql_table\`.`,
      'Leave one of them out.',
    );
    return nothing;
  }
  if (sql !== undefined) return readQuery(sql, name, below(site, 'sql'), findings);
  if (table !== undefined)
    return readTable(table, name, below(site, value.sql_table == null ? 'sqlTable' : 'sql_table'), findings);
  // A cube that extends an unread cube may inherit its rows.
  if (!unread.cubes.has(name)) {
    const hint = 'Write `sql_table: events`, or `sql: SELECT …`.';
    reportError(findings, site, 'missing-sql', `The cube "${name}" has neither \`sql\` nor \`sql_table\`.`, hint);
  }
  return nothing;
}

function readTable(table: string, cube: string, site: Site, findings: Findings): CubeSource {
  const path = tablePath(table);
  if (!path) {
    const hint = 'Write `events` or `schema.events`; for anything else write `sql: SELECT * FROM …`.';
    leaveOut(findings, site, cube, `The cube "${cube}"`, `"${table}" is not a valid table name.`, hint);
  }
  return path && path.join('.') === table && path.length === table.split('.').length
    ? { kind: 'table', table }
    : { kind: 'table', table, path };
}

function readQuery(sql: string, cube: string, site: Site, findings: Findings): CubeSource {
  if (tablePath(sql)) {
    reportError(
      findings,
      site,
      'bad-source',
      `"${sql}" is the name of a table, not a query.`,
      `Write \`sql_table: ${sql}\`.`,
    );
    return nothing;
  }
  const outcome = readTemplate(sql, { cube, path: site.path, whole: true, values: findings.values });
  if (!outcome.ok) {
    const [issue] = outcome.issues;
    if (issue !== undefined && outcome.issues.every(({ code }) => code === 'not-supported')) {
      leaveOut(findings, site, cube, `The cube "${cube}"`, issue.message, issue.hint);
    } else {
      report(findings, site, outcome.issues);
    }
    return nothing;
  }
  if (outcome.value.some((part) => part.kind !== 'text' && part.kind !== 'filter')) {
    const hint = 'Name the tables themselves; for a literal brace write `\\{`.';
    leaveOut(
      findings,
      site,
      cube,
      `The cube "${cube}"`,
      'References in the `sql` of a whole cube are not supported.',
      hint,
    );
  }
  return { kind: 'sql', sql: outcome.value };
}
