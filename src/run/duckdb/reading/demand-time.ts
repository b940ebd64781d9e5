import { BackendError } from '../../../ask/sluice-error.ts';
import { shellWord, showText } from '../../../ask/text.ts';
import { eventsInMemory, namedSource, sourceName } from '../../file/source-copy.ts';
import type { EventSource } from './source/event-source.ts';
import { isTimeName, timeSpellings } from '../../events/column-names.ts';
import { namesIn } from './recognise/recognise-fields.ts';
import { namesHint } from './formats/unfit-file.ts';

/**
 * Rejects files whose head shows events without a time, or no objects. Errors: `events-without-time`,
 * `file-without-events`.
 */
export async function demandTime(source: EventSource): Promise<void> {
  if (source.kind === 'json' && !source.hints.objects)
    throw new BackendError(`${sourceName(source.paths[0]!)} is not in a format that sluice reads.`, {
      code: 'file-without-events',
      hint:
        'Convert it to NDJSON (one JSON object a line), JSON, CSV, Parquet or Arrow. ' +
        'Logs in logfmt, and those of web servers, proxies and load balancers, are read as they are, ' +
        'also behind the prefix of a container or syslog.',
    });
  if (source.kind === 'cleaned') return;
  const names = await namesToJudge(source);
  if (names === undefined) return;
  const wanted = wantedTimes(source);
  const has = new Set(names.map((name) => name.toLowerCase()));
  if (wanted === undefined ? names.some(isTimeName) : wanted.some((name) => has.has(name.toLowerCase()))) return;
  const file = source.kind === 'parquet' ? (source.original ?? source.paths[0]!) : source.paths[0]!;
  const shownNames = `${names.slice(0, 8).join(', ')}${names.length > 8 ? ' …' : ''}`;
  if (sourceName(file) === eventsInMemory)
    throw new BackendError('The events in memory have no time.', {
      code: 'events-without-time',
      hint: `They have ${shownNames}. Pass \`columns: {utcTime: 'COLUMN'}\`, or name the field utcTime.`,
    });
  const column = source.kind === 'json' ? 'field' : 'column';
  const shown = sourceName(file) === 'stdin' ? 'FILE' : shellWord(showText(namedSource(sourceName(file))));
  throw new BackendError(
    wanted === undefined
      ? `${sourceName(file)} has no ${column} for the time of its events.`
      : `${sourceName(file)} has no column ${wanted.join(' or ')}, which the mapping uses as the time of events.`,
    {
      code: 'events-without-time',
      hint: `It has ${shownNames}. ${
        wanted === undefined
          ? (namesHint(names) ??
            `Run \`sluice init ${shown}\` to map these names, or name the time ${column}` +
              ` ${timeSpellings.slice(0, 3).join(', ')} or TrackedEvents.${timeSpellings[0]!}.`)
          : 'Correct `columns:` or --map.'
      }`,
    },
  );
}

/** The names among which a time must be. undefined: the file may have one that its head does not show. */
async function namesToJudge(source: Exclude<EventSource, { kind: 'cleaned' }>): Promise<readonly string[] | undefined> {
  if (source.kind === 'parquet') return source.columns.map(({ name }) => name);
  if (source.kind === 'csv') return source.style === 'headed' ? source.header : undefined;
  // Objects may lack what a mapping names. The lines without a time are reported then.
  if (source.hints.timed || wantedTimes(source) !== undefined) return undefined;
  const { names } = await namesIn(source, source.paths[0]!);
  return names.length > 0 ? names : undefined;
}

/** The columns from which a mapping takes the time; undefined if it has no time, so that column names decide. */
function wantedTimes({ mapped }: EventSource): readonly string[] | undefined {
  const time = mapped?.fields.find(({ type }) => type === 'time');
  return time?.parts.flatMap((part) => (part.kind === 'value' ? [] : part.kind === 'sql' ? part.roots : [part.root]));
}
