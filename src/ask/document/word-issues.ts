import type { core } from 'zod';
import { errorIssue, type Issue, type IssuePath } from '../outcome.ts';
import { bestBranch } from './best-branch.ts';
import { keysOf } from './schema-shape.ts';
import { wordIssue } from './word-issue.ts';

/** What a schema knew when it raised an issue; zod's finished issues no longer hold it. */
export interface RaisedIssue {
  readonly input: unknown;
  /** Keys that the mapping may have. */
  readonly keys: readonly string[];
  /** Keys of each branch of a union. */
  readonly branches: readonly (readonly string[] | undefined)[];
}

/** The wording of one parse: `remember` is zod's error map, `toIssues` turns what zod found into issues. */
export interface Wording {
  readonly remember: (raw: core.$ZodRawIssue) => string;
  readonly toIssues: (found: readonly core.$ZodIssue[], above?: IssuePath) => readonly Issue[];
}

/**
 * zod's issues as friendly ones. While zod parses, each issue gets a ticket for a message; the ticket leads back to
 * the input and the schema, from which the sentence and the hint are made once the full path is known.
 * A message without a ticket is the schema author's own.
 */
export function openWording(): Wording {
  const raised = new Map<string, RaisedIssue>();

  const remember = (raw: core.$ZodRawIssue): string => {
    const ticket = `\u0000${raised.size}`;
    raised.set(ticket, {
      input: raw.input,
      keys: keysOf(raw.inst as core.$ZodType | undefined) ?? [],
      branches: raw.code === 'invalid_union' ? branchesOf(raw.inst as core.$ZodType | undefined) : [],
    });
    return ticket;
  };

  const toIssues = (found: readonly core.$ZodIssue[], above: IssuePath = []): readonly Issue[] =>
    found.flatMap((issue): readonly Issue[] => {
      const path = [...above, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
      const known = raised.get(issue.message);
      if (!known) return [ownIssue(issue, path)];
      if (issue.code === 'invalid_union') {
        const branch = bestBranch(issue, known);
        return branch.kind === 'issues' ? toIssues(branch.issues, path) : [branch.toIssue(path)];
      }
      return wordIssue(issue, path, known);
    });

  return { remember, toIssues };
}

function ownIssue(issue: core.$ZodIssue, path: IssuePath): Issue {
  const [message = '', hint] = issue.message.split('\n', 2);
  const params: Readonly<Record<string, unknown>> = issue.code === 'custom' ? (issue.params ?? {}) : {};
  return errorIssue(typeof params['code'] === 'string' ? params['code'] : 'invalid-value', message, { path, hint });
}

function branchesOf(schema: core.$ZodType | undefined): RaisedIssue['branches'] {
  const def = (schema as core.$ZodTypes | undefined)?._zod.def;
  return def?.type === 'union' ? def.options.map((option) => keysOf(option)) : [];
}
