/**
 * Names of event properties: `props.plan`, `props.cart.total`. A step of the path is written bare where it is letters,
 * digits, `_`, `-`, or begins with `$` or `@`; every other character is percent-encoded as in addresses:
 * `props.my%20key`, `props.a%2Eb`. Such a name holds no blank, dot, quote or bracket that would mean something else.
 */
const step = String.raw`(?:[$@])?(?:[\p{L}\p{N}_-]|%[0-9A-Fa-f]{2})+`;
const path = String.raw`props(?:\.${step})+`;

/** What is computed of a property's numbers, or (`distinct`) of its values. */
export const propertyFunctions = ['sum', 'avg', 'min', 'max', 'median', 'distinct'] as const;

const functions = String.raw`(?:sum|avg|min|max|median|distinct|p[1-9]\d?)`;

/** The short names of properties and of measures over them: `props.plan`, `sum(props.amount)`. */
export const propertyMemberSource = String.raw`(?:${path}|${functions}\(${path}\))`;

/** Prepares a pattern when it is first asked for: classes of all letters take long, and most names are plain. */
export function later(pattern: string): () => RegExp {
  let made: RegExp | undefined;
  return () => (made ??= new RegExp(pattern, 'u'));
}

const shortPattern = later(String.raw`^(?:(${functions})\((${path})\)|(${path}))$`);

/** The short name of a property, or of a measure over one, taken apart. */
export interface PropertyMember {
  /** `sum`, `p90`; undefined: the property itself. */
  readonly compute: string | undefined;
  /** Keys from the outside in, as they stand in the events. */
  readonly path: readonly string[];
}

/** `props.cart.total` or `sum(props.cart.total)`, without a cube; undefined for every other name. */
export function readPropertyMember(short: string): PropertyMember | undefined {
  // Most names are none.
  const [, compute, inner, bare] = (short.includes('props.') && shortPattern().exec(short)) || [];
  const written = inner ?? bare;
  if (written === undefined) return undefined;
  try {
    return { compute, path: written.split('.').slice(1).map(decodeURIComponent) };
  } catch {
    return undefined;
  }
}

/** Whether a name, with its cube or without, is one of a property or of a measure over one. */
export function isPropertyName(name: string): boolean {
  return readPropertyMember(name) !== undefined || readPropertyMember(name.slice(name.indexOf('.') + 1)) !== undefined;
}

/** The short name of a property; reads back to the same path. */
export function writePropertyName(keys: readonly string[]): string {
  return ['props', ...keys.map(writeStep)].join('.');
}

/** `sum(props.amount)`; the property's own name without `compute`. */
export function writePropertyMember({ compute, path: keys }: PropertyMember): string {
  const name = writePropertyName(keys);
  return compute === undefined ? name : `${compute}(${name})`;
}

/** Keys that no name can be written for: empty ones, lone surrogates, and NUL, which no text of SQL holds. */
export function hasPropertyName(keys: readonly string[]): boolean {
  return keys.length > 0 && keys.every((key) => key !== '' && key.isWellFormed() && !key.includes('\0'));
}

function writeStep(key: string): string {
  return key.replace(/[^\p{L}\p{N}_-]/gu, (character, at: number) =>
    at === 0 && key.length > 1 && /[$@]/.test(character) ? character : encodeAll(character),
  );
}

function encodeAll(character: string): string {
  const bytes = new TextEncoder().encode(character);
  return [...bytes].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** Stands among the names that a session is asked to look up for all properties that some events have. */
export const allProperties = 'props.*';
