import { z } from 'zod';
import { decodeUtf8 } from '../document/decode-utf8.ts';
import { attachSpans, type Located } from '../document/located.ts';
import { readDocument } from '../document/read-document.ts';
import { readValue } from '../document/read-value.ts';
import { bad, errorIssue, type Issue, type Outcome, warningIssue } from '../outcome.ts';
import { quote } from '../text.ts';
import { toDefinitionSlug } from './definition-slug.ts';
import { noteSource } from './written-place.ts';

/** A file that defines an analysis: a funnel, for example. */
export interface DefinitionFile {
  /** Name of the file for people, with folders: `funnels/checkout.yaml`. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** The definition in a file, or all its issues. */
export type ReadDefinition<Definition> = Located<Definition> & {
  readonly file: string;
  /** The name of the definition. Also set if the file has errors. */
  readonly slug: string;
};

/** Reads the files of one analysis. */
export interface DefinitionReader<Definition> {
  /**
   * Reads all files together, because names must be unique. A name that several files share, or that a cube has
   * (`taken`), is an issue of each file. Returns every issue of every file, in the files' order. Never throws.
   */
  read(files: readonly DefinitionFile[], taken?: readonly string[]): readonly ReadDefinition<Definition>[];
  /**
   * Reads a definition that is given as plain data: the value below the analysis' key in a file. Issues carry paths
   * into it. Never throws.
   */
  readGiven(written: unknown, name: string): Outcome<Definition>;
  /** JSON Schema of a file (draft 7, which editors support). */
  toJsonSchema(): Readonly<Record<string, unknown>>;
}

/** Describes how to read the files of an analysis. */
export interface DefinitionForm<File extends { readonly name?: string | undefined }, Definition> {
  /** The word for a definition in messages: `funnel`. */
  readonly noun: string;
  /** An example of a file name, without extension: `checkout`. */
  readonly example: string;
  readonly schema: z.ZodType<File>;
  /** The schema that fits a file best, if `schema` has several forms, so that messages are about that one. */
  readonly schemaOf?: (value: unknown) => z.ZodType<File>;
  /** Converts a file; `slug` is the definition's name. Issues carry paths into the file. */
  readonly toDefinition: (file: File, slug: string) => Outcome<Definition>;
  /** Reads plain data. By default, it is read like the value below the key `noun` of a file. */
  readonly readGiven?: DefinitionReader<Definition>['readGiven'];
}

/** Makes the reader for a form. */
export function toDefinitionReader<File extends { readonly name?: string | undefined }, Definition>(
  form: DefinitionForm<File, Definition>,
): DefinitionReader<Definition> {
  return {
    read: (files, taken) => readDefinitions(form, files, taken),
    readGiven: form.readGiven ?? ((written, name) => readBelowKey(form, written, name)),
    toJsonSchema: () => z.toJSONSchema(form.schema, { target: 'draft-7', io: 'input' }),
  };
}

function readBelowKey<File extends { readonly name?: string | undefined }, Definition>(
  { noun, schema, toDefinition }: DefinitionForm<File, Definition>,
  written: unknown,
  name: string,
): Outcome<Definition> {
  const read = readValue({ [noun]: written }, schema);
  const outcome = read.ok ? toDefinition(read.value, name) : read;
  const issues = outcome.issues.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
  return { ...outcome, issues };
}

/** Reads files of a form; see `DefinitionReader.read`. */
function readDefinitions<File extends { readonly name?: string | undefined }, Definition>(
  form: DefinitionForm<File, Definition>,
  files: readonly DefinitionFile[],
  taken: readonly string[] = [],
): readonly ReadDefinition<Definition>[] {
  const read = files.map((file) => readDefinition(form, file));
  return read.map((one) => {
    const issues = nameIssues(form, one, read, taken);
    const { source, file, slug, locate } = one;
    return issues.length === 0 ? one : { ...bad([...issues, ...one.issues]), source, file, slug, locate };
  });
}

function readDefinition<File extends { readonly name?: string | undefined }, Definition>(
  { noun, schema, schemaOf, toDefinition }: DefinitionForm<File, Definition>,
  { file, bytes }: DefinitionFile,
): ReadDefinition<Definition> {
  const slug = toDefinitionSlug(baseName(file));
  const decoded = decodeUtf8(bytes, { file });
  if (!decoded.ok) return { ...decoded, file, slug };
  const document = readDocument(decoded.value, schemaOf ?? schema, { file });
  const { source, locate } = document;
  if (!document.ok) return { ...document, file, slug };
  const outcome = toDefinition(document.value, slug);
  if (outcome.ok) noteSource(outcome.value, { source, file });
  const named = otherName(noun, document.value.name, slug);
  const issues = attachSpans([...document.issues, ...outcome.issues, ...named], locate);
  return { ...outcome, issues, source, file, slug, locate };
}

function otherName(noun: string, name: string | undefined, slug: string): readonly Issue[] {
  if (name === undefined || name === slug || toDefinitionSlug(name) === slug) return [];
  return [
    warningIssue('other-name', `The ${noun} is named ${quote(slug)}, after its file, not ${quote(name)}.`, {
      path: ['name'],
      hint: `Rename the file to ${quote(`${name}.yaml`)}, or remove the name.`,
    }),
  ];
}

function nameIssues(
  { noun, example }: Pick<DefinitionForm<object, unknown>, 'noun' | 'example'>,
  one: ReadDefinition<unknown>,
  all: readonly ReadDefinition<unknown>[],
  taken: readonly string[],
): readonly Issue[] {
  const { slug, file } = one;
  if (slug === '')
    return [
      errorIssue('no-name', `No character of this file name is allowed in the name of a ${noun}.`, {
        hint: `Use letters in the file name, such as ${example}.yaml.`,
      }),
    ];
  if (/^\d/.test(slug))
    return [
      errorIssue(
        'no-name',
        `The name of a ${noun} must start with a letter, but this file name gives ${quote(slug)}.`,
        {
          hint: `Name the file ${quote(`${noun}_${slug}.yaml`)}, for example.`,
        },
      ),
    ];
  const others = all.filter((other) => other !== one && other.slug === slug).map((other) => other.file);
  if (others.length > 0) {
    return [
      errorIssue(
        'name-taken',
        `${quote(file)} and ${others.map(quote).join(', ')} define ${noun}s with the same name, ${quote(slug)}.`,
        { hint: 'Rename all but one of them.' },
      ),
    ];
  }
  const cube = taken.find((name) => name.toLowerCase() === slug);
  return cube === undefined
    ? []
    : [
        errorIssue(
          'name-taken',
          `The cube ${quote(cube)} already exists, so a ${noun} cannot be named ${quote(slug)}.`,
          { hint: 'Rename the file.' },
        ),
      ];
}

function baseName(file: string): string {
  return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
}
