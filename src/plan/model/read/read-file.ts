import type { ZodType } from 'zod';
import { attachSpans } from '../../../ask/document/located.ts';
import { readDocument } from '../../../ask/document/read-document.ts';
import { readValue } from '../../../ask/document/read-value.ts';
import {
  cubeSchema, dimensionSchema, joinSchema, measureSchema, modelSchema, segmentSchema,
  type WrittenCube, type WrittenDimension, type WrittenJoin, type WrittenMeasure, type WrittenSegment,
} from './model-schema.ts';
import { below, report, reportWarning, type Findings, type Site, type Sited } from './site.ts';

/** A cube as it is written, cut into its parts. Parts that do not read are left out. */
export interface CubeText extends Sited<WrittenCube> {
  readonly joins: readonly Sited<WrittenJoin>[];
  readonly measures: readonly Sited<WrittenMeasure>[];
  readonly dimensions: readonly Sited<WrittenDimension>[];
  readonly segments: readonly Sited<WrittenSegment>[];
}

/** Names of what is written but does not read: what refers to it is not judged. */
export interface Unread {
  readonly cubes: Set<string>;
  /** Full names. */
  readonly members: Set<string>;
}

/** The cubes of one file. Each part is read by itself, so that one mistake does not hide the others. undefined: no YAML at all. */
export function readFile(text: string, file: string, index: number, unread: Unread, findings: Findings): readonly CubeText[] | undefined {
  const document = readDocument(text, modelSchema, { file });
  // A file of comments only, as people keep for later, holds no cubes.
  if (!document.ok && document.issues.every(({ code }) => code === 'empty-document')) return [];
  for (const issue of document.issues) findings.all.push({ file: index, issue });
  if (!document.ok) return undefined;
  const site: Site = { file: index, path: [], locate: document.locate };
  if (document.value.views != null) {
    reportWarning(findings, below(site, 'views'), 'not-supported', 'Views are left out.', 'Ask the members of the cubes that they are made of.');
  }
  return (document.value.cubes ?? []).flatMap((raw, cube) => readCubeText(raw, below(site, 'cubes', cube), unread, findings) ?? []);
}

function readCubeText(raw: unknown, site: Site, unread: Unread, findings: Findings): CubeText | undefined {
  const value = readPart(raw, cubeSchema, site, findings);
  if (!value) {
    const name = nameOf(raw);
    if (name !== undefined) unread.cubes.add(name);
    return undefined;
  }
  const partsOf = <T>(kind: 'joins' | 'measures' | 'dimensions' | 'segments', schema: ZodType<T>): readonly Sited<T>[] =>
    (value[kind] ?? []).flatMap((member, index) => {
      const at = below(site, kind, index);
      const part = readPart(member, schema, at, findings);
      if (part !== undefined) return [{ value: part, site: at }];
      const name = nameOf(member);
      if (name !== undefined) unread.members.add(`${value.name}.${name}`);
      return [];
    });
  return {
    value,
    site,
    joins: partsOf('joins', joinSchema),
    measures: partsOf('measures', measureSchema),
    dimensions: partsOf('dimensions', dimensionSchema),
    segments: partsOf('segments', segmentSchema),
  };
}

function readPart<T>(raw: unknown, schema: ZodType<T>, site: Site, findings: Findings): T | undefined {
  const outcome = readValue(raw, schema);
  report(findings, site, attachSpans(outcome.issues.map((issue) => ({ ...issue, path: [...site.path, ...issue.path] })), site.locate));
  return outcome.ok ? outcome.value : undefined;
}

function nameOf(raw: unknown): string | undefined {
  return raw !== null && typeof raw === 'object' && 'name' in raw && typeof raw.name === 'string' ? raw.name : undefined;
}
