import nunjucks from 'nunjucks';

export interface TemplateLimits {
  readonly mostSteps: number;
  readonly mostCharacters: number;
  /** Texts that it may import, by name. */
  readonly others?: ReadonlyMap<string, string> | undefined;
}

/** Maximum number of imports. */
const mostImports = 100;

export interface TemplateEngine {
  render(text: string, values: Readonly<Record<string, unknown>>): string;
}

/** The library's runtime functions through which compiled templates access values. Its types omit them. */
interface Runtime {
  memberLookup(value: unknown, key: unknown): unknown;
  callWrap(called: unknown, name: string, context: unknown, values: unknown[]): unknown;
  makeMacro(names: readonly string[], keywords: readonly string[], work: unknown): object;
  fromIterator(values: unknown): unknown;
  suppressValue(value: unknown, autoescape: boolean): unknown;
}

const { runtime } = nunjucks as unknown as { readonly runtime: Runtime };

/** The library silently applies the condition of such a loop to the whole list. */
const filteredLoop = /\{%-?\s*for\b(?:(?!%\}).)*?\sin\s(?:(?!%\}|\selse\s).)*?\sif\s(?:(?!\selse\s).)*?%\}/s;

/** Functions that a template may call: macros, and those passed in here. */
const callable = new WeakSet<object>();

/** The methods of Python values that models use. */
const methods: Readonly<Record<string, (value: never, ...given: readonly never[]) => unknown>> = {
  items: (value: Readonly<Record<string, unknown>>) => Object.entries(value),
  keys: (value: object) => Object.keys(value),
  values: (value: object) => Object.values(value),
  get: (value: Readonly<Record<string, unknown>>, key: string, other: unknown = null) =>
    Object.hasOwn(value, key) ? value[key] : other,
  append: (value: unknown[], item: unknown) => {
    if (!Array.isArray(value) || value.length >= 100_000) throw new Error('This cannot be appended to.');
    value.push(item);
    return '';
  },
  upper: (value: string) => String(value).toUpperCase(),
  lower: (value: string) => String(value).toLowerCase(),
  strip: (value: string) => String(value).trim(),
  title: (value: string) =>
    String(value)
      .toLowerCase()
      .replace(/(^|[^a-z])([a-z])/g, (whole) => whole.toUpperCase()),
  capitalize: (value: string) => String(value).charAt(0).toUpperCase() + String(value).slice(1).toLowerCase(),
  startswith: (value: string, start: string) => String(value).startsWith(start),
  endswith: (value: string, end: string) => String(value).endsWith(end),
  split: (value: string, separator?: string) =>
    separator === undefined ? String(value).trim().split(/\s+/) : String(value).split(separator),
  join: (value: string, parts: readonly unknown[]) => parts.join(value),
  replace: (value: string, from: string, to: string) => String(value).replaceAll(from, () => to),
};

function called(work: (...given: readonly never[]) => unknown): (...given: readonly never[]) => unknown {
  callable.add(work);
  return work;
}

/** Looks up own keys of plain data and the methods above, and nothing that leads to a constructor. */
function lookUp(value: unknown, key: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'function') return undefined;
  const name = typeof key === 'number' && key < 0 && Array.isArray(value) ? value.length + key : key;
  if (typeof value === 'string') {
    if (name === 'length') return value.length;
    if (typeof name === 'number') return value[name];
  } else if (typeof value === 'object' && Object.hasOwn(value, name as PropertyKey)) {
    const found = (value as Readonly<Record<PropertyKey, unknown>>)[name as PropertyKey];
    return typeof found === 'function' && !callable.has(found) ? undefined : found;
  }
  const method = Object.hasOwn(methods, String(name)) ? methods[String(name)] : undefined;
  return method && called((...given) => method(value as never, ...given));
}

/**
 * A template engine for untrusted text. It replaces the library's lookups with ones limited to plain data, and counts
 * every loop iteration.
 */
export function openTemplates({ mostSteps, mostCharacters, others }: TemplateLimits): TemplateEngine {
  let steps = 0;
  let written = 0;
  let longest = 0;
  const before = { ...runtime };
  const count = (more: number) => {
    steps += more;
    // Each step may write the whole template once more.
    if (steps > mostSteps || steps * longest > mostCharacters * 100)
      throw new Error(`The template takes more than ${mostSteps} steps.`);
  };
  const guarded: Partial<Runtime> = {
    memberLookup: lookUp,
    makeMacro(names, keywords, work) {
      const macro = before.makeMacro(names, keywords, work);
      callable.add(macro);
      return macro;
    },
    callWrap(work, name, _context, values) {
      count(1);
      if (typeof work !== 'function') throw new Error(`\`${name}\` is not defined.`);
      if (!callable.has(work)) throw new Error(`\`${name}\` cannot be called.`);
      return (work as (...given: unknown[]) => unknown)(...values);
    },
    fromIterator(values) {
      const list = values !== null && typeof values === 'object' ? values : undefined;
      count(Array.isArray(list) ? list.length : list ? Object.keys(list).length : 0);
      return values;
    },
    suppressValue(value, _autoescape) {
      const text = value === undefined || value === null ? '' : value;
      written += typeof text === 'string' ? text.length : 16;
      if (written > mostCharacters) throw new Error(`The template writes more than ${mostCharacters} characters.`);
      return text;
    },
  };
  return {
    render(text, values) {
      let imports = 0;
      const loader = {
        getSource(name: string) {
          imports += 1;
          if (imports > mostImports) throw new Error(`The template imports more than ${mostImports} times.`);
          const src = others?.get(name);
          if (src === undefined) throw new Error(`\`${name}\` is not a file of the model.`);
          demandPlainLoops(src);
          longest = Math.max(longest, src.length);
          return { src, path: name, noCache: true };
        },
      };
      const environment = new nunjucks.Environment([loader], { autoescape: false, throwOnUndefined: false });
      for (const name of Object.keys((environment as unknown as { globals: object }).globals))
        (environment as unknown as { globals: Record<string, unknown> }).globals[name] = undefined;
      environment.addGlobal('range', called(((...given: readonly number[]) => range(given, count)) as never));
      environment.addGlobal('none', null);
      environment.addGlobal('None', null);
      environment.addGlobal('True', true);
      environment.addGlobal('False', false);
      environment.addGlobal('env_var', called(((_name: string, other?: string) => envVar(_name, other)) as never));
      environment.addFilter('items', (value: object) => Object.entries(value));
      environment.addFilter('tojson', (value: unknown) => JSON.stringify(value));
      longest = text.length;
      demandPlainLoops(text);
      Object.assign(runtime, guarded);
      try {
        return environment.renderString(text, values);
      } finally {
        Object.assign(runtime, before);
      }
    },
  };
}

function demandPlainLoops(text: string): void {
  if (filteredLoop.test(text))
    throw new Error('`for … in … if …` has another meaning here; write an `{% if %}` inside the loop.');
}

function envVar(name: string, other: string | undefined): string {
  if (other !== undefined) return other;
  throw new Error(`Models cannot read the environment: \`${name}\` has no default.`);
}

function range(given: readonly number[], count: (more: number) => void): readonly number[] {
  const [start, end, step] = given.length === 1 ? [0, given[0] ?? 0, 1] : [given[0] ?? 0, given[1] ?? 0, given[2] ?? 1];
  const length = step === 0 ? Infinity : Math.max(0, Math.ceil((end - start) / step));
  count(Number.isFinite(length) ? length : Infinity);
  return Array.from({ length }, (_, index) => start + index * step);
}
