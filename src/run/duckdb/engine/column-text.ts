/** Type of a source's column that holds JSON: the text in a JSON text, the JSON text of all else. */
export const jsonType = 'sluice JSON';

/** SQL for the text of a column of this type; objects and lists as JSON. */
export function textOf(reference: string, type: string): string {
  if (type === 'VARCHAR') return reference;
  if (type === jsonType) return `(${reference} ->> '$')`;
  return /^(STRUCT|MAP|UNION)\b|\[\d*\]$/.test(type)
    ? `CAST(to_json(${reference}) AS VARCHAR)`
    : `CAST(${reference} AS VARCHAR)`;
}
