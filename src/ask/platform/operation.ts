import * as z from 'zod';
import { type Tier, markOf, paging } from './parameter.ts';
import { nothing } from './record.ts';
import { readValue } from '../document/read-value.ts';
import { type Issue, type Outcome, bad, errorIssue, good } from '../outcome.ts';
import { quote } from '../text.ts';

/** The least role of the token's user in the project or group; `administrator`: of the instance. */
export type Role = 'reporter' | 'maintainer' | 'owner' | 'administrator';

/** How the parameters travel that are not in the path. */
type BodyKind = 'query' | 'json' | 'form' | 'multipart';

/** What the parameters must fulfil together. */
export type Rule =
  /** At least one of them is given; null counts. */
  | { readonly kind: 'any-of'; readonly names: readonly string[] }
  /** The second is ignored by the server if the first is given. */
  | { readonly kind: 'excludes'; readonly name: string; readonly other: string };

/** Parameters of an operation; a union if they depend on one of them, such as the kind of an integration. */
export type Parameters = z.ZodObject | z.ZodDiscriminatedUnion<readonly z.ZodObject[]>;

/** What may be in a body that says success, and is none. */
export interface FailureInside {
  /** The field that tells, and the values that mean failure. */
  readonly field: string;
  readonly values: readonly string[];
  /** The field that names each failure: a text, a hash of reasons, or a list of records. */
  readonly names: string;
  /** Of a list of records: the fields that say what failed. The last one is the reason. */
  readonly parts?: readonly string[];
}

/** How a record tells the state of what goes on at the server. Any other state is a failure. */
export interface States {
  readonly field: string;
  readonly going: readonly string[];
  readonly done: readonly string[];
}

/** What an operation starts, and how its state is asked. */
export interface Started {
  /** Has `states`, and takes an `id`; or lists what was started, whose `states` stand here. */
  readonly status: Operation;
  /** Where that `id` stands: among the parameters as `id` or `path`, or in the result. */
  readonly id: 'given' | 'given path' | 'result';
  /** Of a list: those of the item with the `id` of the result. */
  readonly states?: States;
}

/** An operation of the platform's API, as data. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v4`, with its parameters: `/projects/:id/milestones`. */
  readonly path: string;
  /** What it does, as help says it. */
  readonly about: string;
  readonly params: Parameters;
  readonly rules?: readonly Rule[];
  /** Default: `query` for GET and DELETE, `json` for others. */
  readonly body?: BodyKind;
  /** The bodies of results by status. Every other status is an error, except 2xx, which have the first one's body. */
  readonly answers: Readonly<Record<number, z.ZodType>>;
  /** The result is one page of a list, and `Link` headers name the next. */
  readonly pagination?: 'offset';
  /** The result is a file of this type. */
  readonly download?: string;
  /** Whether it may be sent again if nobody knows whether it was carried out. Default: GET, PUT and DELETE may. */
  readonly idempotent?: boolean;
  /** Statuses that are not about this server's state, so that another try is of no use. */
  readonly final?: readonly number[];
  readonly failures?: readonly FailureInside[];
  /** The result tells the state of what goes on. */
  readonly states?: States;
  /** It starts what goes on after the result. */
  readonly starts?: Started;
  readonly tier?: Tier;
  readonly selfManaged?: boolean;
  readonly role?: Role;
  /** The token needs one of them. */
  readonly scopes?: readonly string[];
  readonly beta?: boolean;
  /** Why it should not be used, and what replaces it; a sentence. */
  readonly deprecated?: string;
}

/** Keeps the types of parameters and results. */
export function operation<const Given extends Operation>(given: Given): Given {
  return given;
}

/** A list, page by page. `more`: what else is to be said of the operation. */
export function listing<
  const Path extends string,
  Shape extends z.ZodRawShape,
  Item extends z.ZodType,
  const More = object,
>(path: Path, about: string, params: Shape, item: Item, more = {} as More) {
  const [method, pagination] = ['GET', 'offset'] as const;
  const answers = { 200: z.array(item) };
  return { method, path, about, params: z.strictObject({ ...params, ...paging }), answers, pagination, ...more };
}

/** One record. */
export function reading<
  const Path extends string,
  Shape extends z.ZodRawShape,
  Item extends z.ZodType,
  const More = object,
>(path: Path, about: string, params: Shape, item: Item, more = {} as More) {
  return { method: 'GET', path, about, params: z.strictObject(params), answers: { 200: item }, ...more } as const;
}

/** A deletion that answers nothing. */
export function removal<const Path extends string, Shape extends z.ZodRawShape, const More = object>(
  path: Path,
  about: string,
  params: Shape,
  more = {} as More,
) {
  return { method: 'DELETE', path, about, params: z.strictObject(params), answers: { 204: nothing }, ...more } as const;
}

/** Operations that share a path or a record. */
export type Resource = Readonly<Record<string, Operation>>;

export function bodyKindOf({ method, body }: Operation): BodyKind {
  return body ?? (method === 'GET' || method === 'DELETE' ? 'query' : 'json');
}

