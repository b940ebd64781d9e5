import { quote, shellWord, showText } from '../../ask/text.ts';
import { fieldCalled, nameOfField } from '../../plan/mapping/field-name.ts';
import type { Mapping } from '../../plan/mapping/mapping.ts';
import type { FileShape } from '../../plan/mapping/preset.ts';
import { columnsIn, type MappingProposal, proposeMapping } from '../../plan/mapping/propose-mapping.ts';
import type { Engine } from '../../run/duckdb/engine/engine.ts';
import { type Download, eventsPurpose, findFiles } from '../../run/duckdb/reading/find-files.ts';
import { tableOfCopy } from '../../run/duckdb/reading/database/database-path.ts';
import { namesHint } from '../../run/duckdb/reading/formats/unfit-file.ts';
import { mostInspected, unmappedFiles } from '../../run/duckdb/reading/find-unmapped.ts';
import type { MappingOf } from '../../run/duckdb/reading/recognise/map-files.ts';
import type { Encodings } from '../../run/file/encoding.ts';
import { namedSource, sourceName } from '../../run/file/source-copy.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { openEncodings, openMappings } from './open-mappings.ts';
import { isKept } from './open-backend.ts';

export interface Proposing {
  readonly cwd: string;
  readonly download: Download;
  readonly clock: () => number;
  /** An engine that is already starting. */
  readonly engine?: Promise<Engine> | undefined;
}

/** Settings with the columns of files that have unknown names, and a sentence for each kind of file. */
export interface Proposed {
  readonly settings: Settings;
  readonly notes: readonly string[];
}

/** The columns of some files, as sluice takes them, and the sentence that says so. */
interface FileColumns {
  readonly files: readonly string[];
  readonly columns: Mapping['columns'];
  readonly note: string;
}

/**
 * Maps event files with unknown column names as `sluice init` proposes, if a column's name and values show the time of
 * events. Other files are left as they are, so that reading them reports what they lack. Throws errors of downloads.
 */
export async function withProposedColumns(settings: Settings, proposing: Proposing): Promise<Proposed> {
  const { cwd, download, clock } = proposing;
  const { value: events } = settings.events;
  let refused: unknown;
  const propose = async () => {
    const files = await findFiles(events, cwd, eventsPurpose, download).catch((error: unknown) => {
      // Opening the files reports those that are missing or cannot be read, but would request an address again.
      if (events.some((one) => /^https?:/i.test(one))) refused = error;
      throw error;
    });
    return JSON.stringify(await proposeColumns(settings, files, proposing, await declared()));
  };
  let opened: Promise<Declared> | undefined;
  // Listing the files of `sources` may take long.
  const declared = () => (opened ??= openDeclared(settings, download));
  const facts = isKept(settings) ? await (await import('./open-kept.ts')).openFacts(settings, clock) : undefined;
  const name = `columns in ${settings.timezone.value}`;
  // Reading the files reports why they cannot be read. That is not kept.
  const kept = await (facts ? facts.keep(name, events, propose) : propose()).catch(() => '[]');
  if (refused !== undefined) throw refused;
  const found = JSON.parse(kept) as readonly FileColumns[];
  if (found.length === 0) return { settings, notes: [] };
  const { origin } = settings.events;
  const { mappingOf, encoding } = await declared();
  // The first source of a file wins, so it also has what the configuration says of the file.
  const added = found.flatMap(({ files: own, columns }) =>
    (mappingOf || typeof encoding === 'function' ? own.map((file) => [file]) : [own]).map((part) => ({
      files: part,
      mapping: { ...mappingOf?.(part[0]!), columns },
      encoding: typeof encoding === 'function' ? encoding(part[0]!) : undefined,
    })),
  );
  const value = [...added, ...settings.sources.value];
  return { settings: { ...settings, sources: { value, origin } }, notes: found.map(({ note }) => note) };
}

/** What the configuration says of event files. */
interface Declared {
  readonly mappingOf: MappingOf | undefined;
  readonly encoding: Encodings;
}

async function openDeclared(settings: Settings, download: Download): Promise<Declared> {
  return { mappingOf: await openMappings(settings, download), encoding: await openEncodings(settings, download) };
}

