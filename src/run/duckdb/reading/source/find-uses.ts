import type { Engine } from '../../engine/engine.ts';
import { lookAtFile } from '../../engine/file-identity.ts';
import { quotePaths, quoteTexts } from '../../engine/sql-text.ts';
import { allKeys } from '../../../events/column-names.ts';
import { type EventSource, mostWithUses } from './event-source.ts';
import { objectSizeOf } from './events-relation.ts';
import type { FactKeeper } from './find-fact.ts';

type JsonSource = Extract<EventSource, { readonly kind: 'json' }>;

/** The names in smaller files are known from their text, or take no time to read. */
const leastBytes = 8 * 2 ** 20;

/**
 * Sources with the names that large JSON files use. Reading all names that events may have takes several times as long
 * as reading those that some record has. The names are kept for as long as a file stays the same; `anew` reads them if
 * they are not known yet, which takes as long as a question. Packed files are left as they are: unpacking them once
 * more would take longer.
 */
export function knowUses(
  engine: Engine,
  { files, sources }: { readonly files: readonly string[]; readonly sources: readonly EventSource[] },
  facts: FactKeeper,
  anew: boolean,
): Promise<readonly EventSource[]> {
  return Promise.all(
    sources.map(async (source) => {
      const isPlain = source.kind === 'json' && source.compression === 'none' && source.encoding === undefined;
      if (!isPlain || source.uses !== undefined || source.paths.length > mostWithUses) return source;
      // Copies have another path in each process.
      if (!source.paths.every((path) => files.includes(path))) return source;
      try {
        const looks = await Promise.all(source.paths.map(async (path) => ({ path, ...(await lookAtFile(path)) })));
        if (looks.reduce((sum, { bytes }) => sum + bytes, 0) < leastBytes) return source;
        const find = async () => JSON.stringify(await findNames(engine, source));
        const found = await (anew ? facts.keep(fact, source.paths, find) : facts.known(fact, source.paths));
        if (found === undefined) return source;
        const names = JSON.parse(found) as readonly string[];
        return { ...source, uses: new Map(looks.map(({ path, mark }) => [path, { names, mark }] as const)) };
      } catch {
        // The files cannot be read as they are. The question reports why.
        return source;
      }
    }),
  );
}

const fact = 'names in use';

async function findNames(engine: Engine, source: JsonSource): Promise<readonly string[]> {
  const isLines = source.format === 'newline_delimited';
  const rows = await engine.rows(
    `SELECT DISTINCT name FROM (SELECT unnest(json_keys(json)) AS name FROM read_json_objects(${quotePaths(source.paths)},
      format = '${source.format}', maximum_object_size = ${objectSizeOf(source)}${isLines ? ', ignore_errors = true' : ''}))
    WHERE name IN (${quoteTexts(allKeys).slice(1, -1)})`,
  );
  return rows.map(([name]) => String(name));
}
