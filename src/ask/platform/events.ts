import * as z from 'zod';
import { operation } from './operation.ts';
import { about, byDefault, date, filled, idOrName, oneOf, paging, projectId } from './parameter.ts';
import { field, fields, person } from './record.ts';

const activityEvent = z.looseObject({
  id: z.int(),
  ...fields(field.int, 'project_id', 'target_id', 'target_iid', 'author_id'),
  ...fields(field.text, 'title', 'action_name', 'target_type', 'target_title'),
  created_at: field.time,
  author: person.nullish(),
  author_username: field.text,
  imported: field.flag,
  imported_from: field.text,
  push_data: z
    .looseObject({
      commit_count: field.int,
      ...fields(field.text, 'action', 'ref_type', 'commit_from', 'commit_to', 'ref', 'commit_title'),
    })
    .nullish(),
  note: z
    .looseObject({
      id: field.int,
      body: field.text,
      attachment: z.unknown().optional(),
      author: person.nullish(),
      created_at: field.time,
      system: field.flag,
      noteable_id: field.int,
      noteable_type: field.text,
      noteable_iid: field.int,
    })
    .nullish(),
  data: z.unknown().optional(),
});

const filters = {
  action: filled.optional(),
  target_type: oneOf(['epic', 'issue', 'merge_request', 'milestone', 'note', 'project', 'snippet', 'user']).optional(),
  before: date.optional(),
  after: date.optional(),
  sort: byDefault(oneOf(['asc', 'desc']), 'desc'),
  ...paging,
};
const answer = {
  answers: { 200: z.array(activityEvent) },
  pagination: 'offset',
  scopes: ['read_user', 'api'],
} as const;

export const events = {
  list: operation({
    method: 'GET',
    path: '/events',
    about: 'list your own activity (no epics)',
    params: z.strictObject({
      ...filters,
      scope: about(filled, '`all`: everything in your projects').optional(),
    }),
    ...answer,
  }),
  ofUser: operation({
    method: 'GET',
    path: '/users/:id/events',
    about: 'list the activity of a user (no epics)',
    params: z.strictObject({ id: about(idOrName, 'number or user name'), ...filters }),
    ...answer,
  }),
  ofProject: operation({
    method: 'GET',
    path: '/projects/:project_id/events',
    about: 'list the activity in a project',
    params: z.strictObject({ project_id: projectId, ...filters }),
    ...answer,
  }),
};
