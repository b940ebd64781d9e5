import { type Issue, type IssuePath, type Outcome, bad, errorIssue, good } from '../../ask/outcome.ts';
import { type TemplateValues, closingBrace, isContextCall, readContextCall } from './context-call.ts';
import { identifier } from './identifier.ts';
import type { Template, TemplatePart } from './model.ts';

interface TemplateContext {
  /** The cube that contains the text, which `{CUBE}` means. */
  readonly cube: string;
  /** Further names for this cube: those of the cubes that it extends. */
  readonly alsoKnownAs?: readonly string[] | undefined;
  /** The path of the text in its file, for issues. */
  readonly path: IssuePath;
  /** Names of all cubes. A single name in braces means a cube if it is one of these, otherwise a member. */
  readonly cubes?: ReadonlySet<string> | undefined;
  /** True for the SQL of a whole cube, which may contain the query's filters. */
  readonly whole?: boolean | undefined;
  readonly values?: TemplateValues | undefined;
}

const literalWords = new Set(['true', 'false', 'null', 'current_date', 'current_timestamp']);

const special = /[{}$\\]/g;

const ownNames = new Set(['CUBE', 'TABLE']);

/**
 * Splits a model's SQL at its references: `{CUBE}`, `{member}`, `{CUBE.member}`, `{Other}`, `{Other.member}`, also as
 * `${…}`. `\{` and `\}` are literal braces. A text that is one bare name means a column of the cube. Does not check
 * that members exist. Source of the rules: Cube's data model reference.
 */
export function readTemplate(text: string, context: TemplateContext): Outcome<Template> {
  const bare = text.trim();
  if (identifier.test(bare) && !literalWords.has(bare.toLowerCase()))
    return good([{ kind: 'cube' }, { kind: 'text', text: `.${bare}` }]);
  const parts: TemplatePart[] = [];
  const issues: Issue[] = [];
  let literal = '';
  const complain = (code: string, message: string, hint?: string) =>
    issues.push(errorIssue(code, message, { path: context.path, hint }));
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] as string;
    const next = text[at + 1];
    if (char === '\\' && (next === '{' || next === '}')) {
      literal += next;
      at += 1;
    } else if (char === '{' && (next === '{' || next === '%' || next === '#')) {
      complain(
        'not-supported',
        `Jinja (\`{${next}\`) is not supported.`,
        'Write the SQL out; for a literal brace write `\\{`.',
      );
      break;
    } else if (char === '{' || (char === '$' && next === '{')) {
      const open = char === '{' ? at : at + 1;
      const isCall = isContextCall(text.slice(open + 1).trimStart());
      const close = isCall ? closingBrace(text, open) : text.indexOf('}', open);
      if (close < 0) {
        complain('bad-template', 'A `{` is never closed.', 'For a literal brace write `\\{`.');
        break;
      }
      const part = toReference(text.slice(open + 1, close).trim(), context, complain);
      if (part) {
        if (literal !== '') parts.push({ kind: 'text', text: literal });
        literal = '';
        parts.push(part);
      }
      at = close;
    } else if (char === '}') {
      complain('bad-template', 'A `}` was never opened.', 'For a literal brace write `\\}`.');
    } else {
      // Copy up to the next special character at once, because the built-in model is read at every start.
      special.lastIndex = at + 1;
      const end = special.exec(text)?.index ?? text.length;
      literal += text.slice(at, end);
      at = end - 1;
    }
  }
  if (literal !== '') parts.push({ kind: 'text', text: literal });
  return issues.length > 0 ? bad(issues) : good(parts);
}

type Complain = (code: string, message: string, hint?: string) => unknown;

function toReference(inside: string, context: TemplateContext, complain: Complain): TemplatePart | undefined {
  const names = inside.split('.').map((name) => name.trim());
  const first = names[0] as string;
  if (isContextCall(inside)) {
    const call = readContextCall(inside, context.cube, context.values);
    if ('part' in call && (call.part.kind === 'text' || context.whole)) return call.part;
    const outside = `\`${inside.split(/\W/)[0]}\` is used in the SQL of a member, but filters apply to the SQL of a cube.`;
    complain('not-supported', 'reason' in call ? call.reason : outside, 'hint' in call ? call.hint : undefined);
    return undefined;
  }
  if (!names.every((name) => identifier.test(name))) {
    const message = inside === '' ? 'The braces are empty.' : `\`{${inside}}\` is not a reference.`;
    // Calls, and repetitions in regular expressions, which Cube would read as numbers.
    const isElsewhere = inside.includes('(') || /^\d+(,\d*)?$/.test(inside);
    complain(
      isElsewhere ? 'not-supported' : 'bad-reference',
      message,
      'Write `{CUBE}`, `{member}` or `{Cube.member}`; for a literal brace write `\\{`.',
    );
    return undefined;
  }
  const isOwn = (name: string) =>
    ownNames.has(name) || name === context.cube || (context.alsoKnownAs?.includes(name) ?? false);
  if (names.length === 1) {
    if (isOwn(first)) return { kind: 'cube' };
    return context.cubes?.has(first)
      ? { kind: 'joined-cube', cube: first }
      : { kind: 'member', cube: context.cube, member: first };
  }
  if (names.length > 2) {
    complain(
      'not-supported',
      `\`{${inside}}\` has ${names.length} parts; paths through several cubes are not supported.`,
      'Write `{Cube.member}`.',
    );
    return undefined;
  }
  return { kind: 'member', cube: isOwn(first) ? context.cube : first, member: names[1] as string };
}

/** The member references of a template, in order. */
export function membersOf(template: Template): readonly { readonly cube: string; readonly member: string }[] {
  return template.filter((part) => part.kind === 'member');
}
