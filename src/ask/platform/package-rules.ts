import * as z from 'zod';
import { listing, operation, removal } from './operation.ts';
import { about, filled, int, marked, oneOf, projectId } from './parameter.ts';
import { field, fields } from './record.ts';

const packageRule = z.looseObject({
  id: z.int(),
  project_id: field.int,
  ...fields(
    field.text,
    'package_name_pattern',
    'package_type',
    'minimum_access_level_for_delete',
    'minimum_access_level_for_push',
  ),
});

const all = '/projects/:id/packages/protection/rules';
const one = `${all}/:package_protection_rule_id`;
const package_protection_rule_id = int;
const package_name_pattern = about(filled, '`*` matches anything');

/** Null selects the default role, and differs from an omitted level. */
const levels = {
  minimum_access_level_for_delete: marked(oneOf(['owner', 'admin']).nullable(), {
    tier: 'paid',
    about: 'null: maintainer',
  }).optional(),
  minimum_access_level_for_push: about(
    oneOf(['maintainer', 'owner', 'admin']).nullable(),
    'null: developer',
  ).optional(),
};

export const packageRules = {
  list: listing(all, 'list the package protection rules of a project', { id: projectId }, packageRule, {
    selfManaged: true,
  }),
  create: operation({
    method: 'POST',
    path: all,
    about: 'create a package protection rule',
    params: z.strictObject({ id: projectId, package_name_pattern, package_type: filled, ...levels }),
    rules: [{ kind: 'any-of', names: ['minimum_access_level_for_delete', 'minimum_access_level_for_push'] }],
    answers: { 201: packageRule },
    selfManaged: true,
  }),
  update: operation({
    method: 'PATCH',
    path: one,
    about: 'change a package protection rule',
    params: z.strictObject({
      id: projectId,
      package_protection_rule_id,
      package_name_pattern: package_name_pattern.optional(),
      package_type: filled.optional(),
      ...levels,
    }),
    answers: { 200: packageRule },
    idempotent: true,
    selfManaged: true,
  }),
  delete: removal(
    one,
    'delete a package protection rule',
    { id: projectId, package_protection_rule_id },
    { selfManaged: true },
  ),
};