async function proposeColumns(
  settings: Settings,
  files: readonly string[],
  { cwd, engine }: Proposing,
  { mappingOf, encoding }: Declared,
): Promise<readonly FileColumns[]> {
  const kinds: {
    readonly shape: FileShape;
    readonly proposal: MappingProposal;
    /** The declared zone of times without one. */
    readonly zone: string | undefined;
    readonly files: string[];
  }[] = [];
  for await (const { file, shape } of unmappedFiles(files, mappingOf, encoding, engine)) {
    // Reading the file reports that its names are in another encoding.
    if (namesHint(shape.columns.map(({ name }) => name)) !== undefined) continue;
    const zone = mappingOf?.(file)?.timezone;
    const alike = kinds.find((kind) => kind.zone === zone && hasColumnsOf(kind, shape));
    if (alike) alike.files.push(file);
    else {
      const proposal = proposeMapping(shape);
      if (isSure(proposal, shape)) kinds.push({ shape, proposal, zone, files: [file] });
    }
  }
  const [first] = kinds;
  // The others are taken to be like those that were inspected.
  if (first && files.length > mostInspected) {
    if (first.files.length < mostInspected) return [];
    first.files.push(...files.slice(mostInspected));
  }
  return kinds.map(({ proposal, zone, files: own }) => ({
    // A database may change, and be copied again, before it is read.
    files: own.map((file) => tableOfCopy(file) ?? file),
    columns: zone === undefined ? columnsIn(proposal, settings.timezone.value) : proposal.mapping.columns,
    note: describe(proposal, own, settings.events.value.length, cwd),
  }));
}

/**
 * Whether a column's name says that it has the times of events, or it is the only one with times. Rows with figures of
 * a day or page are no events.
 */
function isSure({ columns, missing, figures }: MappingProposal, shape: FileShape): boolean {
  const time = columns.find(({ field }) => field === 'utcTime');
  const isOnly = shape.columns.filter(({ type }) => type === 'time').length === 1 && time?.column.type === 'time';
  return (
    !missing.includes('time') && figures.length === 0 && columns.length > 1 && (time?.confidence !== 'guess' || isOnly)
  );
}

/** Objects may lack fields; rows of a table have all columns. */
function hasColumnsOf(
  { shape, proposal }: { readonly shape: FileShape; readonly proposal: MappingProposal },
  other: FileShape,
): boolean {
  if (shape.kind !== other.kind) return false;
  const names = (one: FileShape) => one.columns.map(({ name }) => name).join('\0');
  if (shape.kind !== 'json') return names(shape) === names(other);
  return proposal.columns.some(({ field, source }) => field === 'utcTime' && other.has(source));
}

function describe({ columns, mapping }: MappingProposal, files: readonly string[], named: number, cwd: string): string {
  const [first = ''] = files;
  const name = sourceName(first);
  const file = showPath(name, cwd);
  const which = files.length === 1 ? file : `${file} and ${files.length - 1} more`;
  const fields = Map.groupBy(
    columns.filter(({ field }) => field !== undefined),
    ({ field }) => field!,
  );
  const taken = [...fields].flatMap(([field, sources]) => {
    const values = describeValues(mapping.columns[field]);
    const names = sources.map(({ source }) => source);
    return names.every((name) => isItsOwn(name, field)) && values === ''
      ? []
      : [`${names.map(quote).join(' and ')} as ${field}${values}`];
  });
  const change =
    (name === first || namedSource(name) !== name || tableOfCopy(first) !== undefined) &&
    named === 1 &&
    files.length === 1
      ? `To change or save this: sluice init ${shellWord(showText(showPath(namedSource(name), cwd)))}`
      : 'To change this: --map FIELD=COLUMN';
  return `Unknown column names in ${which}, read as follows: ${taken.join(', ')}. ${change}`;
}

function isItsOwn(source: string, field: string): boolean {
  const known = fieldCalled(source);
  return known !== undefined && nameOfField(known) === field;
}

/** The values that the mapping renames. */
function describeValues(source: Mapping['columns'][string] | undefined): string {
  const values = [source ?? []].flat().flatMap((one) => {
    const renamed = typeof one === 'object' && 'values' in one ? one.values : undefined;
    return Object.entries(renamed ?? {}).map(([from, to]) =>
      to === null ? `${quote(from)} as none` : `${quote(from)} as ${to}`,
    );
  });
  return values.length === 0 ? '' : ` (${values.join(', ')})`;
}
