import { toCanonicalQuery, writeCanonicalQuery } from '../../../ask/query/canonical-query.ts';
import type { SavedQuery } from '../../../ask/query/saved-query.ts';
import { shellWord } from '../../../ask/text.ts';
import { enginePlans } from '../../../plan/groups.ts';
import { toLoadBody } from '../../../plan/load-body.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Explanation } from '../../../run/backend.ts';

/** A program that asks the question; an analysis without a file is asked by its line. */
export function toLibraryCall({ query, define, fill, fillWith }: SavedQuery, line?: string): string {
  const options = { ...(fill && { fill }), ...(fillWith !== undefined && { fillWith }) };
  const second = Object.keys(options).length === 0 ? '' : `, ${JSON.stringify(options)}`;
  const written =
    define && line !== undefined ? JSON.stringify(line) : JSON.stringify(toCanonicalQuery(query), undefined, 2);
  return (
    "import { open } from 'sluice';\n\nconst sluice = await open();\nconst result = await " +
    `sluice.query(${written}${second});\nconsole.table(result.rows());\nawait sluice.close();\n`
  );
}

/** The bodies for the load endpoint, one for each plan that a server would run. */
export function toLoadBodies(plans: readonly Plan[]): string {
  return plans
    .flatMap(enginePlans)
    .map((plan) => `${JSON.stringify(toLoadBody(plan), undefined, 2)}\n`)
    .join('\n');
}

/** The SQL statements, each with its parameters in comments before it. */
export function toSql(explanations: readonly Explanation[]): string {
  return explanations
    .map(({ statement, parameters }) => {
      const bound = parameters.map((value, index) => `-- $${index + 1} = ${showParameter(value)}\n`).join('');
      return `${bound}${statement}${statement.endsWith(';') ? '' : ';'}\n`;
    })
    .join('\n');
}

/** Escape line breaks and control characters, so that the value stays inside its comment. */
function showParameter(value: Explanation['parameters'][number]): string {
  if (typeof value === 'bigint') return String(value);
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A shell command; a question that notation cannot express is piped in by stdin. `dataFlags`: see `writeDataFlags`. */
export function toCommandLine(
  { query, define, fill, fillWith }: SavedQuery,
  line: string | undefined,
  dataFlags = '',
): string {
  const flags = `${dataFlags === '' ? '' : ` ${dataFlags}`}${fill === undefined ? '' : ` --fill ${fill}`}${fillWith === undefined ? '' : ` --fill-with ${fillWith}`}`;
  if (line !== undefined) return `sluice query ${shellWord(line)}${flags}\n`;
  const defined = define ? `, "define": ${JSON.stringify(define)}` : '';
  return `printf '%s' ${shellWord(`{"query": ${writeCanonicalQuery(query)}${defined}}`)} | sluice query -${flags}\n`;
}
