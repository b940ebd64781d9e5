import type { Plan } from '../../../plan/plan.ts';
import { slotLength } from '../../../plan/projection/projections.ts';
import { writePlan } from '../../../run/kept/answer-text.ts';
import { settledMs } from '../../../run/kept/data-identity.ts';
import { openKeptFiles } from '../../../run/kept/kept-files.ts';
import { lookAt, watchLooks } from '../../../run/looks.ts';
import type { Provenance } from '../../../shape/result/provenance.ts';
import type { FormatName } from '../../../show/format-name.ts';
import type { BoundQuestion } from '../../answer/bind-question.ts';
import type { Effects, Sink } from '../../process/effects.ts';
import type { Session } from '../../workspace/session.ts';
import { type Reply, replyKey } from './reply.ts';
import type { QueryFlags } from './command-flags.ts';
import type { Invocation } from './invocation.ts';

/** Formats that contain neither the elapsed time nor the time of the answer. */
const steadyFormats: readonly FormatName[] = ['table', 'chart', 'json', 'ndjson', 'csv', 'tsv', 'markdown'];
const mostLetters = 2 ** 20;
/** Checking more files takes longer than running the command. */
const mostLooks = 300;

/** Records the output of a command, so that the same command over the same files only replays it. */
interface ReplyKeeper {
  /** Effects that record the output. */
  readonly effects: Effects;
  /** Records the current state of the cache; call it before reading data. */
  readonly over: (session: Session) => Promise<void>;
  /** Caches the reply if its answer was cached and is the same throughout this time slot. */
  readonly keep: (session: Session, bound: BoundQuestion, provenance: Provenance) => Promise<void>;
}

/** Returns undefined if the output varies, or if the command has other effects. */
export function watchReply(
  { flags, args, effects }: Invocation<QueryFlags>,
  formats: readonly FormatName[],
): ReplyKeeper | undefined {
  const { argv } = effects;
  const varies = flags.verbose || flags.withProvenance || flags.explain || flags.users || flags.allSaved;
  if (!argv || varies || flags.output !== undefined || args.includes('-')) return undefined;
  if (!formats.every((format) => steadyFormats.includes(format))) return undefined;
  const { cwd, env, stdout, stderr } = effects;
  const started = effects.now();
  const key = replyKey({ argv, cwd, env, stdout, stderr, now: started });
  if (key === undefined) return undefined;
  const looksOf = watchLooks();
  const written: [to: 'stdout' | 'stderr', text: string][] = [];
  let letters = 0;
  const noting = (to: 'stdout' | 'stderr'): Sink => ({
    ...effects[to],
    write(text) {
      letters += typeof text === 'string' ? text.length : Infinity;
      if (letters <= mostLetters) written.push([to, text as string]);
      return effects[to].write(text);
    },
  });
  let kept: { readonly files: ReturnType<typeof openKeptFiles>; readonly generation: string } | undefined;
  return {
    effects: Object.defineProperties(
      { ...effects, stdout: noting('stdout'), stderr: noting('stderr') },
      // Keep the getter lazy: detecting a terminal takes time.
      { terminal: { get: () => effects.terminal } },
    ),
    async over({ settings }) {
      const files = openKeptFiles({ folder: settings.answers.value, now: effects.now });
      kept = { files, generation: await files.generation() };
    },
    async keep(session, bound, provenance) {
      const looks = looksOf();
      if (!kept || !looks || looks.size > mostLooks || letters > mostLetters) return;
      if (provenance.kept === undefined || !(await isSteady(session, bound, started, effects.now()))) return;
      for (const [place, { mark, changed }] of looks)
        if (changed > started - settledMs || lookAt(place).mark !== mark) return;
      const reply: Reply = { looks: [...looks].map(([place, { mark }]) => [place, mark]), written };
      await kept.files.write(key, { text: JSON.stringify(reply), since: started }, kept.generation);
    },
  };
}

/** True if the question and its answer are the same from the start of the time slot to its end. */
async function isSteady(
  session: Session,
  { plans, question }: BoundQuestion,
  from: number,
  to: number,
): Promise<boolean> {
  const [plan] = plans;
  if (plans.length > 1 || plan.computed || plan.cohorts || plan.root.synced) return false;
  // The reference time is fixed.
  if (plan.now < from || plan.now > to) return true;
  // The answer marks partial buckets, so it changes at their ends, which must be slot borders.
  if (plan.times.some(({ granularity }) => granularity && !beginsAtQuarters(granularity))) return false;
  const begin = Math.floor(from / slotLength) * slotLength;
  const meanings = new Set<string | undefined>();
  for (const asOf of [begin, plan.now, begin + slotLength - 1]) {
    const { value: [meant, more] = [], issues } = { value: undefined, ...session.bind(question.saved.query, { asOf }) };
    const written = meant && !more && (await writePlan(meant));
    if (written === undefined) return false;
    meanings.add(JSON.stringify([written, issues]));
  }
  return meanings.size === 1 && to < begin + slotLength;
}

function beginsAtQuarters(granularity: NonNullable<Plan['times'][number]['granularity']>): boolean {
  return typeof granularity === 'string' && granularity !== 'second' && granularity !== 'minute';
}
