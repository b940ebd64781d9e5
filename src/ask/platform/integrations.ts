import * as z from 'zod';
import { listing, operation, reading, removal } from './operation.ts';
import { about, byDefault, deprecated, filled, flag, groupId, int, marked, oneOf, secret, text } from './parameter.ts';
import { field, fields, unshown } from './record.ts';

const integration = z.looseObject({
  id: z.int(),
  title: field.text,
  slug: field.text,
  created_at: field.time,
  updated_at: field.time,
  ...fields(
    field.flag,
    'active',
    'commit_events',
    'push_events',
    'issues_events',
    'alert_events',
    'confidential_issues_events',
    'merge_requests_events',
    'tag_push_events',
    'deployment_events',
    'note_events',
    'confidential_note_events',
    'pipeline_events',
    'wiki_page_events',
    'job_events',
    'comment_on_event_enabled',
    'inherited',
    'vulnerability_events',
  ),
});

const slug = about(
  z.string().regex(/^[a-z0-9_-]+$/, 'It is the lower-case name of the integration.'),
  'lower-case name of the integration',
);

const codeEvents = ['push_events', 'merge_requests_events', 'tag_push_events'] as const;
const allEvents = [
  'push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'tag_push_events',
  'note_events',
  'confidential_note_events',
  'pipeline_events',
  'wiki_page_events',
] as const;
const channelNames = [
  'push_channel',
  'issue_channel',
  'confidential_issue_channel',
  'merge_request_channel',
  'note_channel',
  'confidential_note_channel',
  'tag_push_channel',
  'pipeline_channel',
  'wiki_page_channel',
] as const;

const switches = fields(flag.optional(), ...allEvents);
const codeSwitches = fields(flag.optional(), ...codeEvents);
const branches = {
  notify_only_broken_pipelines: flag.optional(),
  branches_to_be_notified: byDefault(oneOf(['all', 'default', 'protected', 'default_and_protected']), 'default'),
};
const defaultBranch = {
  notify_only_default_branch: deprecated(flag, 'Use branches_to_be_notified.').optional(),
};
const verification = { enable_ssl_verification: byDefault(flag, true) };
/** A secret, because the address is enough to post. */
const webhook = secret('address to post to');
const token = secret();

/** Parameters of each kind, except `use_inherited_settings`. The platform's API documentation omits the slugs. */
const settings = {
  'task-tracker': {
    api_key: secret('API token of a user'),
    restrict_to_branch: about(text, 'branches, separated by commas; blank: all').optional(),
  },
  'code-and-tickets': { token, subdomain: text.optional() },
  'build-server': { bamboo_url: filled, build_key: filled, username: filled, password: secret(), ...verification },
  'bug-tracker-a': { new_issue_url: filled, issues_url: filled, project_url: filled },
  'hosted-pipelines': {
    token,
    project_url: filled,
    enable_ssl_verification: deprecated(flag, 'It has no effect.').optional(),
    ...codeSwitches,
  },
  'chat-notifications': {
    webhook,
    username: text.optional(),
    channel: text.optional(),
    ...branches,
    ...defaultBranch,
    labels_to_be_notified: about(text, 'blank: all events').optional(),
    labels_to_be_notified_behavior: byDefault(oneOf(['match_any', 'match_all']), 'match_any'),
    ...switches,
    ...fields(text.optional(), ...channelNames),
  },
  'chat-commands': { token },
  'service-chat': { webhook, ...branches, ...defaultBranch, ...switches },
  'unified-communications': { webhook, ...branches, ...switches },
  'web-conferencing': { webhook, ...branches, ...switches },
  'mock-ci': { mock_service_url: filled, ...verification },
  'package-registry-hook': {
    username: filled,
    token,
    // The API documentation says boolean, but it is an address.
    server: about(text, 'address; blank: the default').optional(),
    ...codeSwitches,
  },
  'bug-tracker-b': { issues_url: filled, project_url: filled },
  'pipeline-emails': {
    recipients: about(filled, 'addresses, separated by commas'),
    ...branches,
    ...defaultBranch,
    pipeline_events: flag.optional(),
  },
  'messaging-bot': {
    hostname: text.optional(),
    token,
    room: about(filled, 'chat id, or @channelusername'),
    thread: int.optional(),
    ...branches,
    ...fields(flag, ...allEvents),
  },
} as const;

const common = { id: groupId, slug, use_inherited_settings: byDefault(flag, false) };
const ofKind = <const Kind extends string, Settings extends z.ZodRawShape>(kind: Kind, own: Settings) =>
  z.strictObject({ ...common, kind: marked(z.literal(kind), { unsent: true }), ...own });

const all = '/groups/:id/integrations';
const one = `${all}/:slug`;
const role = 'maintainer';

export const integrations = {
  list: listing(all, 'list the active integrations of a group', { id: groupId }, integration, { role }),
  set: operation({
    method: 'PUT',
    path: one,
    about: 'set up an integration',
    params: z.discriminatedUnion('kind', [
      ofKind('task-tracker', settings['task-tracker']),
      ofKind('code-and-tickets', settings['code-and-tickets']),
      ofKind('build-server', settings['build-server']),
      ofKind('bug-tracker-a', settings['bug-tracker-a']),
      ofKind('hosted-pipelines', settings['hosted-pipelines']),
      ofKind('chat-notifications', settings['chat-notifications']),
      ofKind('chat-commands', settings['chat-commands']),
      ofKind('service-chat', settings['service-chat']),
      ofKind('unified-communications', settings['unified-communications']),
      ofKind('web-conferencing', settings['web-conferencing']),
      ofKind('mock-ci', settings['mock-ci']),
      ofKind('package-registry-hook', settings['package-registry-hook']),
      ofKind('bug-tracker-b', settings['bug-tracker-b']),
      ofKind('pipeline-emails', settings['pipeline-emails']),
      ofKind('messaging-bot', settings['messaging-bot']),
      z.strictObject({
        ...common,
        kind: marked(z.literal('other'), { unsent: true }),
        settings: marked(z.record(z.string(), secret()), {
          spread: true,
          about: 'settings of an integration that the written API does not show',
        }),
      }),
    ]),
    answers: { 200: unshown },
    role,
  }),
  delete: removal(one, 'disable an integration, and reset its settings', { id: groupId, slug }, { role }),
  get: reading(one, 'show the settings of an integration', { id: groupId, slug }, unshown, { role }),
};
