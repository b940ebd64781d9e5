import * as z from 'zod';
import { commitFields } from './commits.ts';
import { listing, operation, reading, removal } from './operation.ts';
import { about, byDefault, filled, oneOf, projectId, text } from './parameter.ts';
import { field, fields, nothing } from './record.ts';

const tag = z.looseObject({
  name: z.string(),
  message: field.text,
  target: field.text,
  commit: z.looseObject(commitFields).nullish(),
  release: z.looseObject({ tag_name: field.text, description: field.text }).nullish(),
  protected: field.flag,
  /** Null for a lightweight tag. */
  created_at: field.time,
});

const signature = z.looseObject({
  signature_type: field.text,
  verification_status: field.text,
  x509_certificate: z
    .looseObject({
      id: field.int,
      ...fields(field.text, 'subject', 'subject_key_identifier', 'email'),
      // Too long to be exact as a number.
      serial_number: z.union([z.number(), z.string()]).nullish(),
      certificate_status: field.text,
      x509_issuer: z
        .looseObject({
          id: field.int,
          ...fields(field.text, 'subject', 'subject_key_identifier', 'crl_url'),
        })
        .nullish(),
    })
    .nullish(),
});

const all = '/projects/:id/repository/tags';
const one = `${all}/:tag_name`;
const tag_name = filled;

export const tags = {
  list: listing(
    all,
    'list the tags of a project',
    {
      id: projectId,
      order_by: byDefault(oneOf(['name', 'updated', 'version']), 'updated'),
      sort: byDefault(oneOf(['asc', 'desc']), 'desc'),
      search: about(text, 'part of a name; ^term begins with it, term$ ends with it').optional(),
    },
    tag,
  ),
  get: reading(one, 'show a tag', { id: projectId, tag_name }, tag),
  create: operation({
    method: 'POST',
    path: all,
    about: 'create a tag',
    params: z.strictObject({
      id: projectId,
      tag_name,
      ref: about(filled, 'hash, branch or tag'),
      message: about(text, 'makes an annotated tag').optional(),
    }),
    answers: { 201: tag },
  }),
  delete: removal(one, 'delete a tag', { id: projectId, tag_name }),
  signature: operation({
    method: 'GET',
    path: `${one}/signature`,
    about: 'show the signature of a tag, or that it has none',
    params: z.strictObject({ id: projectId, tag_name }),
    answers: { 200: signature, 404: nothing },
  }),
};
