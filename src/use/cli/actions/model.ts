import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { didYouMean } from '../../../ask/did-you-mean.ts';
import { errorIssue } from '../../../ask/outcome.ts';
import type { Model } from '../../../plan/model/model.ts';
import type { ModelFlags } from '../command-flags.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';
import { openCommandSettings } from '../open-workspace.ts';
import { openModelOf } from '../../open-model.ts';
import { toVoice } from '../narrate.ts';
import type { Invocation } from '../invocation.ts';
import { lineWidth } from '../line-width.ts';
import { textWidth } from '../text-width.ts';
import { writeMembersText, writeModelText } from './model-text.ts';
import { quote } from '../../../ask/quote.ts';
import { cubeOf } from '../../../ask/query/member-name.ts';

/** `sluice model`. */
export async function runModel({ args, flags, effects }: Invocation<ModelFlags>): Promise<ExitCode> {
  const { root, settings } = await openCommandSettings(flags, effects);
  const warnings: string[] = [];
  const { cwd, env, now, signal } = effects;
  const opened = await openModelOf(settings, { cwd, env, root, now, signal, warn: (text) => warnings.push(text) });
  await using _closed = opened.backend;
  // Who asks for the model of a server wants to see what it knows now.
  const whole = (await opened.again?.(signal)) ?? opened.model;
  for (const warning of warnings) await toVoice(flags, effects).note(warning);
  const name = args[0];
  await effects.stdout.write(await (flags.format === undefined || flags.format === 'text' ? writeText(whole, name, { flags, effects }) : write(name === undefined ? whole : pickCube(whole, name), flags.format)));
  return exitCodes.done;
}

/** Of one cube all that is known, on a pipe a line a member. */
function writeText(whole: Model, name: string | undefined, { flags, effects }: Pick<Invocation<ModelFlags>, 'flags' | 'effects'>): string {
  return name === undefined ? writeModelText(whole, textWidth(flags, effects)) : writeMembersText(pickCube(whole, name), lineWidth(flags, effects));
}

async function write(model: Model, format: 'json' | 'ts' | 'yaml'): Promise<string> {
  if (format === 'ts') return (await import('../../../plan/model/write-model-types.ts')).writeModelTypes(model);
  const { toMeta, writeMeta } = await import('../../../plan/model/write-meta.ts');
  if (format === 'json') return writeMeta(model);
  const { stringify } = await import('yaml');
  return stringify(toMeta(model), { aliasDuplicateObjects: false, lineWidth: 0 });
}

/** The one cube, listed even if it is an older name that is left out of listings. */
function pickCube(model: Model, name: string): Model {
  const wanted = cubeOf(name);
  const cube = model.cubes.find((each) => each.name.toLowerCase() === wanted.toLowerCase());
  if (cube) return { cubes: [{ ...cube, public: true }] };
  const names = model.cubes.filter((each) => each.public).map((each) => each.name);
  const message = `There is no cube ${quote(wanted)}.`;
  const hint = didYouMean(wanted, names) ?? `The cubes are ${names.join(', ')}. Look at one: \`sluice model ${names[0] ?? ''}\``;
  throw new InvalidInputError(message, [errorIssue('unknown-cube', message, { hint })], { hint });
}
