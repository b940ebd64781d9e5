import * as z from 'zod';
import { listing, operation, reading, removal } from './operation.ts';
import { about, date, deprecated, filled, flag, int, oneOf, paging, projectId, text, time } from './parameter.ts';
import { field, unshown } from './record.ts';

const milestone = z.looseObject({
  id: z.int(),
  iid: field.int,
  project_id: field.int,
  title: field.text,
  description: field.text,
  due_date: field.date,
  start_date: field.date,
  /** `active` or `closed`. */
  state: field.text,
  updated_at: field.time,
  created_at: field.time,
  expired: field.flag,
});

const all = '/projects/:id/milestones';
const one = `${all}/:milestone_id`;
const milestone_id = about(int, 'its id, not its iid');
const item = z.looseObject({ id: z.int() });

const dates = { due_date: date.optional(), start_date: date.optional() };

export const milestones = {
  list: listing(
    all,
    'list the milestones of a project',
    {
      id: projectId,
      iids: z.array(int).optional(),
      state: oneOf(['active', 'closed']).optional(),
      title: text.optional(),
      search: about(text, 'part of a title or description').optional(),
      include_parent_milestones: deprecated(flag, 'Use include_ancestors.').optional(),
      include_ancestors: flag.optional(),
      updated_before: time.optional(),
      updated_after: time.optional(),
    },
    milestone,
    { rules: [{ kind: 'excludes', name: 'include_ancestors', other: 'iids' }] },
  ),
  get: reading(one, 'show a milestone', { id: projectId, milestone_id }, milestone),
  create: operation({
    method: 'POST',
    path: all,
    about: 'create a milestone',
    params: z.strictObject({ id: projectId, title: filled, description: text.optional(), ...dates }),
    answers: { 201: milestone },
  }),
  update: operation({
    method: 'PUT',
    path: one,
    about: 'change, close or reopen a milestone',
    params: z.strictObject({
      id: projectId,
      milestone_id,
      title: filled.optional(),
      description: text.optional(),
      ...dates,
      state_event: oneOf(['close', 'activate']).optional(),
    }),
    answers: { 200: milestone },
  }),
  delete: removal(one, 'delete a milestone', { id: projectId, milestone_id }, { role: 'reporter' }),
  issues: listing(`${one}/issues`, 'list the issues of a milestone', { id: projectId, milestone_id }, item),
  mergeRequests: listing(
    `${one}/merge_requests`,
    'list the merge requests of a milestone',
    { id: projectId, milestone_id },
    item,
  ),
  promote: operation({
    method: 'POST',
    path: `${one}/promote`,
    about: 'turn a milestone into one of the group',
    params: z.strictObject({ id: projectId, milestone_id }),
    answers: { 200: unshown },
    role: 'reporter',
  }),
  burndownEvents: operation({
    method: 'GET',
    path: `${one}/burndown_events`,
    about: 'list the events of a milestone’s burndown chart',
    params: z.strictObject({ id: projectId, milestone_id, ...paging }),
    answers: { 200: z.array(z.looseObject({})) },
    pagination: 'offset',
    tier: 'paid',
  }),
};
