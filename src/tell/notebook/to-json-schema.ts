import { z } from 'zod';
import { frontMatterSchema } from './front-matter.ts';
import { cellSchemas } from './cell-schemas.ts';

/** JSON Schema (draft 7, which editors read) of the YAML in a report: its front matter, or any of its cells. */
export function toReportJsonSchema(): Readonly<Record<string, unknown>> {
  const { query, compare, funnel, usage, annotations, check } = cellSchemas;
  const any = z
    .union([frontMatterSchema, query, compare, funnel, usage, annotations, check])
    .meta({ title: 'Part of a report', description: 'The YAML of a report: its front matter, or one of its cells.' });
  return z.toJSONSchema(any, { target: 'draft-7', io: 'input' });
}
