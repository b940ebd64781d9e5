import * as z from 'zod';
import { listing, operation, reading, removal } from './operation.ts';
import { about, byDefault, filled, flag, int, paid, projectId, text } from './parameter.ts';
import { field, fields, unshown } from './record.ts';

const entry = z.looseObject({
  id: field.int,
  access_level: field.int,
  access_level_description: field.text,
  ...fields(field.int, 'user_id', 'group_id', 'deploy_key_id'),
});

const protectedBranch = z.looseObject({
  id: field.int,
  /** An exact name or a wildcard. */
  name: z.string(),
  push_access_levels: z.array(entry).nullish(),
  merge_access_levels: z.array(entry).nullish(),
  unprotect_access_levels: z.array(entry).nullish(),
  ...fields(field.flag, 'allow_force_push', 'code_owner_approval_required', 'inherited'),
});

/** No access, Developer, Maintainer, Administrator. */
const level = z.literal([0, 30, 40, 60]);
/** Excludes "no access": nobody could ever unprotect the branch. */
const unprotectLevel = z.literal([30, 40, 60]);

const who = { user: { user_id: int }, group: { group_id: int }, key: { deploy_key_id: int } };

/** Who has access: a list of hashes, each with one of the keys. */
function allowed<const Level extends z.ZodType>(levels: Level) {
  return [z.strictObject(who.user), z.strictObject(who.group), z.strictObject({ access_level: levels })] as const;
}

/** Existing entries can be changed by their `id`, and deleted. */
function changed<const Level extends z.ZodType>(levels: Level) {
  const id = int.optional();
  return [
    z.strictObject({ id, ...who.user }),
    z.strictObject({ id, ...who.group }),
    z.strictObject({ id, access_level: levels }),
    z.strictObject({ id: int, _destroy: z.literal(true) }),
  ] as const;
}

const pushKey = z.strictObject(who.key);
const changedPushKey = z.strictObject({ id: int.optional(), ...who.key });

const all = '/projects/:id/protected_branches';
const one = `${all}/:name`;
const name = about(filled, 'name or wildcard');

export const protectedBranches = {
  list: listing(
    all,
    'list the protected branches of a project',
    { id: projectId, search: text.optional() },
    protectedBranch,
  ),
  get: reading(one, 'show a protected branch', { id: projectId, name }, protectedBranch),
  create: operation({
    method: 'POST',
    path: all,
    about: 'protect a branch, or all that match a wildcard',
    params: z.strictObject({
      id: projectId,
      name,
      allow_force_push: byDefault(flag, false),
      allowed_to_merge: paid(z.array(z.union(allowed(level)))).optional(),
      allowed_to_push: paid(z.array(z.union([...allowed(level), pushKey]))).optional(),
      allowed_to_unprotect: paid(z.array(z.union(allowed(unprotectLevel)))).optional(),
      code_owner_approval_required: byDefault(paid(flag), false),
      merge_access_level: byDefault(level, 40),
      push_access_level: byDefault(level, 40),
      unprotect_access_level: byDefault(unprotectLevel, 40),
    }),
    answers: { 201: protectedBranch },
  }),
  update: operation({
    method: 'PATCH',
    path: one,
    about: 'change the protection of a branch',
    params: z.strictObject({
      id: projectId,
      name,
      allow_force_push: flag.optional(),
      allowed_to_merge: paid(z.array(z.union(changed(level)))).optional(),
      allowed_to_push: paid(z.array(z.union([...changed(level), changedPushKey]))).optional(),
      allowed_to_unprotect: paid(z.array(z.union(changed(unprotectLevel)))).optional(),
      code_owner_approval_required: paid(flag).optional(),
    }),
    answers: { 200: unshown },
  }),
  delete: removal(one, 'unprotect a branch', { id: projectId, name }),
};
