/** How ClickHouse encodes the values of a type in its Native format. */
export type NativeType =
  | { readonly kind: 'integer'; readonly bytes: 1 | 2 | 4 | 8 | 16 | 32; readonly signed: boolean }
  | { readonly kind: 'double'; readonly bytes: 4 | 8 }
  | { readonly kind: 'decimal'; readonly bytes: 4 | 8 | 16 | 32; readonly precision: number; readonly scale: number }
  | { readonly kind: 'boolean' | 'text' | 'nothing' | 'uuid' | 'ipv4' | 'ipv6' }
  | { readonly kind: 'fixed-text'; readonly bytes: number }
  | { readonly kind: 'enum'; readonly bytes: 1 | 2; readonly names: ReadonlyMap<number, string> }
  /** Ticks since 1970. A second has 10^`scale` ticks. */
  | { readonly kind: 'instant'; readonly bytes: 4 | 8; readonly signed: boolean; readonly scale: number }
  | { readonly kind: 'date'; readonly bytes: 2 | 4 }
  | { readonly kind: 'nullable' | 'dictionary'; readonly of: NativeType };

const sizes: Readonly<Record<string, 1 | 2 | 4 | 8 | 16 | 32>> = {
  '8': 1,
  '16': 2,
  '32': 4,
  '64': 8,
  '128': 16,
  '256': 32,
};

/** Parses a type such as `Nullable(DateTime64(6, 'UTC'))`; undefined for arrays, maps and other nested types. */
export function readNativeType(name: string): NativeType | undefined {
  const wrapped = /^(Nullable|LowCardinality)\((.*)\)$/s.exec(name);
  if (wrapped) {
    const of = readNativeType(wrapped[2]!);
    return of && { kind: wrapped[1] === 'Nullable' ? 'nullable' : 'dictionary', of };
  }
  const aggregated = /^SimpleAggregateFunction\(\w+, (.*)\)$/s.exec(name);
  if (aggregated) return readNativeType(aggregated[1]!);
  const integer = /^(U?)Int(8|16|32|64|128|256)$/.exec(name);
  if (integer) return { kind: 'integer', bytes: sizes[integer[2]!]!, signed: integer[1] === '' };
  const decimal = /^Decimal\((\d+), (\d+)\)$/.exec(name);
  if (decimal) {
    const [precision, scale] = [Number(decimal[1]), Number(decimal[2])];
    return {
      kind: 'decimal',
      bytes: precision <= 9 ? 4 : precision <= 18 ? 8 : precision <= 38 ? 16 : 32,
      precision,
      scale,
    };
  }
  const exact = /^DateTime64\((\d)/.exec(name);
  if (exact) return { kind: 'instant', bytes: 8, signed: true, scale: Number(exact[1]) };
  if (/^DateTime(?:\(|$)/.test(name)) return { kind: 'instant', bytes: 4, signed: false, scale: 0 };
  const fixed = /^FixedString\((\d+)\)$/.exec(name);
  if (fixed) return { kind: 'fixed-text', bytes: Number(fixed[1]) };
  const listed = /^Enum(8|16)\((.*)\)$/s.exec(name);
  if (listed) return { kind: 'enum', bytes: listed[1] === '8' ? 1 : 2, names: readEnum(listed[2]!) };
  return simple[name];
}

const simple: Readonly<Record<string, NativeType>> = {
  String: { kind: 'text' },
  Bool: { kind: 'boolean' },
  Float32: { kind: 'double', bytes: 4 },
  Float64: { kind: 'double', bytes: 8 },
  Date: { kind: 'date', bytes: 2 },
  Date32: { kind: 'date', bytes: 4 },
  UUID: { kind: 'uuid' },
  IPv4: { kind: 'ipv4' },
  IPv6: { kind: 'ipv6' },
  Nothing: { kind: 'nothing' },
};

function readEnum(text: string): ReadonlyMap<number, string> {
  return new Map(
    [...text.matchAll(/'((?:[^'\\]|\\.)*)' = (-?\d+)/g)].map(([, name = '', value]) => [
      Number(value),
      name.replace(/\\(.)/g, '$1'),
    ]),
  );
}

/** The type without Nullable and LowCardinality. */
export function coreOf(type: NativeType): NativeType {
  return type.kind === 'nullable' || type.kind === 'dictionary' ? coreOf(type.of) : type;
}
