import * as z from 'zod';
import { externalImport, startsImport } from './imports.ts';
import { operation } from './operation.ts';
import { about, byDefault, filled, flag, int, marked, oneOf, secret } from './parameter.ts';
import { nothing } from './record.ts';

// The platform's API documentation has placeholders for the names of three services. Paths and parameters contain the
// placeholders, unless a caller gives the real names.

const service = (name: string, unsent = false) =>
  marked(byDefault(z.string().regex(/^\w+$/, 'Use letters, digits and _.'), name), {
    about: 'name of the service in paths and parameters',
    unsent,
  });
const named = <Schema extends z.ZodType>(schema: Schema, sentAs: string) => marked(schema, { sentAs });

const provider = service('provider_a');
/** The name also becomes the path. */
const newName = about(
  z
    .string()
    .regex(
      /^[\p{L}\p{N}]+(?:[^\p{L}\p{N}][\p{L}\p{N}]+)*$/u,
      'It must not begin or end with a special character, or have two in a row.',
    ),
  'name and path of the new project',
);
const namespace = about(filled, 'namespace of the new project; it must exist');
const timeout = byDefault(oneOf(['optimistic', 'pessimistic']), 'pessimistic');
const role = 'maintainer';

export const externalImports = {
  createFromA: operation({
    method: 'POST',
    path: '/import/:provider_a',
    about: 'import a repository from the first external host',
    params: z.strictObject({
      provider_a: provider,
      personal_access_token: secret(),
      repo_id: int,
      target_namespace: namespace,
      provider_a_hostname: named(about(filled, 'custom enterprise host'), '{provider_a}_hostname').optional(),
      new_name: newName.optional(),
      optional_stages: z
        .strictObject({
          attachments_import: flag.optional(),
          collaborators_import: flag.optional(),
          single_endpoint_notes_import: flag.optional(),
          single_endpoint_issue_events_import: marked(flag.optional(), {
            deprecated: 'The platform removed it in 16.9.',
          }),
        })
        .optional(),
      pagination_limit: byDefault(int.positive(), 100),
      timeout_strategy: timeout,
    }),
    answers: { 201: externalImport },
    ...startsImport,
    role,
  }),
  cancel: operation({
    method: 'POST',
    path: '/import/:provider_a/cancel',
    about: 'cancel an import from the first external host',
    params: z.strictObject({ provider_a: provider, project_id: int }),
    answers: { 200: externalImport },
    role,
  }),
  gists: operation({
    method: 'POST',
    path: '/import/:provider_a/gists',
    about: 'import gists as snippets (those of more than 10 files are skipped)',
    params: z.strictObject({ provider_a: provider, personal_access_token: secret() }),
    answers: { 202: nothing },
    // The limit of the source host, and not of this server.
    final: [429],
  }),
  createFromBServer: operation({
    method: 'POST',
    path: '/import/:provider_b_server',
    about: 'import a repository from a server of the second external host',
    params: z.strictObject({
      provider_b_server: service('provider_b_server'),
      provider_b_server_project: named(filled, '{provider_b_server}_project'),
      provider_b_server_repo: named(filled, '{provider_b_server}_repo'),
      provider_b_server_url: named(filled, '{provider_b_server}_url'),
      provider_b_server_username: named(filled, '{provider_b_server}_username'),
      personal_access_token: secret(),
      new_name: newName.optional(),
      target_namespace: about(filled, 'default: your own namespace').optional(),
      timeout_strategy: timeout,
    }),
    answers: { 201: externalImport },
    ...startsImport,
    role,
  }),
  createFromBCloud: operation({
    method: 'POST',
    path: '/import/:provider_b_cloud',
    about: 'import a repository from the cloud of the second external host',
    params: z.strictObject({
      provider_b_cloud: service('provider_b_cloud'),
      provider_b: service('provider_b', true),
      provider_b_username: named(filled, '{provider_b}_username'),
      provider_b_app_password: named(secret(), '{provider_b}_app_password'),
      repo_path: filled,
      target_namespace: namespace,
      new_name: newName.optional(),
    }),
    answers: { 201: externalImport },
    ...startsImport,
    role,
  }),
};
