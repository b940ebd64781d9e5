/** DuckDB's column with the index of a row's file, from 0. */
export const filePlace = 'file_index';

/** Whether a column of the files has this name. */
export function hidesFilePlace(names: readonly string[]): boolean {
  return names.some((name) => name.toLowerCase() === filePlace);
}

/** A name that none of these columns uses. */
export function unusedName(names: readonly string[]): string {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  let name = 'sluice file';
  while (taken.has(name)) name += ' ';
  return name;
}
