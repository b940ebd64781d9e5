import * as z from 'zod';
import { decodeUtf8 } from '../../../ask/document/decode-utf8.ts';
import { readDocument } from '../../../ask/document/read-document.ts';
import { isBareQuery } from '../../../ask/query/query.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { nothingRejected } from '../../../run/backend.ts';
import { answerDryRun, answerLoad } from '../../answer/load.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { refuse, unwrap } from '../../workspace/refuse.ts';
import type { LoadFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter, tellRejected } from '../command/reporter.ts';
import { openWorkspace } from '../command/open-workspace.ts';
import { readInput } from '../command/read-input.ts';

/** `sluice load`: prints the platform's response; an error response too, with exit code 2. */
export async function runLoad({ args, flags, effects }: Invocation<LoadFlags>): Promise<ExitCode> {
  const name = args[0] ?? '-';
  const file = name === '-' ? 'stdin' : name;
  const body = readBody(await readInput(name, effects), file);
  const { session } = await openWorkspace(flags, effects);
  await using _closed = session;
  const options = { queryType: flags.queryType === 'multi' ? 'multi' : 'regularQuery', signal: effects.signal };
  const answer = flags.dryRun ? await answerDryRun(body, session, options) : await answerLoad(body, session, options);
  await effects.stdout.write(`${JSON.stringify(answer.body)}\n`);
  if (answer.status === 200) {
    const rejected = 'rejected' in answer ? answer.rejected : nothingRejected;
    await tellRejected(rejected, toReporter(flags, effects), effects.cwd);
    return rejected.count > 0 ? exitCodes.partial : exitCodes.done;
  }
  throw new InvalidInputError(`The load body in ${file} cannot be answered: ${answer.body.error}`, []);
}

/** Parses JSON with `JSON.parse`; reports the position of an error. A bare query counts as a body. */
function readBody(bytes: Uint8Array, file: string): unknown {
  const decoded = decodeUtf8(bytes, { file });
  const text = unwrap(decoded, `The load body in ${file}`, decoded);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    const read = readDocument(text, z.unknown(), { file });
    if (!read.ok) throw refuse(read.issues, `The load body in ${file}`, read);
    body = read.value;
  }
  return isBareQuery(body) ? { query: body } : body;
}
