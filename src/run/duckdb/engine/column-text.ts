/** The type of a source's JSON column. A JSON string reads as its text; everything else reads as JSON text. */
export const jsonType = 'sluice JSON';

/** SQL for the text of a column of this type; objects and lists as JSON. */
export function textOf(reference: string, type: string): string {
  if (type === 'VARCHAR') return reference;
  if (type === jsonType) return `(${reference} ->> '$')`;
  return /^(STRUCT|MAP|UNION)\b|\[\d*\]$/.test(type)
    ? `CAST(to_json(${reference}) AS VARCHAR)`
    : `CAST(${reference} AS VARCHAR)`;
}
