import { boundText, type Expression, sql, trusted } from './expression.ts';

/** The condition for the events of a project, to spread; none for the events of all projects. */
export function ofProject(project: string | undefined): readonly Expression[] {
  return project === undefined ? [] : [sql`project_id = ${boundText(project)}`];
}

/** The same as a clause. */
export function whereProject(project: string | undefined): Expression {
  const [condition] = ofProject(project);
  return condition ? sql` WHERE ${condition}` : trusted('');
}
