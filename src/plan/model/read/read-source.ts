import type { CubeSource } from '../model.ts';
import { readTemplate } from '../template.ts';
import type { WholeCube } from './extend-cubes.ts';
import type { Unread } from './read-file.ts';
import { below, leaveOut, report, reportError, type Findings, type Site } from './site.ts';

/** In place of a source that does not read. */
const nothing: CubeSource = { kind: 'sql', sql: [] };

const plainName = /^[\p{L}\p{N}_$-]+(\.[\p{L}\p{N}_$-]+)*$/u;

/** Where a cube's rows come from: `sql_table` or `sql`, its own or inherited. */
export function readSource({ name, source: { value, site } }: WholeCube, unread: Unread, findings: Findings): CubeSource {
  const sql = value.sql?.trim().replace(/(\s*;)+$/, '') || undefined;
  const table = (value.sql_table ?? value.sqlTable)?.trim() || undefined;
  if (sql !== undefined && table !== undefined) {
    reportError(findings, site, 'bad-source', `The cube "${value.name}" has both \`sql\` and \`sql_table\`.`, 'Leave one of them out.');
    return nothing;
  }
  if (sql !== undefined) return readQuery(sql, name, below(site, 'sql'), findings);
  if (table !== undefined) return readTable(table, name, below(site, value.sql_table == null ? 'sqlTable' : 'sql_table'), findings);
  // An heir of an unread cube may well inherit its rows.
  if (!unread.cubes.has(name)) {
    const hint = 'Write `sql_table: events`, or `sql: SELECT …`.';
    reportError(findings, site, 'missing-sql', `The cube "${name}" does not say where its rows come from.`, hint);
  }
  return nothing;
}

function readTable(table: string, cube: string, site: Site, findings: Findings): CubeSource {
  if (!plainName.test(table)) {
    const hint = 'Write `events` or `schema.events`; for anything else write `sql: SELECT * FROM …`.';
    leaveOut(findings, site, cube, `The cube "${cube}"`, `"${table}" is no plain name of a table.`, hint);
  }
  return { kind: 'table', table };
}

function readQuery(sql: string, cube: string, site: Site, findings: Findings): CubeSource {
  if (plainName.test(sql)) {
    reportError(findings, site, 'bad-source', `"${sql}" is the name of a table, not a query.`, `Write \`sql_table: ${sql}\`.`);
    return nothing;
  }
  const outcome = readTemplate(sql, { cube, path: site.path });
  if (!outcome.ok) {
    const [issue] = outcome.issues;
    if (issue !== undefined && outcome.issues.every(({ code }) => code === 'not-supported')) {
      leaveOut(findings, site, cube, `The cube "${cube}"`, issue.message, issue.hint);
    } else {
      report(findings, site, outcome.issues);
    }
    return nothing;
  }
  if (outcome.value.some((part) => part.kind !== 'text')) {
    const hint = 'Name the tables themselves; for a literal brace write `\\{`.';
    leaveOut(findings, site, cube, `The cube "${cube}"`, 'References in the `sql` of a whole cube are not supported.', hint);
  }
  return { kind: 'sql', sql: outcome.value };
}
