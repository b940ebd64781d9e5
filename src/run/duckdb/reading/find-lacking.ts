import path from 'node:path';
import { quoteSome } from '../../../ask/suggest.ts';
import { lookAtFile } from '../engine/file-identity.ts';
import { littleToRead } from '../engine/engine.ts';
import type { UserOrder } from '../../../plan/model/event-fields.ts';
import { type ExpectedFact, expectedFacts, factsRead, tellLacking } from '../../events/expected-facts.ts';
import { isDated, type NamesFound, namesIn, recogniseFields, tellMore } from './recognise/recognise-fields.ts';
import type { EventSource } from './source/event-source.ts';
import { eventsOfSource } from './source/events-relation.ts';
import { folderPairs } from './source/describe-parquet.ts';
import type { FactFinder } from './source/find-fact.ts';
import { eventsInMemory, sourceName } from '../../file/source-copy.ts';

/** Maximum number of files checked for lacking facts. */
const mostLookedAt = 50;

/** Whether a sampled record has a value in one of the columns, as `recogniseFields` lists them. */
function showsValue({ holds }: NamesFound, from: string): boolean {
  return holds !== undefined && from.split(', ').some((name) => holds(name, ''));
}

/**
 * Sentences on facts that a statement uses and the files lack. Searches the whole file for those that the head of a
 * JSON file does not show.
 */
export async function findLacking(
  findFact: FactFinder,
  sources: readonly EventSource[],
  statement: string,
  users: UserOrder,
): Promise<readonly string[]> {
  const lacking = new Map<string, Pick<ExpectedFact, 'title' | 'field' | 'effect'> & { readonly files: string[] }>();
  const facts = factsRead(statement);
  let files = 0;
  for (const source of sources) {
    for (const path of givenPaths(source)) {
      if (files === mostLookedAt) break;
      files += 1;
      const names = await namesIn(source, path, { head: 1 << 16 });
      const { recognised } = recogniseFields(names, source);
      const mayTell = source.kind === 'json' || source.kind === 'cleaned' || tellMore(names.names);
      const found = new Set(recognised.map(({ column }) => column));
      const filled = new Set(recognised.filter(({ from }) => showsValue(names, from)).map(({ column }) => column));
      const isFound = ({ columns }: ExpectedFact) => columns.some((column) => found.has(column));
      const doubtful = facts.filter(({ columns }) => !columns.some((column) => filled.has(column)));
      const mayHold = (fact: ExpectedFact) => isFound(fact) || mayTell || fact.holds !== undefined;
      const beside = doubtful.filter(mayHold);
      const holds = (fact: ExpectedFact) => holdsAny(findFact, aloneIn(source, path), path, users, fact, beside);
      for (const fact of doubtful) {
        const isThere = isFound(fact);
        if (mayHold(fact) && (await holds(fact))) continue;
        // Without events, nothing is lacking.
        if (isThere && !(await holds(expectedFacts[0]!))) continue;
        const known = lacking.get(fact.field);
        if (known) known.files.push(path);
        else {
          const { title, field, effect } = fact;
          lacking.set(field, { title, field, effect, files: [path] });
        }
      }
    }
  }
  const holdsSomewhere = async (fact: ExpectedFact) => {
    for (const source of sources)
      for (const path of givenPaths(source).slice(0, mostLookedAt))
        if (await holdsAny(findFact, aloneIn(source, path), path, users, fact)) return true;
    return false;
  };
  return tellLacking(statement, {
    lacking: [...lacking.values()],
    files,
    isDated: () => sources.some(({ mapped }) => isDated(mapped)),
    holds: holdsSomewhere,
  });
}

/**
 * A sentence on folders such as `country=DE` whose values the files lack: only those of Parquet files are columns.
 * Folders above all files may be called so by chance.
 */
export async function tellFolders(sources: readonly EventSource[]): Promise<readonly string[]> {
  const lost = new Map<string, Set<string>>();
  for (const source of sources) {
    if (source.kind === 'parquet') continue;
    const paths = givenPaths(source);
    const pairs = paths.flatMap((path) => folderPairs(sourceName(path)));
    if (pairs.length === 0) continue;
    const own = new Set((await namesIn(source, paths[0]!, { head: 1 << 16 })).names.map((name) => name.toLowerCase()));
    for (const [name, value] of pairs)
      if (!own.has(name.toLowerCase())) lost.set(name, (lost.get(name) ?? new Set()).add(value));
  }
  const names = [...lost].flatMap(([name, values]) => (values.size > 1 ? [name] : []));
  if (names.length === 0) return [];
  return [
    `The files lie in folders that name ${quoteSome(names)}, which the files themselves lack. ` +
      'Only folders of Parquet files are columns: convert these files to Parquet, or write the values into them.',
  ];
}

/** A sentence if files have no event at all: their figures are not proven zeros. Looks through small files only. */
export async function tellEmpty(
  findFact: FactFinder,
  files: readonly string[],
  sources: readonly EventSource[],
  users: UserOrder,
): Promise<string | undefined> {
  let room = mostOfEmpty;
  for (const file of files) {
    room -= await lookAtFile(file).then(
      ({ bytes }) => bytes,
      () => mostOfEmpty,
    );
    if (room <= 0) return undefined;
  }
  for (const source of sources)
    for (const path of givenPaths(source))
      if (await holdsAny(findFact, aloneIn(source, path), path, users, expectedFacts[0]!)) return undefined;
  const [name = ''] = files.map((file) => path.basename(sourceName(file)));
  // The lines that could not be read are told, too.
  if (sources.some(({ kind }) => kind === 'cleaned'))
    return `No line in ${files.length > 1 ? `all ${files.length} files` : name} is an event. Check where the data come from.`;
  const what =
    files.length > 1 ? `All ${files.length} files are` : `${name === eventsInMemory ? 'The list of events' : name} is`;
  return `${what} empty: there are no events to count. Check where the data come from.`;
}

/** Files without events have column names at most. */
const mostOfEmpty = 1 << 16;

/** The files as they were given, also if a copy without invalid lines is read. */
function givenPaths(source: EventSource): readonly string[] {
  return source.kind === 'cleaned' ? [source.original] : source.paths;
}

function aloneIn(source: EventSource, path: string): EventSource {
  return source.kind === 'cleaned' ? source : { ...source, paths: [path] };
}

/** True if the file is gone. That error is reported elsewhere. */
async function holdsAny(
  findFact: FactFinder,
  source: EventSource,
  path: string,
  users: UserOrder,
  fact: ExpectedFact,
  beside: readonly ExpectedFact[] = [],
): Promise<boolean> {
  const file = await lookAtFile(path).catch(() => undefined);
  if (!file) return true;
  const relation = (columns: ReadonlySet<string> | undefined) => `(${eventsOfSource(source, users, columns)})`;
  const version = JSON.stringify([path, file.mark, source]);
  return findFact(fact, version, relation, file.bytes > littleToRead ? [] : beside);
}
