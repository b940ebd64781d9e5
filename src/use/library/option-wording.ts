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
  '--safe-csv': 'safeCells',
  '--token-file': 'token',
  '--watermark': 'watermarkMs',
};

/** Commands are not changed, because they are meant to be typed. */
const command = /(`sluice [^`]*`|(?:run|Run|type|Type|Try|try): sluice .*)/;

/** Matches flags of sluice, but not Node's `--max-old-space-size`. */
const flag = /(`?)(?<![\w-])(-[odf]\b|--(?!max-old-space-size)[a-z][a-z-]*)(?: (?!`)([^`]+))?(`?)/g;

const mapFlag = /--map (\w+)=COLUMN/g;
const mapOption = "`columns: {$1: 'COLUMN'}`";

/** Rewrites flags in a text as options: `--range` becomes the option `range`. */
export function nameOptions(text: string): string {
  return text
    .split(command)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(mapFlag, mapOption).replace(flag, toOption)))
    .join('');
}

function toOption(all: string, open: string, name: string, value: string | undefined, close: string): string {
  const option =
    options[name] ?? name.replace(/^-+/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  // Between backticks, the rest after the flag is its value; elsewhere it is the rest of the sentence.
  if (open === '`' && close === '`')
    return option.includes(' ') ? option : value === undefined ? `\`${option}\`` : `\`${option}: '${value}'\``;
  const rest = all.slice(open.length + name.length);
  return `${open}${option.includes(' ') ? option : `\`${option}\``}${rest === '' ? '' : nameOptions(rest)}`;
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
