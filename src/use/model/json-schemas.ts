import * as z from 'zod';
import { analyses, isAnalysisName } from '../../plan/analysis/analyses.ts';

/** What has a JSON schema beside the analyses: `funnel`, `retention`, `lifecycle` and `stickiness`. */
/** The JSON schema of a file format, by its name. */
export async function schemaOf(what: string): Promise<unknown> {
  if (what === 'config') return (await import('../config/read-config-file.ts')).toConfigJsonSchema();
  if (what === 'query') return (await import('../../ask/query/to-json-schema.ts')).toSavedQueryJsonSchema();
  if (isAnalysisName(what)) return (await analyses[what].loadReader()).toJsonSchema();
  if (what === 'report') return (await import('../../tell/notebook/to-json-schema.ts')).toReportJsonSchema();
  if (what === 'report-json') return (await import('../../tell/report/report-json-schema.ts')).reportJsonSchema;
  if (what === 'annotations')
    return toEditorSchema((await import('../../ask/chart/read-annotations.ts')).annotationsSchema);
  const { modelSchema } = await import('../../plan/model/read/read-file.ts');
  return toEditorSchema(modelSchema);
}

/** Draft 7, which editors read. */
function toEditorSchema(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
}
