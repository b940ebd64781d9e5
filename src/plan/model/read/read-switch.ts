import type { Template } from '../model.ts';
import { type ReadContext, readSql, type SqlText } from './read-context.ts';
import { below, type Site } from './site.ts';

/** `case: {switch: "{CUBE.currency}", when: [{value: USD, sql: "{usd}"}], else: {sql: "{eur}"}}`, as it is written. */
export interface WrittenSwitch {
  readonly switch: string;
  readonly when: readonly { readonly value: string; readonly sql: string }[];
  readonly else?: { readonly sql: string } | null | undefined;
}

/** The case in SQL. `value`: how the value of the switch reads in it. */
export function readSwitchCase(
  written: WrittenSwitch,
  site: Site,
  about: Pick<SqlText, 'member' | 'mayHoldMeasures' | 'role'>,
  context: ReadContext,
  value: (template: Template) => Template = (template) => template,
): Template {
  const key = value(readSql(written.switch, below(site, 'switch'), about, context));
  const branches = written.when.map((each, index): Template => {
    const sql = readSql(each.sql, below(site, 'when', index, 'sql'), about, context);
    return [text(` WHEN '${each.value.replaceAll("'", "''")}' THEN (`), ...sql, text(')')];
  });
  const otherwise: Template = written.else ? readSql(written.else.sql, below(site, 'else', 'sql'), about, context) : [];
  if (branches.length === 0) return otherwise.length === 0 ? [text('NULL')] : otherwise;
  return [
    text('CASE '),
    ...key,
    ...branches.flat(),
    ...(otherwise.length === 0 ? [] : [text(' ELSE ('), ...otherwise, text(')')]),
    text(' END'),
  ];
}

function text(written: string): Template[number] {
  return { kind: 'text', text: written };
}
