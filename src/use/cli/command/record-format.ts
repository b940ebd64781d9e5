/** The formats of what a server answers, whatever it is. */
export const recordFormats = ['table', 'json', 'ndjson', 'csv'] as const;

export type RecordFormat = (typeof recordFormats)[number];
