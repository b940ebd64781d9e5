import type { FilterUse, TemplatePart } from './model.ts';

/** Values for a model's text that come from outside. */
export interface TemplateValues {
  /** What a server knows about the current user: `SECURITY_CONTEXT`, and `COMPILE_CONTEXT.securityContext`. */
  readonly securityContext?: Readonly<Record<string, unknown>> | undefined;
}

/** The result of a call of one of Cube's context variables, or why it is not available. */
type ContextCall = { readonly part: TemplatePart } | { readonly reason: string; readonly hint?: string };

const contextVariable = /^(FILTER_PARAMS|FILTER_GROUP|SECURITY_CONTEXT|COMPILE_CONTEXT|SQL_UTILS)\b/;

/** True if the text in braces uses a context variable rather than a member. */
export function isContextCall(inside: string): boolean {
  return contextVariable.test(inside);
}

/**
 * The index of the brace that closes the one at `open`; -1 if there is none. Skips braces in strings, and nested ones.
 */
export function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    else if (text[at] === '}' && (depth -= 1) === 0) return at;
  }
  return -1;
}

const text = `"""[^]*?"""|'''[^]*?'''|"[^"]*"|'[^']*'|` + '`[^`]*`';
const lambda = String.raw`(?:lambda\s+[\w\s,]*:|\(?[\w\s,]*\)?\s*=>)\s*f?(?:${text})`;
const argument = `(${lambda}|${text})`;
const filterParams = new RegExp(String.raw`^FILTER_PARAMS\.(\w+)\.(\w+)\.filter\(\s*${argument}\s*\)$`);
const inGroup = new RegExp(String.raw`FILTER_PARAMS\.(\w+)\.(\w+)\.filter\(\s*${argument}\s*\)`, 'g');
const filterGroup = /^FILTER_GROUP\(([^]*)\)$/;
const security = new RegExp(
  String.raw`^SECURITY_CONTEXT\.([\w.]+)\.(filter|requiredFilter|required_filter)\(\s*(${text})\s*\)$`,
);
const unsafe = /^SECURITY_CONTEXT\.([\w.]+)\.(?:unsafeValue|unsafe_value)\(\s*\)$/;

/**
 * Reads `FILTER_PARAMS.orders.date.filter('date')`, also with a function, `FILTER_GROUP(…)` of several, and
 * `SECURITY_CONTEXT.tenant.filter('tenant_id')`. `ownName`: the meaning of `CUBE`. Source: Cube's data model reference.
 */
export function readContextCall(inside: string, ownName: string, values: TemplateValues = {}): ContextCall {
  const single = filterParams.exec(inside);
  if (single) return { part: { kind: 'filter', uses: [toUse(single, ownName)] } };
  const group = filterGroup.exec(inside)?.[1];
  if (group !== undefined) {
    const uses = [...group.matchAll(inGroup)].map((match) => toUse(match, ownName));
    if (uses.length > 0 && group.replace(inGroup, '').replaceAll(/[\s,]/g, '') === '')
      return { part: { kind: 'filter', uses } };
  }
  const [variable = ''] = contextVariable.exec(inside) ?? [];
  if (variable === 'SECURITY_CONTEXT') return readSecurity(inside, values);
  return { reason: `This use of \`${variable}\` is not supported.`, ...hints[variable] };
}

const hints: Readonly<Record<string, { readonly hint: string }>> = {
  FILTER_PARAMS: { hint: "Write `{FILTER_PARAMS.cube.member.filter('column')}` in the `sql` of a cube." },
  FILTER_GROUP: { hint: 'Write calls of FILTER_PARAMS, separated by commas.' },
  COMPILE_CONTEXT: {
    hint: 'Write `{{ COMPILE_CONTEXT.securityContext.name }}`, and set `securityContext:` in sluice.yaml.',
  },
  SQL_UTILS: { hint: "Remove the call: times are converted to the query's time zone when they are grouped." },
};

function toUse(
  [, cube = '', member = '', target = '']: RegExpExecArray | RegExpMatchArray,
  ownName: string,
): FilterUse {
  const owner = cube === 'CUBE' || cube === 'TABLE' ? ownName : cube;
  const [whole, names, arrow, body] =
    new RegExp(String.raw`^(?:lambda\s+([\w\s,]*):|\(?([\w\s,]*?)\)?\s*=>)\s*f?(${text})$`).exec(target) ?? [];
  if (whole === undefined) return { cube: owner, member, sql: unquoted(target), parameters: undefined };
  const parameters = (names ?? arrow ?? '').split(',').map((name) => name.trim());
  return { cube: owner, member, sql: unquoted(body ?? ''), parameters };
}

function unquoted(written: string): string {
  return written.replace(/^("""|'''|["'`])([^]*)\1$/, '$2');
}

function readSecurity(inside: string, { securityContext = {} }: TemplateValues): ContextCall {
  const [, path = '', kind = '', column = ''] = security.exec(inside) ?? [];
  const [, unsafePath] = unsafe.exec(inside) ?? [];
  const name = unsafePath ?? path;
  if (name === '') return { reason: 'This use of `SECURITY_CONTEXT` is not supported.' };
  const value = name
    .split('.')
    .reduce<unknown>(
      (found, step) =>
        found !== null && typeof found === 'object' && Object.hasOwn(found, step)
          ? (found as Readonly<Record<string, unknown>>)[step]
          : undefined,
      securityContext,
    );
  const missing = value === undefined || value === null;
  if (missing && kind === 'filter') return { part: { kind: 'text', text: '1 = 1' } };
  if (missing)
    return {
      reason: `\`SECURITY_CONTEXT.${name}\` is not set.`,
      hint: `Set it in sluice.yaml: \`securityContext: {${name}: …}\`.`,
    };
  const literals = [value].flat().map(toLiteral);
  if (literals.length === 0 || literals.some((literal) => literal === undefined))
    return { reason: `\`SECURITY_CONTEXT.${name}\` is neither text nor a number, nor a list of them.` };
  if (unsafePath !== undefined) return { part: { kind: 'text', text: String(value) } };
  return { part: { kind: 'text', text: `${unquoted(column)} IN (${literals.join(', ')})` } };
}

function toLiteral(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : undefined;
}
