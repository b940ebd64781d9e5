import * as z from 'zod';
import { isRecord } from '../document/json-record.ts';
import { type Tier, markOf, paging } from './parameter.ts';
import { nothing } from './record.ts';
import { readValue } from '../document/read-value.ts';
import { type Issue, type Outcome, bad, errorIssue, good } from '../outcome.ts';
import { quote } from '../text.ts';

/** The lowest role that the token's user needs in the project or group; `administrator`: of the instance. */
export type Role = 'reporter' | 'maintainer' | 'owner' | 'administrator';

/** How to send the parameters that are not in the path. */
type BodyKind = 'query' | 'json' | 'form' | 'multipart';

/** A rule for the parameters together. */
export type Rule =
  /** At least one of them is required; null counts. */
  | { readonly kind: 'any-of'; readonly names: readonly string[] }
  /** The server ignores the second one if the first one is given. */
  | { readonly kind: 'excludes'; readonly name: string; readonly other: string };

/** Parameters of an operation. A union if they depend on one of them, such as the kind of an integration. */
export type Parameters = z.ZodObject | z.ZodDiscriminatedUnion<readonly z.ZodObject[]>;

/** How a successful response reports a failure in its body. */
export interface FailureInside {
  /** The field with the state, and its values for a failure. */
  readonly field: string;
  readonly values: readonly string[];
  /** The field that names each failure: a text, a hash of reasons, or a list of records. */
  readonly names: string;
  /** Fields of each record that say what failed. The last one is the reason. */
  readonly parts?: readonly string[];
}

/** How a record shows the state of a running job. Any other state is a failure. */
export interface States {
  readonly field: string;
  readonly going: readonly string[];
  readonly done: readonly string[];
}

/** The job that an operation starts, and how to ask its state. */
export interface Started {
  /** Has `states` and takes an `id`; or lists jobs, and `states` of this object describes them. */
  readonly status: Operation;
  /** The source of that `id`: the parameter `id` or `path`, or the result. */
  readonly id: 'given' | 'given path' | 'result';
  /** The states of an item in a list; the item is the one with the `id` of the result. */
  readonly states?: States;
}

/** An operation of the platform's API, as data. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to `/api/v4`, with its parameters: `/projects/:id/milestones`. */
  readonly path: string;
  /** Its description in help. */
  readonly about: string;
  readonly params: Parameters;
  readonly rules?: readonly Rule[];
  /** Defaults to `query` for GET and DELETE, and to `json` for others. */
  readonly body?: BodyKind;
  /** The results by status. Other 2xx statuses have the first one's body; all other statuses are errors. */
  readonly answers: Readonly<Record<number, z.ZodType>>;
  /** The result is a page of a list; `Link` headers name the next page. */
  readonly pagination?: 'offset';
  /** The result is a file of this type. */
  readonly download?: string;
  /** Whether a request without a response may be sent again. Defaults to true for GET, PUT and DELETE. */
  readonly idempotent?: boolean;
  /** Statuses after which a retry is useless, because they do not depend on this server's state. */
  readonly final?: readonly number[];
  readonly failures?: readonly FailureInside[];
  /** The result has the state of a running job. */
  readonly states?: States;
  /** It starts a job that continues after the result. */
  readonly starts?: Started;
  readonly tier?: Tier;
  readonly selfManaged?: boolean;
  readonly role?: Role;
  /** The token needs one of these. */
  readonly scopes?: readonly string[];
  readonly beta?: boolean;
  /** Why not to use it, and its replacement; a sentence. */
  readonly deprecated?: string;
}

/** Keeps the literal types of parameters and results. */
export function operation<const Given extends Operation>(given: Given): Given {
  return given;
}

/** An operation that lists records page by page. `more` sets other fields of the operation. */
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

/** An operation that reads one record. */
export function reading<
  const Path extends string,
  Shape extends z.ZodRawShape,
  Item extends z.ZodType,
  const More = object,
>(path: Path, about: string, params: Shape, item: Item, more = {} as More) {
  return { method: 'GET', path, about, params: z.strictObject(params), answers: { 200: item }, ...more } as const;
}

/** An operation that deletes a record and returns nothing. */
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
  /** The values of the union's discriminator for which it exists; undefined for all. */
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

/** Joins the values of a discriminator. */
function widest(before: z.ZodType, schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodLiteral && before instanceof z.ZodLiteral)
    return z.literal([...before.values, ...schema.values] as string[]);
  return before;
}

/** Checks the parameters of an operation: the parameters as the server takes them, or all issues. */
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

/** The failures in the body of a successful response, as a sentence each. */
export function failuresInside({ failures = [] }: Operation, body: unknown): readonly string[] {
  if (Array.isArray(body)) return body.flatMap((item) => failuresInside({ failures } as Operation, item));
  if (!isRecord(body)) return [];
  return failures
    .filter(({ field, values }) => values.includes(String(body[field])))
    .flatMap(({ field, values, names, parts }) => {
      const found = reasonsOf(body[names], parts);
      // The list of failed parts may be empty, but a status that only means failure is still one.
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
