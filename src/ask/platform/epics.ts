import * as z from 'zod';
import { listing, operation } from './operation.ts';
import { about, filled, flag, groupId, int } from './parameter.ts';
import { field, fields, person } from './record.ts';

const epic = z.looseObject({
  id: z.int(),
  ...fields(field.int, 'iid', 'group_id', 'parent_id'),
  title: field.text,
  description: field.text,
  author: person.nullish(),
  start_date: field.date,
  /** Deprecated: use `due_date`. */
  end_date: field.date,
  due_date: field.date,
  ...fields(field.flag, 'start_date_is_fixed', 'due_date_is_fixed'),
  start_date_fixed: field.date,
  due_date_fixed: field.date,
  /** Deprecated: use `start_date_from_inherited_source`. */
  start_date_from_milestones: field.date,
  /** Deprecated: use `due_date_from_inherited_source`. */
  ...fields(
    field.date,
    'due_date_from_milestones',
    'start_date_from_inherited_source',
    'due_date_from_inherited_source',
  ),
  created_at: field.time,
  updated_at: field.time,
  labels: z.array(z.unknown()).nullish(),
});

const linkedEpic = z.looseObject({
  id: z.int(),
  iid: field.int,
  title: field.text,
  group_id: field.int,
  parent_id: field.int,
  ...fields(field.flag, 'has_children', 'has_issues'),
  ...fields(field.text, 'reference', 'url', 'relation_url'),
});

const all = '/groups/:id/epics/:epic_iid/epics';
const one = `${all}/:child_epic_id`;
const epic_iid = about(int, 'number within the group');
const child_epic_id = about(int, 'global id, not the number within the group');
const sibling = about(int, 'global id of a sibling');
const access = {
  tier: 'top',
  deprecated: 'The epics API is to be removed in version 5. The work items API replaces it.',
} as const;

export const epics = {
  list: listing(all, 'list the child epics of an epic', { id: groupId, epic_iid }, epic, access),
  assign: operation({
    method: 'POST',
    path: one,
    about: 'make an epic a child of another; it leaves its parent',
    params: z.strictObject({ id: groupId, epic_iid, child_epic_id }),
    answers: { 201: epic },
    idempotent: true,
    ...access,
  }),
  create: operation({
    method: 'POST',
    path: all,
    about: 'create a child epic',
    params: z.strictObject({
      id: groupId,
      epic_iid,
      title: filled,
      confidential: about(flag, 'default: as the parent').optional(),
    }),
    answers: { 201: linkedEpic },
    ...access,
  }),
  reorder: operation({
    method: 'PUT',
    path: one,
    about: 'move a child epic among its siblings',
    params: z.strictObject({
      id: groupId,
      epic_iid,
      child_epic_id,
      move_before_id: sibling.optional(),
      move_after_id: sibling.optional(),
    }),
    answers: { 200: z.array(epic) },
    ...access,
  }),
  unassign: operation({
    method: 'DELETE',
    path: one,
    about: 'take a child epic away from its parent',
    params: z.strictObject({ id: groupId, epic_iid, child_epic_id }),
    answers: { 200: epic },
    ...access,
  }),
};
