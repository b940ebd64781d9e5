/** DuckDB's own column with the place of a row's file among the files that are read, from 0. */
export const filePlace = 'file_index';

/** A column of the files takes its name. */
export function hidesFilePlace(names: readonly string[]): boolean {
  return names.some((name) => name.toLowerCase() === filePlace);
}

/** A name that none of these columns has. */
export function unusedName(names: readonly string[]): string {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  let name = 'sluice file';
  while (taken.has(name)) name += ' ';
  return name;
}