export function isIdempotent({ method, idempotent }: Operation): boolean {
  return idempotent ?? (method !== 'POST' && method !== 'PATCH');
}

/** Whether it changes or deletes anything. */
export function isChange({ method }: Operation): boolean {
  return method !== 'GET';
}

export interface Parameter {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly in: 'path' | 'query' | 'body' | 'file' | 'none';
  readonly required: boolean;
  /** The values of the union's discriminator that it is for, if it is not for all. */
  readonly kinds?: readonly string[] | undefined;
}

/** All parameters of an operation, those of the path first. `in: none`: it is not sent. */
export function parametersOf(asked: Operation): readonly Parameter[] {
  const { params, path } = asked;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const place = bodyKindOf(asked) === 'query' ? 'query' : 'body';
  const options = params instanceof z.ZodDiscriminatedUnion ? params.options : [params];
  const found = new Map<string, Parameter>();
  for (const [index, { shape }] of options.entries()) {
    for (const [name, schema] of Object.entries(shape as Readonly<Record<string, z.ZodType>>)) {
      const { file, unsent } = markOf(schema);
      const before = found.get(name);
      const isRequired = !schema.safeParse(undefined).success;
      const kind = options.length > 1 ? discriminatorValue(params, index) : [];
      found.set(name, {
        name,
        schema: before && kind.length > 0 ? widest(before.schema, schema) : schema,
        in: inPath.includes(name) ? 'path' : file ? 'file' : unsent ? 'none' : place,
        required: isRequired && (before?.required ?? true),
        kinds: options.length > 1 ? [...(before?.kinds ?? []), ...kind] : undefined,
      });
    }
  }
  const all = [...found.values()].map((each) =>
    each.kinds === undefined || each.kinds.length === options.length
      ? { ...each, kinds: undefined }
      : { ...each, required: false },
  );
  const rank = ({ name }: Parameter) => (inPath.includes(name) ? inPath.indexOf(name) : inPath.length);
  return all.sort((a, b) => rank(a) - rank(b));
}

function discriminatorValue(params: Parameters, index: number): readonly string[] {
  if (!(params instanceof z.ZodDiscriminatedUnion)) return [];
  const { discriminator } = params.def;
  const literal = params.options[index]!.shape[discriminator] as z.ZodLiteral<string>;
  return [...literal.values];
}

/** Of the discriminator all values. */
function widest(before: z.ZodType, schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodLiteral && before instanceof z.ZodLiteral)
    return z.literal([...before.values, ...schema.values] as string[]);
  return before;
}

/** The parameters of an operation as a server would take them, or everything that is wrong with them. */
export function readParameters(asked: Operation, given: unknown): Outcome<Readonly<Record<string, unknown>>> {
  const read = readValue<Readonly<Record<string, unknown>>>(given, asked.params);
  if (!read.ok) return read;
  const issues = (asked.rules ?? []).flatMap((rule) => breachOf(rule, read.value));
  return issues.length > 0 ? bad(issues) : good(read.value);
}

function breachOf(rule: Rule, given: Readonly<Record<string, unknown>>): readonly Issue[] {
  if (rule.kind === 'any-of') {
    if (rule.names.some((name) => given[name] !== undefined)) return [];
    const names = rule.names.map(quote).join(', ');
    return [errorIssue('missing-key', `At least one of ${names} is required.`)];
  }
  const { name, other } = rule;
  const isSet = given[name] !== undefined && given[name] !== false;
  if (!isSet || given[other] === undefined) return [];
  return [
    errorIssue('invalid-value', `The platform ignores ${quote(other)} if ${quote(name)} is given.`, {
      path: [other],
      hint: `Remove one of the two.`,
    }),
  ];
}

/** What failed within a body that says success: a sentence each. */
export function failuresInside({ failures = [] }: Operation, body: unknown): readonly string[] {
  if (Array.isArray(body)) return body.flatMap((item) => failuresInside({ failures } as Operation, item));
  if (!isRecord(body)) return [];
  return failures
    .filter(({ field, values }) => values.includes(String(body[field])))
    .flatMap(({ field, values, names, parts }) => {
      const found = reasonsOf(body[names], parts);
      // A list of what failed may be empty; a status that only means failure still is one.
      return found.length === 0 && values.length === 1 && body[names] !== undefined
        ? [`${field}: ${String(body[field])}`]
        : found;
    });
}

function reasonsOf(value: unknown, parts: readonly string[] = []): readonly string[] {
  if (value === null || value === undefined || value === '') return [];
  if (Array.isArray(value))
    return value.map((item) =>
      isRecord(item)
        ? parts
            .map((part) => item[part])
            .filter((part) => part !== null && part !== undefined && part !== '')
            .join(' ')
        : String(item),
    );
  if (isRecord(value)) return Object.entries(value).map(([subject, reason]) => `${subject}: ${String(reason)}`);
  return [String(value)];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
