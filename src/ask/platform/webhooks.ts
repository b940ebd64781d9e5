import * as z from 'zod';
import { listing, operation, reading } from './operation.ts';
import { about, byDefault, filled, flag, groupId, int, oneOf, secret, text } from './parameter.ts';
import { field, fields } from './record.ts';

/** The events that can be set. */
const triggers = [
  'confidential_issues_events',
  'confidential_note_events',
  'deployment_events',
  'feature_flag_events',
  'issues_events',
  'job_events',
  'member_events',
  'merge_requests_events',
  'milestone_events',
  'note_events',
  'pipeline_events',
  'project_events',
  'push_events',
  'releases_events',
  'resource_access_token_events',
  'subgroup_events',
  'tag_push_events',
  'wiki_page_events',
] as const;

const webhook = z.looseObject({
  id: z.int(),
  group_id: field.int,
  ...fields(field.text, 'url', 'name', 'description'),
  created_at: field.time,
  push_events_branch_filter: field.text,
  branch_filter_strategy: field.text,
  enable_ssl_verification: field.flag,
  alert_status: field.text,
  disabled_until: field.time,
  url_variables: z.array(z.unknown()).nullish(),
  custom_webhook_template: field.text,
  custom_headers: z.array(z.looseObject({ key: field.text })).nullish(),
  ...fields(field.flag, ...triggers, 'repository_update_events', 'emoji_events'),
});

const webhookEvent = z.looseObject({
  id: z.int(),
  url: field.text,
  trigger: field.text,
  // Older servers record the hook's token.
  request_headers: z.looseObject({ 'X-Service-Token': field.secret, 'X-Gitlab-Token': field.secret }).nullish(),
  request_data: z.unknown().optional(),
  response_headers: field.hash,
  response_body: field.text,
  /** Seconds. */
  execution_duration: field.number,
  response_status: z.union([z.string(), z.int()]).nullish(),
});

const all = '/groups/:id/hooks';
const one = `${all}/:hook_id`;
const hook_id = int;
const access = { tier: 'paid', role: 'owner' } as const;

export const webhooks = {
  list: listing(all, 'list the webhooks of a group', { id: groupId }, webhook, access),
  get: reading(one, 'show a webhook', { id: groupId, hook_id }, webhook, access),
  events: listing(
    `${one}/events`,
    'list the deliveries of a webhook in the past seven days',
    {
      id: groupId,
      hook_id,
      status: about(
        z.union([int.min(100).max(599), oneOf(['successful', 'client_failure', 'server_failure'])]),
        'code, or successful (2xx), client_failure (4xx), server_failure (5xx)',
      ).optional(),
    },
    webhookEvent,
    { ...access },
  ),
  resend: operation({
    method: 'POST',
    path: `${one}/events/:hook_event_id/resend`,
    about: 'deliver a recorded event again (at most five times a minute)',
    params: z.strictObject({ id: groupId, hook_id, hook_event_id: int }),
    answers: { 201: z.looseObject({ response_status: z.int() }) },
    ...access,
  }),
  create: operation({
    method: 'POST',
    path: all,
    about: 'add a webhook',
    params: z.strictObject({
      id: groupId,
      url: filled,
      name: text.optional(),
      description: text.optional(),
      token: secret('sent with each delivery').optional(),
      branch_filter_strategy: byDefault(oneOf(['wildcard', 'regex', 'all_branches']), 'wildcard'),
      push_events_branch_filter: text.optional(),
      custom_headers: z.array(z.strictObject({ key: filled, value: secret() })).optional(),
      custom_webhook_template: text.optional(),
      enable_ssl_verification: flag.optional(),
      ...fields(flag.optional(), ...triggers),
    }),
    answers: { 201: webhook },
    ...access,
  }),
};
