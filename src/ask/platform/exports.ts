import * as z from 'zod';
import { operation, reading } from './operation.ts';
import { about, byDefault, oneOf, projectId, secret, text } from './parameter.ts';
import { field, fields, unshown } from './record.ts';

/** Fields of a project in the records of its export and import. */
export const projectFields = {
  id: field.int,
  ...fields(field.text, 'description', 'name', 'name_with_namespace', 'path', 'path_with_namespace'),
  created_at: field.time,
};

const exportRecord = z.looseObject({
  ...projectFields,
  /** `none`, `queued`, `started`, `finished`, `regeneration_in_progress`. */
  export_status: z.string(),
  _links: z.looseObject({ api_url: field.text, web_url: field.text }).nullish(),
});

const path = '/projects/:id/export';

const status = operation({
  method: 'GET',
  path,
  about: 'show the state of an export',
  params: z.strictObject({ id: projectId }),
  answers: { 200: exportRecord },
  // While an archive is regenerated, the previous one can be downloaded.
  states: {
    field: 'export_status',
    going: ['queued', 'started', 'regeneration_in_progress'],
    done: ['finished'],
  },
});

export const exports = {
  start: operation({
    method: 'POST',
    path,
    about: 'start the export of a project',
    params: z.strictObject({
      id: projectId,
      description: about(text, 'overrides the description of the project').optional(),
      upload: about(
        z.strictObject({
          url: secret('presigned address, which must cover Content-Type: application/gzip'),
          http_method: byDefault(oneOf(['PUT', 'POST']), 'PUT'),
        }),
        'where the platform uploads the archive, at most 5 GB',
      ).optional(),
    }),
    answers: { 202: z.looseObject({ message: field.text }) },
    starts: { status, id: 'given' },
  }),
  status,
  download: reading(`${path}/download`, 'download the archive of an export', { id: projectId }, unshown, {
    download: 'application/gzip',
  }),
};
