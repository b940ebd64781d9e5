import * as z from 'zod';
import { projectFields } from './exports.ts';
import { type FailureInside, listing, operation, reading } from './operation.ts';
import { about, byDefault, filled, flag, idOrName, oneOf, projectId, secret, text, upload } from './parameter.ts';
import { field, fields } from './record.ts';

const counts = z.record(z.string(), z.int()).nullish();

const importRecord = z.looseObject({
  ...projectFields,
  /** `none`, `scheduled`, `failed`, `started`, `finished`; `canceled` after a cancellation. */
  import_status: z.string(),
  ...fields(field.text, 'import_type', 'correlation_id', 'import_error'),
  failed_relations: z
    .array(
      z.looseObject({
        id: field.int,
        created_at: field.time,
        ...fields(field.text, 'exception_class', 'exception_message', 'source', 'relation_name'),
        line_number: field.int,
      }),
    )
    .nullish(),
  stats: z.looseObject({ fetched: counts, imported: counts }).nullish(),
});

/** The answer of imports from object storage and from other hosts. */
export const externalImport = z.looseObject({
  id: field.int,
  ...fields(
    field.text,
    'name',
    'full_path',
    'full_name',
    'refs_url',
    'import_source',
    'import_status',
    'human_import_status_name',
    'provider_link',
    'relation_type',
    'import_warning',
  ),
});

const relationImport = z.looseObject({
  id: z.int(),
  project_path: field.text,
  relation: field.text,
  /** `created`, `started`, `finished`, `failed`. */
  status: z.string(),
  created_at: field.time,
  updated_at: field.time,
});

const failures: readonly FailureInside[] = [
  {
    field: 'import_status',
    values: ['failed', 'finished'],
    names: 'failed_relations',
    parts: ['relation_name', 'source', 'line_number', 'exception_class', 'exception_message'],
  },
  { field: 'import_status', values: ['failed'], names: 'import_error' },
];

const target = {
  path: filled,
  name: about(filled, 'default: the path').optional(),
  namespace: about(idOrName, 'default: your own namespace').optional(),
};
const overrides = {
  override_params: about(
    z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    'fields of the project that replace those of the archive',
  ).optional(),
  overwrite: byDefault(about(flag, 'replace a project with the same path'), false),
};

const importStatus = reading('/projects/:id/import', 'show the state of an import', { id: projectId }, importRecord, {
  failures,
  states: { field: 'import_status', going: ['scheduled', 'started'], done: ['finished'] },
});

const listRelations = listing(
  '/projects/:id/relation-imports',
  'list the imports of items into a project',
  { id: projectId },
  relationImport,
  { failures: [{ field: 'status', values: ['failed'], names: 'relation' }] },
);

/** For imports that create a project. */
export const startsImport = { starts: { status: importStatus, id: 'result' } } as const;

export const imports = {
  create: operation({
    method: 'POST',
    path: '/projects/import',
    about: 'import a project from an archive',
    params: z.strictObject({ file: upload, ...target, ...overrides }),
    body: 'multipart',
    answers: { 201: importRecord },
    failures,
    ...startsImport,
    role: 'maintainer',
  }),
  createRemote: operation({
    method: 'POST',
    path: '/projects/remote-import',
    about: 'import a project from an address (at most 10 GB, application/gzip)',
    params: z.strictObject({ ...target, url: secret('address of the archive'), ...overrides }),
    answers: { 201: importRecord },
    failures,
    ...startsImport,
    role: 'maintainer',
    beta: true,
  }),
  createRelation: operation({
    method: 'POST',
    path: '/projects/import-relation',
    about: 'import one kind of items from an archive into a project',
    params: z.strictObject({
      file: upload,
      path: about(filled, 'full path of the project'),
      relation: oneOf(['issues', 'milestones', 'ci_pipelines', 'merge_requests']),
    }),
    body: 'multipart',
    answers: { 201: relationImport },
    failures: [{ field: 'status', values: ['failed'], names: 'relation' }],
    starts: {
      status: listRelations,
      id: 'given path',
      states: { field: 'status', going: ['created', 'started'], done: ['finished'] },
    },
  }),
  listRelations,
  createFromStorage: operation({
    method: 'POST',
    path: '/projects/remote-import-objstore',
    about: 'import a project from an object store',
    params: z.strictObject({
      access_key_id: secret(),
      bucket_name: filled,
      file_key: text.min(1),
      ...target,
      region: filled,
      secret_access_key: secret(),
    }),
    answers: { 201: externalImport },
    failures: [{ field: 'import_status', values: ['failed'], names: 'human_import_status_name' }],
    ...startsImport,
    role: 'maintainer',
  }),
  status: importStatus,
};
