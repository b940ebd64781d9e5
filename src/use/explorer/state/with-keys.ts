/** A hint or note with the keys and commands of the explorer in place of commands and flags of a shell. */
export function withKeys(text: string): string {
  return text
    .replace(/Run `sluice model[^`]*` to list/g, 'Press f2 to list')
    .replace(/`sluice model[^`]*` lists/g, 'f2 lists')
    .replace(/, or `-[dt] [^`]*`/g, '')
    .replaceAll('--as-of', ':as-of');
}
