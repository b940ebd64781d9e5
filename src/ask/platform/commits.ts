import * as z from 'zod';
import { listing, operation, reading } from './operation.ts';
import { about, byDefault, filled, flag, idOrName, oneOf, paging, projectId, text, time } from './parameter.ts';
import { field, fields } from './record.ts';

export const commitFields = {
  id: z.string(),
  ...fields(field.text, 'short_id', 'title', 'message', 'author_name', 'author_email'),
  authored_date: field.time,
  committer_name: field.text,
  committer_email: field.text,
  committed_date: field.time,
  created_at: field.time,
  parent_ids: field.texts,
};

const commit = z.looseObject({
  ...commitFields,
  web_url: field.text,
  trailers: z.record(z.string(), z.string()).nullish(),
  extended_trailers: z.record(z.string(), z.array(z.string())).nullish(),
  stats: z.looseObject({ additions: field.int, deletions: field.int, total: field.int }).nullish(),
  status: field.text,
  last_pipeline: z.looseObject({ id: field.int, ref: field.text, sha: field.text, status: field.text }).nullish(),
});

const diff = z.looseObject({
  ...fields(field.text, 'diff', 'new_path', 'old_path', 'a_mode', 'b_mode'),
  ...fields(field.flag, 'new_file', 'renamed_file', 'deleted_file'),
});

const comment = z.looseObject({
  note: field.text,
  author: z
    .looseObject({
      id: field.int,
      ...fields(field.text, 'username', 'email', 'name', 'state'),
      created_at: field.time,
    })
    .nullish(),
});

const encoding = byDefault(oneOf(['text', 'base64']), 'text');
const file_path = filled;
const last_commit_id = filled.optional();

const actions = z
  .array(
    z.discriminatedUnion('action', [
      z.strictObject({ action: z.literal('create'), file_path, content: text, encoding }),
      z.strictObject({ action: z.literal('delete'), file_path, last_commit_id }),
      z.strictObject({
        action: z.literal('move'),
        file_path,
        previous_path: filled.optional(),
        content: text.optional(),
        encoding,
        last_commit_id,
      }),
      z.strictObject({ action: z.literal('update'), file_path, content: text, encoding, last_commit_id }),
      z.strictObject({ action: z.literal('chmod'), file_path, execute_filemode: flag.optional() }),
    ]),
  )
  .min(1);

const all = '/projects/:id/repository/commits';
const one = `${all}/:sha`;
const sha = about(filled, 'hash, branch or tag');
const dry_run = byDefault(about(flag, 'only try it on the server'), false);
/** With `dry_run`, a successful result has no commit. */
const applied = z.union([commit, z.looseObject({ dry_run: z.string() })]);

export const commits = {
  list: listing(
    all,
    'list the commits of a branch, tag or range',
    {
      id: projectId,
      ref_name: about(filled, 'branch, tag or range (default: the default branch)').optional(),
      since: time.optional(),
      until: time.optional(),
      path: filled.optional(),
      author: filled.optional(),
      all: flag.optional(),
      with_stats: flag.optional(),
      first_parent: flag.optional(),
      order: byDefault(oneOf(['default', 'topo']), 'default'),
      trailers: flag.optional(),
    },
    commit,
  ),
  create: operation({
    method: 'POST',
    path: all,
    about: 'create a commit with changes of files',
    params: z.strictObject({
      id: projectId,
      branch: filled,
      commit_message: filled,
      start_branch: filled.optional(),
      start_sha: filled.optional(),
      start_project: about(idOrName, 'default: the project').optional(),
      actions,
      author_email: filled.optional(),
      author_name: filled.optional(),
      stats: byDefault(flag, true),
      force: about(flag, 'replace the branch by a commit on start_branch or start_sha').optional(),
    }),
    answers: { 201: commit },
  }),
  get: reading(one, 'show a commit', { id: projectId, sha, stats: byDefault(flag, true) }, commit),
  refs: operation({
    method: 'GET',
    path: `${one}/refs`,
    about: 'list the branches and tags that contain a commit',
    params: z.strictObject({ id: projectId, sha, type: byDefault(oneOf(['branch', 'tag', 'all']), 'all'), ...paging }),
    answers: { 200: z.array(z.looseObject({ type: z.string(), name: z.string() })) },
    pagination: 'offset',
  }),
  sequence: operation({
    method: 'GET',
    path: `${one}/sequence`,
    about: 'count the commits up to a commit',
    params: z.strictObject({ id: projectId, sha, first_parent: flag.optional() }),
    answers: { 200: z.looseObject({ count: z.int() }) },
  }),
  cherryPick: operation({
    method: 'POST',
    path: `${one}/cherry_pick`,
    about: 'apply a commit to a branch',
    params: z.strictObject({ id: projectId, sha, branch: filled, dry_run, message: filled.optional() }),
    answers: { 201: applied, 200: applied },
  }),
  revert: operation({
    method: 'POST',
    path: `${one}/revert`,
    about: 'revert a commit on a branch',
    params: z.strictObject({ id: projectId, sha, branch: filled, dry_run }),
    answers: { 201: applied, 200: applied },
  }),
  diff: listing(
    `${one}/diff`,
    'show the changes of a commit',
    { id: projectId, sha, unidiff: byDefault(flag, false) },
    diff,
  ),
  comments: listing(`${one}/comments`, 'list the comments on a commit', { id: projectId, sha }, comment),
};
