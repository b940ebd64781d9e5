import * as z from 'zod';
import { operation, reading, removal } from './operation.ts';
import { flag, projectId } from './parameter.ts';
import { field, fields } from './record.ts';

const pagesSettings = z.looseObject({
  url: field.text,
  is_unique_domain_enabled: field.flag,
  force_https: field.flag,
  deployments: z
    .array(
      z.looseObject({
        created_at: field.time,
        ...fields(field.text, 'url', 'path_prefix', 'root_directory'),
      }),
    )
    .nullish(),
});

const path = '/projects/:id/pages';

export const pages = {
  get: reading(path, 'show the settings of a static site', { id: projectId }, pagesSettings, { role: 'maintainer' }),
  update: operation({
    method: 'PATCH',
    path,
    about: 'change the settings of a static site',
    params: z.strictObject({
      id: projectId,
      pages_unique_domain_enabled: flag.optional(),
      pages_https_only: flag.optional(),
    }),
    answers: { 200: pagesSettings },
    role: 'administrator',
    idempotent: true,
  }),
  delete: removal(path, 'unpublish a static site', { id: projectId }, { role: 'administrator' }),
};
