import type { Issue } from '../../ask/outcome.ts';
import { InvalidInputError, SluiceError } from '../../ask/sluice-error.ts';
import { toSystemError } from '../../run/file/system-error.ts';
import type { Provenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import { withParts } from '../../ask/cloneable.ts';

/** Flags whose option is not their name in camel case. */
const options: Readonly<Record<string, string>> = {
  '-o': 'the first argument',
  '--output': 'the first argument',
  '-d': 'dimensions',
  '-f': 'format',
  '--bind': 'host',
  '--dimension': 'dimensions',
  '--hooks-body-limit': 'hooks.bodyLimit',
  '--hooks-secret-file': 'hooks.signingSecret',
  '--hooks-token-file': 'hooks.token',
  '--hooks-tolerance': 'hooks.tolerance',
  '--host': 'platform',
  '--measure': 'measures',
  '--pack': 'packing',
  '--param': 'params',
  '--raw-csv': 'rawCells',
  '--safe-csv': 'safeCells',
  '--token-file': 'token',
  '--watermark': 'watermarkMs',
};

/** Flags that texts name without backticks. */
const bareFlags = [
  'allow-stale|as-of|by-entry|cube|events|explain|force|from|group|hooks|hooks-secret-file|hooks-token-file|host',
  'known-at|map|memory|param|port|preset|project|range|recheck|safe-csv|since-last|state|subject|timezone',
  'to|token-file|trend|users|verbose|where|without',
].join('|');

/**
 * Parts that are never changed: quoted lines of a source, whatever stands between quotes (a value may have quotes of
 * its own), and commands, because they are meant to be typed.
 */
const kept = /(^ {2}(?!hint:).*$|".*"|`sluice [^`]*`|(?:run|Run|type|Type|Try|try): sluice .*)/m;

/** One or more flags with their values between backticks. */
const flagsInCode = /`(-[odf]|--[a-z][a-z-]*)((?: [^`]+)?)`/g;
const bareFlag = new RegExp(`(?<=^|[\\s(])--(?:${bareFlags})(?=$|[\\s,;:)]|\\.(?:\\s|$))`, 'gm');

const mapFlag = /`?--map (\w+)=COLUMN`?/g;
const mapOption = "`columns: {$1: 'COLUMN'}`";

/** Rewrites flags in a text of sluice as options: `--range` becomes the option `range`. */
export function nameOptions(text: string): string {
  return text
    .split(kept)
    .map((part, index) => (index % 2 === 1 ? part : nameFlags(part)))
    .join('');
}

function nameFlags(text: string): string {
  return text
    .replace(mapFlag, mapOption)
    .replace(flagsInCode, (code) => {
      const named = code
        .slice(1, -1)
        .split(/ (?=--)/)
        .map(withValue);
      return named.length === 1 && named[0]?.includes('argument') ? named[0] : `\`${named.join(', ')}\``;
    })
    .replace(bareFlag, (flag) => `\`${optionOf(flag)}\``);
}

/** `--range yesterday` becomes `range: 'yesterday'`. */
function withValue(text: string): string {
  const [flag = '', ...words] = text.split(' ');
  const option = optionOf(flag);
  const value = words.join(' ');
  if (value === '' || option.includes(' ')) return option;
  return `${option}: ${/^(?:\d+|'.*')$/.test(value) ? value : `'${value}'`}`;
}

function optionOf(flag: string): string {
  return options[flag] ?? flag.replace(/^-+/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Rewrites flags in the notes of a result as options. */
export function resultInCode<Row extends object>(result: Result<Row>): Result<Row> {
  const provenance = provenanceInCode(result.provenance);
  return withParts(result, { provenance });
}

export function provenanceInCode(provenance: Provenance): Provenance {
  const { notes, endsEarly, lacking } = provenance;
  return {
    ...provenance,
    notes: notes.map(nameOptions),
    ...(endsEarly !== undefined && { endsEarly: nameOptions(endsEarly) }),
    ...(lacking !== undefined && { lacking: lacking.map(nameOptions) }),
  };
}

/** Rewrites flags in an error's texts as options. Converts system errors to errors of sluice first. */
export function inCode(thrown: unknown): unknown {
  const error = toSystemError(thrown) ?? thrown;
  if (!(error instanceof SluiceError)) return error;
  const words: { message: string; hint: string | undefined; issues?: readonly Issue[] } = {
    message: nameOptions(error.message),
    hint: error.hint === undefined ? undefined : nameOptions(error.hint),
  };
  if (error instanceof InvalidInputError)
    words.issues = error.issues.map((issue) => ({
      ...issue,
      message: nameOptions(issue.message),
      ...(issue.hint !== undefined && { hint: nameOptions(issue.hint) }),
    }));
  return Object.assign(error, words);
}
