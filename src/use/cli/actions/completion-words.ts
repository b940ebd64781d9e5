import type { Command } from 'commander';
import { suggestedRanges } from '../../../ask/notation/words.ts';
import { granularities } from '../../../ask/time/granularity.ts';
import { toCatalog } from '../../../plan/model/catalog.ts';
import type { Cube, Model } from '../../../plan/model/model.ts';
import { formatNames, reportFormats } from '../../../show/format-name.ts';
import { defaultCubeOf } from '../../answer/question.ts';
import { complete } from '../../explorer/complete/complete.ts';
import type { Candidate, Candidates, Lookup } from './completion-candidate.ts';

type Finder = (lookup: Lookup, typed: string, command: Command) => Promise<readonly Candidate[]> | readonly Candidate[];

/**
 * Candidates for the values of flags, by long name. Flags that list their choices or take files are not needed here.
 */
export const finders: Readonly<Record<string, Finder>> = {
  measure: async ({ model }) => membersOf(await model(), 'measures'),
  dimension: async ({ model }) => membersOf(await model(), 'dimensions'),
  breakdown: async ({ model }) => membersOf(await model(), 'dimensions'),
  follow: async ({ model }) => membersOf(await model(), 'dimensions'),
  hold: async ({ model }) => membersOf(await model(), 'dimensions'),
  segment: async ({ model }) => membersOf(await model(), 'segments'),
  where: async ({ model }) => membersOf(await model(), 'dimensions'),
  time: async ({ model }, typed) => {
    const whole = await model();
    return withSuffix(timesOf(whole), typed, [...ownGranularities(whole, typed), ...granularities]);
  },
  order: async ({ model }, typed) => {
    const whole = await model();
    return withSuffix([...membersOf(whole, 'measures'), ...membersOf(whole, 'dimensions')], typed, ['asc', 'desc']);
  },
  format: (_, typed, command) => inList(formatsOf(command), typed),
  timezone: () => ['UTC', ...Intl.supportedValuesOf('timeZone')].map((value) => ({ value })),
  range: () => suggestedRanges.map((value) => ({ value })),
};

/** The formats of answers, unless the command has its own. */
function formatsOf(command: Command): readonly string[] {
  if (command.parent?.name() === 'report') return reportFormats;
  return command.name() === 'usage' ? [...new Set([...formatNames, ...reportFormats])] : formatNames;
}

/** A question can be one quoted word, or several words; its first word can be a saved query or a file. */
export async function completeQuestion(said: readonly string[], word: string, lookup: Lookup): Promise<Candidates> {
  const saved = said.length === 0 ? (await lookup.saved()).map((value) => ({ value, description: 'saved query' })) : [];
  const model = await lookup.model();
  const before = said.map((each) => `${each} `).join('');
  const line = before + word;
  const { from, candidates } = complete(line, line.length, {
    catalog: toCatalog(model),
    home: defaultCubeOf(model),
    zones: Intl.supportedValuesOf('timeZone'),
  });
  // Earlier words stay unchanged.
  const kept = line.slice(before.length, Math.max(before.length, from));
  return {
    candidates: [
      ...saved,
      ...(from < before.length
        ? []
        : candidates.map(({ text, title }) => ({ value: kept + text, ...(title !== '' && { description: title }) }))),
    ],
    files: said.length === 0 && !/\s/.test(word),
  };
}

/** The cubes of one analysis, or all cubes. */
export function cubesOf(model: Model, analysis: string | undefined): readonly Candidate[] {
  return listed(model)
    .filter(({ source }) => analysis === undefined || (source.kind === 'computed' && source.analysis.name === analysis))
    .map(({ name, description }) => ({ value: name, description }));
}

/** Names separated by commas; completes the last one. */
function inList(names: readonly string[], typed: string): readonly Candidate[] {
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  const taken = before.split(',');
  return names.filter((name) => !taken.includes(name)).map((name) => ({ value: before + name }));
}

/** `utcTime`, and after the colon `utcTime:day`. */
function withSuffix(members: readonly Candidate[], typed: string, suffixes: readonly string[]): readonly Candidate[] {
  const at = typed.indexOf(':');
  return at === -1 ? members : suffixes.map((suffix) => ({ value: `${typed.slice(0, at)}:${suffix}` }));
}

function listed(model: Model): readonly Cube[] {
  return model.cubes.filter((cube) => cube.public);
}

/** Names as they can be typed: without the cube for the default cube, with it for others. */
function membersOf(
  model: Model,
  kind: 'measures' | 'dimensions' | 'segments',
  isMeant: (member: { readonly name: string; readonly type?: string }) => boolean = () => true,
): readonly Candidate[] {
  const cubes = listed(model);
  const short = defaultCubeOf(model);
  return cubes.flatMap((cube) =>
    cube[kind]
      .filter((member) => member.public && isMeant(member))
      .map(({ name, description }) => ({ value: cube.name === short ? name : `${cube.name}.${name}`, description })),
  );
}

/** Custom granularities of the time dimension before the colon. */
function ownGranularities(model: Model, typed: string): readonly string[] {
  const [name = ''] = typed.split(':');
  const full = name.includes('.') ? name : `${defaultCubeOf(model)}.${name}`;
  const found = toCatalog(model).find(full);
  return found?.kind === 'dimension' ? (found.member.granularities ?? []).map((own) => own.name) : [];
}

function timesOf(model: Model): readonly Candidate[] {
  return membersOf(model, 'dimensions', ({ type }) => type === 'time');
}
