import type * as z from 'zod';
import { checkWord } from '../../ask/document/check-argument.ts';
import { analysisNames, isAnalysisName } from '../../plan/analysis/analysis-names.ts';

/** The file formats that have a JSON schema. */
export const schemaNames = [
  'query',
  ...analysisNames,
  'report',
  'annotations',
  'config',
  'model',
  'report-json',
] as const;

/** A file format that has a JSON schema. */
export type SchemaName = (typeof schemaNames)[number];

/** Returns the JSON schema of a file format. Throws `InvalidInputError` with the nearest name for unknown formats. */
export async function schemaOf(what: SchemaName): Promise<unknown> {
  checkWord('jsonSchema', 'The file format', what, schemaNames);
  if (what === 'config') return (await import('../config/read-config-file.ts')).toConfigJsonSchema();
  if (what === 'query') return (await import('../../ask/query/read-saved-query.ts')).toSavedQueryJsonSchema();
  if (isAnalysisName(what)) {
    // Load lazily: the help of the command only needs the names.
    const { analyses } = await import('../../plan/analysis/analyses.ts');
    return (await analyses[what].loadReader()).toJsonSchema();
  }
  if (what === 'report') return (await import('../../tell/notebook/front-matter.ts')).toReportJsonSchema();
  if (what === 'report-json') return (await import('../../tell/report/report-json-schema.ts')).reportJsonSchema;
  if (what === 'annotations') return toEditorSchema((await import('../../ask/chart/annotation.ts')).annotationsSchema);
  const { modelSchema } = await import('../../plan/model/read/read-file.ts');
  return toEditorSchema(modelSchema);
}

/** JSON Schema draft 7, which editors support. */
async function toEditorSchema(schema: z.ZodType): Promise<unknown> {
  const { toJSONSchema } = await import('zod');
  return toJSONSchema(schema, { target: 'draft-7', io: 'input' });
}
