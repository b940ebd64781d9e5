/** How records are put into a text file, a line each. */
export interface LineForm {
  /** Before the first record, between two, behind each, and behind the last. */
  readonly open: string;
  readonly between: string;
  readonly end: string;
  readonly close: string;
  /** Around an identifier or a time, in which nothing needs escaping. */
  readonly quote: string;
  /** What goes before a value of a column; the first of a record differs. */
  field(name: string, first?: boolean): string;
  value(value: string | number): string;
  /** All that stands for a column that has no value. */
  readonly absent: string;
}

const jsonRecord = {
  quote: '"', absent: '',
  field: (name: string, first = false) => `${first ? '{' : ','}${JSON.stringify(name)}:`,
  value: (value: string | number) => JSON.stringify(value),
} as const;

export const ndjson: LineForm = { ...jsonRecord, open: '', between: '', end: '}\n', close: '' };

export const jsonArray: LineForm = { ...jsonRecord, open: '[\n', between: ',\n', end: '}', close: '\n]\n' };

/** Nothing at all is missing, quotes with nothing in them are an empty text. */
export function csv(header: readonly string[]): LineForm {
  const value = (written: string | number) => {
    const text = String(written);
    return text === '' || /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return { open: `${header.map(value).join(',')}\n`, between: '', end: '\n', close: '', quote: '', absent: ',', field: (_, first = false) => (first ? '' : ','), value };
}
