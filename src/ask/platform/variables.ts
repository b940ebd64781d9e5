import * as z from 'zod';
import { listing, operation, reading, removal } from './operation.ts';
import { about, byDefault, flag, groupId, oneOf, paid, secret, text } from './parameter.ts';
import { field, fields } from './record.ts';

const key = about(
  z
    .string()
    .max(255)
    .regex(/^[A-Za-z0-9_]+$/, 'Use only letters, digits and _.'),
  'name of the variable',
);
const description = z.string().max(255).nullable();
const scope = paid(text);
/** Several variables may share a key; this chooses one. */
const filter = paid(
  about(z.strictObject({ environment_scope: text }), 'chooses one of several variables that share the key'),
);

const variable = z.looseObject({
  key: z.string(),
  value: field.secret,
  variable_type: field.text,
  ...fields(field.flag, 'protected', 'masked', 'hidden', 'raw'),
  environment_scope: field.text,
  description: field.text,
});

const settings = {
  description: byDefault(description, null),
  environment_scope: byDefault(scope, '*'),
  masked: flag.optional(),
  protected: flag.optional(),
  raw: byDefault(flag, false),
  variable_type: byDefault(oneOf(['env_var', 'file']), 'env_var'),
};

const all = '/groups/:id/variables';
const one = `${all}/:key`;

export const variables = {
  list: listing(all, 'list the CI/CD variables of a group', { id: groupId }, variable),
  get: reading(one, 'show a CI/CD variable', { id: groupId, key, filter: filter.optional() }, variable),
  create: operation({
    method: 'POST',
    path: all,
    about: 'create a CI/CD variable',
    params: z.strictObject({
      id: groupId,
      key,
      value: secret(),
      ...settings,
      masked_and_hidden: byDefault(flag, false),
    }),
    answers: { 201: variable },
  }),
  update: operation({
    method: 'PUT',
    path: one,
    about: 'change a CI/CD variable',
    params: z.strictObject({ id: groupId, key, value: secret(), ...settings, filter: filter.optional() }),
    answers: { 200: variable },
  }),
  delete: removal(one, 'delete a CI/CD variable', { id: groupId, key, filter: filter.optional() }),
};
