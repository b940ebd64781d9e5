import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';

const schemaFile = createRequire(import.meta.url).resolve('vega-lite/vega-lite-schema.json');
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false });
const validate = ajv.compile(JSON.parse(readFileSync(schemaFile, 'utf8')) as object);

/** The errors of a specification by Vega-Lite's own JSON Schema; empty if it is valid. */
export function findSchemaErrors(spec: object): readonly string[] {
  return validate(spec)
    ? []
    : (validate.errors ?? []).slice(0, 5).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
}

export interface SpecTexts {
  /** Values of rows, which are only ever read as values. */
  readonly data: readonly string[];
  /** Expressions that Vega runs. */
  readonly expressions: readonly string[];
  /** The names of all keys outside the rows. */
  readonly keys: ReadonlySet<string>;
}

/** All texts of a specification, by how Vega uses them. */
export function listTexts(spec: unknown): SpecTexts {
  const data: string[] = [];
  const expressions: string[] = [];
  const keys = new Set<string>();
  const walk = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(walk);
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return;
    for (const [key, value] of Object.entries(part)) {
      keys.add(key);
      if (
        key === 'values' &&
        Array.isArray(value) &&
        value.every((row) => typeof row === 'object' && row !== null && !('year' in row))
      ) {
        for (const row of value)
          for (const each of Object.values(row as object)) if (typeof each === 'string') data.push(each);
        continue;
      }
      if (typeof value === 'string' && /^(?:expr|signal|labelExpr|calculate|filter|test|update)$/.test(key))
        expressions.push(value);
      walk(value);
    }
  };
  walk(spec);
  return { data, expressions, keys };
}
