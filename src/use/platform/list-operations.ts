import { catalogue } from '../../ask/platform/catalogue.ts';
import { type Operation, type Parameter, parametersOf } from '../../ask/platform/operation.ts';
import { bareSchema, markOf } from '../../ask/platform/parameter.ts';

/** An operation, as `sluice api list` prints it. */
interface ListedOperation {
  readonly resource: string;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly about: string;
  readonly params: readonly {
    readonly name: string;
    readonly in: Parameter['in'];
    readonly type: string;
    readonly required: boolean;
    readonly secret: boolean;
  }[];
  readonly pagination: string | null;
  readonly tier: string | null;
  readonly role: string | null;
  readonly deprecated: string | null;
}

/** Lists all operations of the catalogue. */
export function listOperations(): readonly ListedOperation[] {
  return allOperations().map(({ resource, name, asked }) => ({
    resource,
    operation: name,
    method: asked.method,
    path: asked.path,
    about: asked.about,
    params: parametersOf(asked).map((each) => ({
      name: each.name,
      in: each.in,
      type: typeName(each),
      required: each.required,
      secret: holdsSecret(each),
    })),
    pagination: asked.pagination ?? null,
    tier: asked.tier ?? null,
    role: asked.role ?? null,
    deprecated: asked.deprecated ?? null,
  }));
}

interface NamedOperation {
  readonly resource: string;
  readonly name: string;
  readonly asked: Operation;
}

function allOperations(): readonly NamedOperation[] {
  return Object.entries(catalogue).flatMap(([resource, operations]) =>
    Object.entries(operations as Readonly<Record<string, Operation>>).map(([name, asked]) => ({
      resource,
      name,
      asked,
    })),
  );
}

/** The type of a parameter as text: `string`, `integer|string`, `active|closed`, `array of object`, `file`. */
export function typeName({ schema }: Pick<Parameter, 'schema'>): string {
  return markOf(schema).file ? 'file' : nameOf(schema as AnySchema);
}

type AnySchema = Parameter['schema'] & {
  readonly def: {
    readonly type: string;
    readonly values?: readonly unknown[];
    readonly entries?: Readonly<Record<string, unknown>>;
    readonly options?: readonly AnySchema[];
    readonly element?: AnySchema;
    readonly format?: string;
  };
};

function nameOf(schema: AnySchema): string {
  const { def } = bareSchema(schema) as AnySchema;
  if (def.type === 'enum') return Object.values(def.entries ?? {}).join('|');
  if (def.type === 'literal') return (def.values ?? []).join('|');
  if (def.type === 'union') return [...new Set((def.options ?? []).map(nameOf))].join('|');
  if (def.type === 'array' && def.element) return `array of ${nameOf(def.element)}`;
  if (def.type === 'number') return 'integer';
  if (def.type === 'record') return 'object';
  return def.type === 'string' && (def.format === 'date' || def.format === 'datetime') ? def.format : def.type;
}

/** Whether the value is or contains a secret. */
export function holdsSecret({ schema }: Pick<Parameter, 'schema'>): boolean {
  if (markOf(schema).secret) return true;
  const bare = bareSchema(schema) as AnySchema & {
    readonly shape?: Readonly<Record<string, AnySchema>>;
  };
  const inner = [bare.def.element, ...(bare.def.options ?? []), ...Object.values(bare.shape ?? {})];
  return inner.some((each) => each !== undefined && holdsSecret({ schema: each }));
}
