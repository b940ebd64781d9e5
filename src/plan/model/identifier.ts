/** Names of cubes and members. Source: Cube's data model reference. */
export const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `startAt` as `start_at`. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A name that may stand in braces (`{Users}`), without them. */
export function withoutBraces(name: string): string {
  return name.replace(/^\{(.*)\}$/, '$1').trim();
}
