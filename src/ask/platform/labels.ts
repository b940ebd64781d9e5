import * as z from 'zod';
import { listing, operation, reading, removal } from './operation.ts';
import { about, byDefault, filled, flag, groupId, idOrName, text } from './parameter.ts';
import { field, fields, nothing } from './record.ts';

const label = z.looseObject({
  id: z.int(),
  name: z.string(),
  ...fields(field.text, 'color', 'text_color', 'description', 'description_html'),
  ...fields(field.int, 'open_issues_count', 'closed_issues_count', 'open_merge_requests_count'),
  subscribed: field.flag,
});

const all = '/groups/:id/labels';
const one = `${all}/:label_id`;
const label_id = about(idOrName, 'number or title');
const color = about(
  z.string().regex(/^(?:#[0-9a-f]{6}|[a-z]+)$/i, 'Use #RRGGBB or a CSS color name.'),
  '#RRGGBB or a name',
);
const changes = {
  new_name: filled.optional(),
  color: color.optional(),
  description: text.optional(),
};
const rules = [{ kind: 'any-of', names: ['new_name', 'color', 'description'] }] as const;
const old = 'Name the label in the path: use `update` or `delete`.';

const included = {
  include_ancestor_groups: byDefault(flag, true),
  include_descendant_groups: byDefault(flag, false),
  only_group_labels: byDefault(flag, true),
};

export const labels = {
  list: listing(
    all,
    'list the labels of a group',
    { id: groupId, with_counts: byDefault(flag, false), ...included, search: text.optional() },
    label,
  ),
  get: reading(one, 'show a label', { id: groupId, label_id, ...included }, label),
  create: operation({
    method: 'POST',
    path: all,
    about: 'create a label',
    params: z.strictObject({ id: groupId, name: filled, color, description: text.optional() }),
    answers: { 201: label },
  }),
  update: operation({
    method: 'PUT',
    path: one,
    about: 'change a label',
    params: z.strictObject({ id: groupId, label_id, ...changes }),
    rules,
    answers: { 200: label },
  }),
  delete: removal(one, 'delete a label', { id: groupId, label_id }),
  subscribe: operation({
    method: 'POST',
    path: `${one}/subscribe`,
    about: 'subscribe to a label',
    params: z.strictObject({ id: groupId, label_id }),
    // 304 (null): it was subscribed already.
    answers: { 201: label, 304: nothing },
    idempotent: true,
  }),
  unsubscribe: operation({
    method: 'POST',
    path: `${one}/unsubscribe`,
    about: 'unsubscribe from a label',
    params: z.strictObject({ id: groupId, label_id }),
    answers: { 201: label, 304: nothing },
    idempotent: true,
  }),
  updateByName: operation({
    method: 'PUT',
    path: all,
    about: 'change a label by its name',
    params: z.strictObject({ id: groupId, name: filled, ...changes }),
    rules,
    answers: { 200: label },
    deprecated: old,
  }),
  deleteByName: removal(all, 'delete a label by its name', { id: groupId, name: filled }, { deprecated: old }),
};
