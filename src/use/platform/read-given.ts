import path from 'node:path';
import { errorIssue, type Issue } from '../../ask/outcome.ts';
import { type Operation, type Parameter, parametersOf, readParameters } from '../../ask/platform/operation.ts';
import { fromTexts, isStructure, markOf, schemaOfKey } from '../../ask/platform/parameter.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { readDefinition } from '../../run/file/read-definition.ts';
import { unwrap } from '../workspace/refuse.ts';
import { holdsSecret } from './list-operations.ts';

/** Sources of values that are not on the command line. */
interface GivenSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly readStdin: () => Promise<Uint8Array>;
}

/** A parameter as typed on the command line. `name` may be `filter[environment_scope]`. */
export interface TypedParameter {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads the parameters of an operation from text. Secrets must come from `@FILE`, `env:NAME` or `-` (standard input);
 * structures may. Throws `InvalidInputError` with all issues.
 */
export async function readGiven(
  asked: Operation,
  typed: readonly TypedParameter[],
  sources: GivenSources,
): Promise<Readonly<Record<string, unknown>>> {
  const parameters = parametersOf(asked);
  const given: Record<string, unknown> = {};
  const issues: Issue[] = [];
  const stdin: string[] = [];
  for (const [name, texts] of Map.groupBy(typed, (each) => each.name)) {
    const [, base = name, key] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
    const found = parameters.find((each) => each.name === base);
    const schema = found && (key === undefined ? found.schema : schemaOfKey(found.schema, key));
    if (found === undefined || schema === undefined) {
      issues.push(unknownParameter(name, parameters));
      continue;
    }
    const place: Place = { name, isSecret: holdsSecret({ schema }), isStructure: isStructure(schema), sources, stdin };
    const read = await Promise.all(texts.map(({ text }) => readText(text, place)));
    issues.push(...read.flatMap((each) => (typeof each === 'string' ? [] : [each])));
    const value = markOf(schema).file
      ? path.resolve(sources.cwd, texts[0]!.text)
      : fromTexts(
          schema,
          read.filter((each) => typeof each === 'string'),
        );
    if (key === undefined) given[base] = value;
    else given[base] = { ...(given[base] as object | undefined), [key]: value };
  }
  if (issues.length > 0) unwrap({ ok: false, issues }, 'The call');
  return unwrap(readParameters(asked, given), 'The call');
}

interface Place {
  readonly name: string;
  readonly isSecret: boolean;
  readonly isStructure: boolean;
  readonly sources: GivenSources;
  /** Parameters that were read from standard input, which can be read once. */
  readonly stdin: string[];
}

async function readText(text: string, { name, isSecret, isStructure, sources, stdin }: Place): Promise<string | Issue> {
  if (!isSecret && !isStructure) return text;
  const fail = (message: string, hint: string) => errorIssue('invalid-value', message, { path: [name], hint });
  if (text === '-') {
    if (stdin.length > 0) return fail('Standard input is read once.', `It is read for ${quote(stdin[0]!)} already.`);
    stdin.push(name);
    return withoutLineEnd(Buffer.from(await sources.readStdin()).toString('utf8'));
  }
  if (text.startsWith('@')) {
    const file = text.slice(1);
    const bytes = await readDefinition(path.resolve(sources.cwd, file), file).catch(() => undefined);
    if (bytes === undefined) return fail(`The file ${quote(file)} cannot be read.`, 'Check its path and permissions.');
    return withoutLineEnd(bytes.toString('utf8'));
  }
  if (text.startsWith('env:')) {
    const variable = text.slice('env:'.length);
    const value = sources.env[variable] ?? '';
    return value === '' ? fail(`The variable ${quote(variable)} is not set.`, 'Set it, or correct its name.') : value;
  }
  if (!isSecret) return text;
  return errorIssue('secret-on-command-line', 'A secret cannot be given on the command line.', {
    path: [name],
    hint:
      'Other users of the machine see it there. ' +
      'Write it to a file and use `@FILE`, or use `env:NAME`, or `-` to read standard input.',
  });
}

/** Removes the line end that editors and `echo` add to a file. */
function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}

function unknownParameter(name: string, parameters: readonly Parameter[]): Issue {
  const names = parameters.map((each) => each.name);
  return errorIssue('unknown-key', `The operation has no parameter ${quote(name)}.`, {
    path: [name],
    hint: didYouMean(name, names) ?? `Use ${names.join(', ')}.`,
  });
}
