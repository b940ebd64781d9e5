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

/** Texts that tell neither how long the answer took nor at which moment it was given. */
const steadyFormats: readonly FormatName[] = ['table', 'chart', 'json', 'ndjson', 'csv', 'tsv', 'markdown'];
const mostLetters = 2 ** 20;
/** More files take longer to look at than the command takes to run. */
const mostLooks = 300;

/** Takes note of what a command writes, so that the same command over the same files only repeats it. */
export interface ReplyKeeper {
  /** What the command is to write with. */
  readonly effects: Effects;
  /** Takes what is kept by now as what it is; goes before the first look at the data. */
  readonly over: (session: Session) => Promise<void>;
  /** Keeps the reply, if its answer was kept and it is the same at any time of this slot. */
  readonly keep: (session: Session, bound: BoundQuestion, provenance: Provenance) => Promise<void>;
}

/** undefined: the command tells something that varies, or does something besides. */
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
      // Looking for a terminal takes time.
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

/**
 * Whether the question means the same, and its answer says the same, from the beginning of the slot of time to its end.
 */
async function isSteady(
  session: Session,
  { plans, question }: BoundQuestion,
  from: number,
  to: number,
): Promise<boolean> {
  const [plan] = plans;
  if (plans.length > 1 || plan.computed || plan.cohorts || plan.root.synced) return false;
  // Somebody has set the present: it does not go on.
  if (plan.now < from || plan.now > to) return true;
  // Whether a bucket is over is said of it.
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
