import * as z from 'zod';
import { commitFields } from './commits.ts';
import { operation } from './operation.ts';
import { about, byDefault, filled, oneOf, paging, projectId, text } from './parameter.ts';
import { field, nothing } from './record.ts';

export const tag = z.looseObject({
  name: z.string(),
  message: field.text,
  target: field.text,
  commit: z.looseObject(commitFields).nullish(),
  release: z.looseObject({ tag_name: field.text, description: field.text }).nullish(),
  protected: field.flag,
  /** Null of a lightweight tag. */
  created_at: field.time,
});

const signature = z.looseObject({
  signature_type: field.text,
  verification_status: field.text,
  x509_certificate: z
    .looseObject({
      id: field.int,
      subject: field.text,
      subject_key_identifier: field.text,
      email: field.text,
      // Longer than a number can tell exactly.
      serial_number: z.union([z.number(), z.string()]).nullish(),
      certificate_status: field.text,
      x509_issuer: z
        .looseObject({
          id: field.int,
          subject: field.text,
          subject_key_identifier: field.text,
          crl_url: field.text,
        })
        .nullish(),
    })
    .nullish(),
});

const all = '/projects/:id/repository/tags';
const one = `${all}/:tag_name`;
const tag_name = filled;

export const tags = {
  list: operation({
    method: 'GET',
    path: all,
    about: 'list the tags of a project',
    params: z.strictObject({
      id: projectId,
      order_by: byDefault(oneOf(['name', 'updated', 'version']), 'updated'),
      sort: byDefault(oneOf(['asc', 'desc']), 'desc'),
      search: about(text, 'part of a name; ^term begins with it, term$ ends with it').optional(),
      ...paging,
    }),
    answers: { 200: z.array(tag) },
    pagination: 'offset',
  }),
  get: operation({
    method: 'GET',
    path: one,
    about: 'show a tag',
    params: z.strictObject({ id: projectId, tag_name }),
    answers: { 200: tag },
  }),
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
  delete: operation({
    method: 'DELETE',
    path: one,
    about: 'delete a tag',
    params: z.strictObject({ id: projectId, tag_name }),
    answers: { 204: nothing },
  }),
  signature: operation({
    method: 'GET',
    path: `${one}/signature`,
    about: 'show the signature of a tag, or that it has none',
    params: z.strictObject({ id: projectId, tag_name }),
    answers: { 200: signature, 404: nothing },
  }),
};
