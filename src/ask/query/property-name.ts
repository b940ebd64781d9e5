/**
 * Names of event properties: `props.plan`, `props.cart.total`. A step of the path may have letters, digits, `_` and
 * `-`, and may begin with `$` or `@`. Other characters are percent-encoded as in URLs: `props.my%20key`, `props.a%2Eb`.
 * So a name never contains a blank, dot, quote or bracket with another meaning. `[]` after a step means each value of
 * that list: `props.tags[]`, `props.items[].price`.
 */
const step = String.raw`(?:[$@])?(?:[\p{L}\p{N}_-]|%[0-9A-Fa-f]{2})+`;
export const propertyPathSource = String.raw`props(?:\.${step})+(?:\[\](?:\.${step})*)?`;

/** The step of a path from a list to its values. No key of an event is the same. */
export const eachValue = '\0[]';

/** Functions over a property's numbers, or (`distinct`) over its values. */
export const propertyFunctions = ['sum', 'avg', 'min', 'max', 'median', 'distinct'] as const;

/** The names of all functions, also those of percentiles, as a pattern. */
export const functions = String.raw`(?:sum|avg|min|max|median|distinct|p[1-9]\d?)`;

/** Functions that are also those of products: `sum(props.price*props.quantity)`. */
export const productFunctions = ['sum', 'avg', 'min', 'max'] as const;

const product = String.raw`(?:${productFunctions.join('|')})\(${propertyPathSource}\*${propertyPathSource}\)`;

/** The short names of properties and of measures over them: `props.plan`, `sum(props.amount)`. */
export const propertyMemberSource = String.raw`(?:${propertyPathSource}|${functions}\(${propertyPathSource}\)|${product})`;

/** Compiles a pattern on first use: Unicode classes compile slowly, and most names do not need them. */
export function later(pattern: string): () => RegExp {
  let made: RegExp | undefined;
  return () => (made ??= new RegExp(pattern, 'u'));
}

const shortPattern = later(
  String.raw`^(?=${propertyMemberSource}$)(?:(${functions})\((${propertyPathSource})(?:\*(${propertyPathSource}))?\)|(${propertyPathSource}))$`,
);

/** The parts of a property's short name, or of a measure over one. */
export interface PropertyMember {
  /** `sum`, `p90`; undefined for the property itself. */
  readonly compute: string | undefined;
  /** Keys from the outermost in, as in the events, and at most one `eachValue`. */
  readonly path: readonly string[];
  /** The path of the other factor of a product. */
  readonly times?: readonly string[] | undefined;
}

/** Parses `props.cart.total` or `sum(props.cart.total)`, without a cube; undefined for other names. */
export function readPropertyMember(short: string): PropertyMember | undefined {
  // A cheap test first: most names are no properties.
  const [, compute, inner, times, bare] = (short.includes('props.') && shortPattern().exec(short)) || [];
  const written = inner ?? bare;
  if (written === undefined) return undefined;
  try {
    return { compute, path: readPath(written), ...(times !== undefined && { times: readPath(times) }) };
  } catch {
    return undefined;
  }
}

/** Error: `URIError` for wrong percent encoding. */
function readPath(written: string): readonly string[] {
  return written
    .split('.')
    .slice(1)
    .flatMap((each) =>
      each.endsWith('[]') ? [decodeURIComponent(each.slice(0, -2)), eachValue] : [decodeURIComponent(each)],
    );
}

/** Whether a name, with or without its cube, is a property or a measure over one. */
export function isPropertyName(name: string): boolean {
  return readPropertyMember(name) !== undefined || readPropertyMember(name.slice(name.indexOf('.') + 1)) !== undefined;
}

/** The short name of a property; it reads back to the same path. */
export function writePropertyName(keys: readonly string[]): string {
  return keys.reduce((name, key) => (key === eachValue ? `${name}[]` : `${name}.${writeStep(key)}`), 'props');
}

/** A property's path as people write it: `cart.total`, `items[].price`. */
export function spellPath(keys: readonly string[]): string {
  return keys.join('.').replace(`.${eachValue}`, '[]');
}

/** The keys of the list whose values a path reads, and the keys within each value; undefined for other paths. */
export function splitAtList(
  keys: readonly string[],
): { readonly list: readonly string[]; readonly within: readonly string[] } | undefined {
  const at = keys.indexOf(eachValue);
  return at < 0 ? undefined : { list: keys.slice(0, at), within: keys.slice(at + 1) };
}

/** The path of the property, or those of both factors of a product. */
export function factorsOf({ path: keys, times }: Pick<PropertyMember, 'path' | 'times'>): PropertyMember['path'][] {
  return times ? [keys, times] : [keys];
}

/** Writes `sum(props.amount)`, or without `compute` the property's name. */
export function writePropertyMember(member: PropertyMember): string {
  const name = factorsOf(member).map(writePropertyName).join('*');
  return member.compute === undefined ? name : `${member.compute}(${name})`;
}

const quotable = later(
  String.raw`^[^\p{C}\p{Zl}\p{Zp}\s."\\](?:[^\p{C}\p{Zl}\p{Zp}."\\]*[^\p{C}\p{Zl}\p{Zp}\s."\\])?$`,
);

/** A property as one writes it in a question: `"Plan type"` and `sum("Price ($)")` for `props.Plan%20type` … */
export function spellProperty(short: string): string {
  const { compute, path: [key = '', ...others] = [], times } = readPropertyMember(short) ?? {};
  if (times || others.length > 0 || writeStep(key) === key || !quotable().test(key)) return short;
  return compute === undefined ? `"${key}"` : `${compute}("${key}")`;
}

/**
 * The property that a column without a mapping is, by the column's own name; undefined if it cannot have one. With dots
 * it may also be another of its `meantProperties`.
 */
export function columnProperty(column: string): string | undefined {
  if (!column.includes('%') && isPropertyName(`props.${column}`)) return `props.${column}`;
  return hasPropertyName([column]) ? writePropertyName([column]) : undefined;
}

/** The column whose keys read like properties: `props.plan`. */
export const propsColumn = 'props';

/**
 * The properties that the same words can name, in order of precedence. Their dots separate fields, or they do not, or
 * one of them leads from a list to its values: `items.price`, `items%2Eprice`, `items[].price`. Last, they may be keys
 * of a column `props`: `props.plan` for `props.props.plan`.
 */
export function meantProperties({ compute, path: keys, times }: PropertyMember): readonly PropertyMember[] {
  const paths = meantPaths(keys);
  if (!times) return paths.map((path) => ({ compute, path }));
  return paths.flatMap((path) => meantPaths(times).map((other) => ({ compute, path, times: other })));
}

function meantPaths(keys: readonly string[]): readonly (readonly string[])[] {
  const { list = keys, within } = splitAtList(keys) ?? {};
  const joined = list.join('.');
  const other = list.length > 1 ? [joined] : joined.split('.');
  return [
    keys,
    ...(joined.includes('.') && hasPropertyName(other) ? [within ? [...other, eachValue, ...within] : other] : []),
    ...(within ? [] : keys.slice(1).map((_, index) => keys.toSpliced(index + 1, 0, eachValue))),
    ...(keys[0] === propsColumn ? [] : [[propsColumn, ...keys]]),
  ];
}

/** Whether keys can form a name: no empty keys, no lone surrogates, and no NUL, which SQL text cannot hold. */
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

/** Requests all properties that some events have, among the names that a session looks up. */
export const allProperties = 'props.*';

/** Requests the names of events, which hints on unknown names mention, among the names that a session looks up. */
export const namesOfEvents = 'events.*';
