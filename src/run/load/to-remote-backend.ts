import { BackendError, SluiceError } from '../../ask/sluice-error.ts';
import { quote, showText } from '../../ask/text.ts';
import { hour } from '../../ask/time/granularity.ts';
import { askedRanges } from '../../plan/asked-ranges.ts';
import { type LoadBody, toLoadBody, wireZone } from '../../plan/load-body.ts';
import type { Plan } from '../../plan/plan.ts';
import { serverFillColumn } from '../../plan/server-fill.ts';
import { type Answer, type Batch, nothingRejected, type RemoteBackend, type RunOptions } from '../backend.ts';
import { askUntilDone, type Reply } from './ask-until-done.ts';
import { decodeData } from './decode-data.ts';
import type { LoadService } from './load-service.ts';
import { readEnvelope } from './read-envelope.ts';
import { requestMeta } from './request-meta.ts';

interface RemoteTraits {
  /** The service's address, for messages. */
  readonly address: string;
  /** Creates the body of a plan; defaults to `toLoadBody`. */
  readonly toBody?: ((plan: Plan) => LoadBody) | undefined;
  /** True if the service adds days without events by the platform's rule. */
  readonly fillsDays: boolean;
  /** Notes on every answer to a plan. */
  readonly noteOf?: ((plan: Plan) => readonly string[]) | undefined;
}

/**
 * A backend of a service that takes load bodies. Errors: the service's, `answer-unreadable`,
 * `week-start-unknown-there`, `granularity-unknown-there`, and those of `askUntilDone`.
 */
export function toRemoteBackend(
  service: LoadService,
  { address, toBody = toLoadBody, fillsDays, noteOf }: RemoteTraits,
): RemoteBackend {
  async function run(plan: Plan, options: RunOptions = {}): Promise<Answer> {
    checkBuckets(plan, service.name);
    const reply = await askUntilDone(service, await service.toRequest('load', toBody(plan), options.signal), options);
    return toAnswer(plan, reply, fillsDays, noteOf?.(plan) ?? []);
  }
  return {
    name: service.name,
    reach: 'remote',
    run,
    async siftRows(plan, sieve, options = {}) {
      checkBuckets(plan, service.name);
      const { body } = await askUntilDone(
        service,
        { ...(await service.toRequest('load', toBody(plan), options.signal)), sieve },
        options,
      );
      checkSifted(readEnvelope(body).data);
    },
    async explain(plan, options = {}) {
      checkBuckets(plan, service.name);
      const body = toBody(plan);
      const enginePlan = await dryRun(service, body, options);
      return { statement: `POST ${address}\n${JSON.stringify(body, null, 2)}`, parameters: [], enginePlan };
    },
    describe: (options = {}) => requestMeta(service, options),
    [Symbol.asyncDispose]: () => service.http[Symbol.asyncDispose](),
  };
}

/** The server's interpretation of the query; undefined if it has no dry run. */
async function dryRun(service: LoadService, body: LoadBody, options: RunOptions): Promise<string | undefined> {
  try {
    const { body: answer } = await askUntilDone(
      service,
      await service.toRequest('dry-run', body, options.signal),
      options,
    );
    return JSON.stringify(answer, null, 2).split('\n').map(showText).join('\n');
  } catch (error) {
    if (error instanceof SluiceError && error.code === 'endpoint-not-found') return undefined;
    throw error;
  }
}

function toAnswer(plan: Plan, { body, exactly }: Reply, fillsDays: boolean, notes: readonly string[]): Answer {
  const { data, refreshed, total } = readEnvelope(body);
  const { batch, appended, ambiguous } = decodeData(data, plan, {
    filled: fillsDays ? serverFillColumn(plan) : undefined,
    exactly: () => readEnvelope(exactly()).data,
  });
  const said = [...notes, ...noteAmbiguous(ambiguous, plan), ...noteStale(plan, refreshed)];
  return {
    batches: once(batch),
    facts: () => ({ total, uncounted: [], rejected: nothingRejected, refreshed, appended, notes: said }),
  };
}

/** A sieve must leave nothing between the brackets. */
function checkSifted(data: unknown): void {
  if (Array.isArray(data) && data.length === 0) return;
  throw new BackendError('The response of the server cannot be read. Its rows are in the wrong place.', {
    code: 'answer-unreadable',
    hint: 'Check that the configured URL is that of the right service.',
  });
}

async function* once(batch: Batch): AsyncGenerator<Batch, void, undefined> {
  yield batch;
}

/** Rejects buckets that the service does not support or cuts differently. */
function checkBuckets(plan: Plan, name: LoadService['name']): void {
  checkWeeks(plan);
  checkGranularities(plan, name);
}

/** Cube's weeks start on Monday, and a load body cannot change that. */
function checkWeeks(plan: Plan): void {
  if (plan.weekStart === 'monday' || plan.times.every(({ granularity }) => granularity !== 'week')) return;
  throw new BackendError('Weeks on the server start on Monday. This query uses another day.', {
    code: 'week-start-unknown-there',
    hint: 'Set `weekStart: monday`, group by day, or export the events and query them locally.',
  });
}

/** The platform's own cubes have only the standard granularities, and it accepts no others. */
function checkGranularities({ times }: Plan, name: LoadService['name']): void {
  const own = times.flatMap(({ granularity }) => (typeof granularity === 'object' ? granularity.name : []))[0];
  if (name !== 'platform' || own === undefined) return;
  throw new BackendError(`The platform has no granularity ${quote(own)}.`, {
    code: 'granularity-unknown-there',
    hint: 'Use a standard granularity, or export the events and query them locally.',
  });
}

function noteAmbiguous([label, ...more]: readonly string[], plan: Plan): readonly string[] {
  if (label === undefined) return [];
  return [
    `The clock of ${wireZone(plan)} shows ${label.slice(0, 16).replace('T', ' ')}` +
      (more.length > 0 ? ' and other times' : '') +
      ' twice, and the server does not distinguish them. The first is shown.',
  ];
}

/**
 * Notes that the range extends beyond the server's data. Ignores one hour, because servers refresh their caches at
 * intervals.
 */
function noteStale(plan: Plan, refreshed: string | undefined): readonly string[] {
  if (refreshed === undefined) return [];
  const wanted = Math.min(plan.now, ...askedRanges(plan).map(({ end }) => end));
  if (wanted - Date.parse(refreshed) <= hour) return [];
  return [
    `The server computed these figures as of ${refreshed.slice(0, 16).replace('T', ' ')} UTC. ` +
      'Later events are not included.',
  ];
}
