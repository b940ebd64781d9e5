import path from 'node:path';
import { plural, quote, showText } from '../../../../ask/text.ts';
import { sourceName } from '../../../file/source-copy.ts';
import type { WrappedEvents } from '../columns/recognition.ts';
import { folded, isNext, lastPages, mores, totals } from './page-values.ts';

/** A file whose events lie in a list within an object, as it is called. */
interface FileWithList {
  readonly file: string;
  readonly wrapped: WrappedEvents;
}

type FoundValue = WrappedEvents['beside'][number];

const nameOf = ({ path: keys, value }: FoundValue) => {
  const text = typeof value === 'string' ? showText(value) : String(value);
  return `${keys.map((key) => showText(key)).join('.')}: ${text.length > 60 ? `${text.slice(0, 59)}…` : text}`;
};

/** What says that further pages follow this one. */
function furtherPage({ beside }: WrappedEvents): FoundValue | undefined {
  return beside.find((one) => isNext(one) || (mores.has(folded(one.path.at(-1)!)) && String(one.value) === 'true'));
}

function numberAmong(
  { beside }: WrappedEvents,
  names: ReadonlySet<string>,
): (FoundValue & { readonly number: number }) | undefined {
  const found = beside
    .filter(
      ({ path: keys, value }) => names.has(folded(keys.at(-1)!)) && value !== null && /^\d{1,15}$/.test(String(value)),
    )
    .map((one) => ({ ...one, number: Number(one.value) }));
  return found.toSorted((one, other) => other.number - one.number)[0];
}

/**
 * Sentences on files that are pages of a longer list of which others are missing. Files together may be all pages: then
 * nothing is said.
 */
export function tellMissingPages(files: readonly FileWithList[]): readonly string[] {
  const [first] = files;
  if (!first) return [];
  const items = files.reduce((sum, { wrapped }) => sum + wrapped.items, 0);
  const known = files.flatMap(({ wrapped }) => numberAmong(wrapped, totals) ?? []);
  const most = known.toSorted((one, other) => other.number - one.number)[0];
  // As many as a total names are all of them, whatever page the last one points to.
  if (most && most.number > 0 && known.length === files.length && items >= most.number) return [];
  const which = files.length === 1 ? baseName(first.file) : `${files.length} files, such as ${baseName(first.file)},`;
  const verb = files.length === 1 ? 'has' : 'have';
  const rest = 'The answer lacks the others. Get the remaining pages.';
  if (most && most.number > items)
    return [`${which} ${verb} ${items} of ${most.number} ${plural(most.number, 'object')} (${nameOf(most)}). ${rest}`];
  const further = files.map(({ wrapped }) => furtherPage(wrapped));
  const last = further.at(-1);
  if (last !== undefined && further.every((one) => one !== undefined))
    return [`${which} ${files.length === 1 ? 'is a page' : 'are pages'} of a longer list (${nameOf(last)}). ${rest}`];
  const pages = numberAmong(first.wrapped, lastPages);
  if (pages && files.length === 1 && pages.number > 1)
    return [`${which} is one of ${pages.number} pages (${nameOf(pages)}). ${rest}`];
  return [];
}

/** Sentences on which lists were read, what stands beside them, and which pages are missing. */
export function wrappedSentences(files: readonly FileWithList[]): readonly string[] {
  const lists = Map.groupBy(files, ({ wrapped }) => wrapped.list);
  return [
    ...[...lists].map(([list, own]) => {
      const items = own.reduce((sum, { wrapped }) => sum + wrapped.items, 0);
      const which = own.length === 1 ? baseName(own[0]!.file) : `${own.length} files`;
      const inherited = dotted(own.flatMap(({ wrapped }) => wrapped.inherited));
      const unread = dotted(own.flatMap(({ wrapped }) => wrapped.unread));
      const values = inherited.length === 0 ? '' : ` Each has the values beside its list: ${some(inherited)}.`;
      const others = unread.length === 0 ? '' : ` Not read: ${some(unread)}.`;
      return `Read the list ${quote(list)} of ${which}: ${items} ${plural(items, 'object')}.${values}${others}`;
    }),
    ...tellMissingPages(files),
  ];
}

function dotted(paths: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(paths.map((keys) => keys.map((key) => showText(key)).join('.')))];
}

function some(names: readonly string[]): string {
  return `${names.slice(0, 10).join(', ')}${names.length > 10 ? ' …' : ''}`;
}

function baseName(file: string): string {
  return showText(path.basename(sourceName(file)));
}
