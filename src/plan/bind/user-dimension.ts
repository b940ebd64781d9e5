import { userKeyColumn } from '../model/event-fields.ts';
import type { Dimension } from '../model/model.ts';

/** The user as a group, for cubes whose rows have one. Queries cannot name it. */
export const userDimension: Dimension = {
  name: 'user key',
  title: 'user key',
  shortTitle: 'user key',
  type: 'string',
  expression: { kind: 'sql', sql: [{ kind: 'cube' }, { kind: 'text', text: `.${userKeyColumn}` }] },
  primaryKey: false,
  public: false,
};
