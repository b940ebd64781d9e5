import { decodeUtf8 } from '../document/decode-utf8.ts';
import { attachSpans, type Located } from '../document/located.ts';
import { readDocument } from '../document/read-document.ts';
import { bad, errorIssue, warningIssue, type Issue } from '../outcome.ts';
import { quote } from '../quote.ts';
import type { Funnel } from './funnel.ts';
import { funnelSchema } from './funnel-schema.ts';
import { toFunnelSlug } from './funnel-slug.ts';
import { toFunnel } from './to-funnel.ts';

/** A file of a funnel as it lies there. */
export interface FunnelSource {
  /** Name of the file for people, with folders: `funnels/checkout.yaml`. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

export type ReadFunnel = Located<Funnel> & { readonly file: string; /** The funnel's name, whatever else is wrong with it. */ readonly slug: string };

/**
 * Funnel files, all together: names that several of them share, or that a cube bears (`taken`), are issues of each of
 * them. Every issue of every file at once, in the files' order. Never throws.
 */
export function readFunnels(sources: readonly FunnelSource[], taken: readonly string[] = []): readonly ReadFunnel[] {
  const read = sources.map(readFunnel);
  return read.map((one) => {
    const issues = nameIssues(one, read, taken);
    const { source, file, slug, locate } = one;
    return issues.length === 0 ? one : { ...bad([...issues, ...one.issues]), source, file, slug, locate };
  });
}

function readFunnel({ file, bytes }: FunnelSource): ReadFunnel {
  const slug = toFunnelSlug(baseName(file));
  const decoded = decodeUtf8(bytes, { file });
  if (!decoded.ok) return { ...bad(decoded.issues), source: decoded.source, file, slug, locate: () => undefined };
  const document = readDocument(decoded.value, funnelSchema, { file });
  const { source, locate } = document;
  if (!document.ok) return { ...document, file, slug };
  const outcome = toFunnel(document.value, slug);
  const issues = attachSpans([...document.issues, ...outcome.issues, ...otherName(document.value.name, slug)], locate);
  return { ...outcome, issues, source, file, slug, locate };
}

function otherName(name: string | undefined, slug: string): readonly Issue[] {
  if (name === undefined || name === slug || toFunnelSlug(name) === slug) return [];
  return [warningIssue('other-name', `The funnel is called ${quote(slug)}, after its file, not ${quote(name)}.`, {
    path: ['name'], hint: `Call the file ${quote(`${name}.yaml`)}, or take the name out.`,
  })];
}

function nameIssues(one: ReadFunnel, all: readonly ReadFunnel[], taken: readonly string[]): readonly Issue[] {
  const { slug, file } = one;
  if (slug === '') return [errorIssue('no-name', 'Nothing of this file\'s name can stand in the name of a funnel.', { hint: 'Name the file by letters, such as checkout.yaml.' })];
  if (/^\d/.test(slug)) return [errorIssue('no-name', `A funnel's name begins with a letter, and this file's gives ${quote(slug)}.`, { hint: `Name the file ${quote(`funnel_${slug}.yaml`)}, for example.` })];
  const others = all.filter((other) => other !== one && other.slug === slug).map((other) => other.file);
  if (others.length > 0) {
    return [errorIssue('name-taken', `${quote(file)} and ${others.map(quote).join(', ')} give funnels of the same name, ${quote(slug)}.`, { hint: 'Rename all but one of them.' })];
  }
  const cube = taken.find((name) => name.toLowerCase() === slug);
  return cube === undefined ? [] : [errorIssue('name-taken', `There is a cube ${quote(cube)} already, which a funnel ${quote(slug)} would be taken for.`, { hint: 'Rename the file.' })];
}

function baseName(file: string): string {
  return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
}
