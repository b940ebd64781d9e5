import * as z from 'zod';
import { listing, operation, removal } from './operation.ts';
import { about, byDefault, filled, flag, int, oneOf } from './parameter.ts';
import { field, fields } from './record.ts';

const definition = z.looseObject({
  name: z.string(),
  ...fields(field.text, 'introduced_by_url', 'rollout_issue_url', 'milestone', 'group', 'type'),
  default_enabled: field.flag,
  log_state_changes: field.flag,
});

const feature = z.looseObject({
  name: z.string(),
  /** `on`, `off` or `conditional`. */
  state: field.text,
  gates: z.array(z.looseObject({ key: field.text, value: z.unknown().optional() })).nullish(),
  definition: definition.nullish(),
});

const one = '/features/:name';
const several = about(filled, 'one or several, separated by commas').optional();
const access = { role: 'administrator', selfManaged: true } as const;

export const features = {
  list: listing('/features', 'list the feature flags of the instance', {}, feature, access),
  definitions: listing('/features/definitions', 'list the definitions of feature flags', {}, definition, access),
  set: operation({
    method: 'POST',
    path: one,
    about: 'switch a feature flag, or create it',
    params: z.strictObject({
      name: filled,
      value: about(z.union([int.min(0).max(100), oneOf(['true', 'false'])]), 'true, false, or a percentage'),
      key: byDefault(oneOf(['percentage_of_actors', 'percentage_of_time']), 'percentage_of_time'),
      feature_group: filled.optional(),
      user: several,
      group: several,
      namespace: several,
      project: several,
      repository: several,
      force: about(flag, 'skip validation, such as that of the definition').optional(),
    }),
    // JSON would have to choose between true and "true".
    body: 'form',
    answers: { 201: feature },
    idempotent: true,
    ...access,
  }),
  delete: removal(one, 'remove the gates of a feature flag', { name: filled }, access),
};
