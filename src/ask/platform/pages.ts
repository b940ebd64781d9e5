import * as z from 'zod';
import { operation } from './operation.ts';
import { flag, projectId } from './parameter.ts';
import { field, nothing } from './record.ts';

export const pagesSettings = z.looseObject({
  url: field.text,
  is_unique_domain_enabled: field.flag,
  force_https: field.flag,
  deployments: z
    .array(
      z.looseObject({
        created_at: field.time,
        url: field.text,
        path_prefix: field.text,
        root_directory: field.text,
      }),
    )
    .nullish(),
});

const path = '/projects/:id/pages';

export const pages = {
  get: operation({
    method: 'GET',
    path,
    about: 'show the settings of a static site',
    params: z.strictObject({ id: projectId }),
    answers: { 200: pagesSettings },
    role: 'maintainer',
  }),
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
  delete: operation({
    method: 'DELETE',
    path,
    about: 'unpublish a static site',
    params: z.strictObject({ id: projectId }),
    answers: { 204: nothing },
    role: 'administrator',
  }),
};
