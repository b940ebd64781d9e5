import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { readDocument } from '../../../ask/document/read-document.ts';
import { decodeUtf8 } from '../../../ask/document/decode-utf8.ts';
import * as z from 'zod';
import { answerDryRun, answerLoad } from '../../answer/load.ts';
import { refuse, valueOf } from '../../refuse.ts';
import type { LoadFlags } from '../command-flags.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';
import { toVoice } from '../narrate.ts';
import { openWorkspace } from '../open-workspace.ts';
import type { Invocation } from '../invocation.ts';
import { readInput } from '../read-input.ts';
import { tellRejected } from '../tell-rejected.ts';
import { nothingRejected } from '../../../run/backend.ts';
import { isBareQuery } from '../../../ask/query/is-bare-query.ts';

/** `sluice load`: the platform's response on stdout; its error too, with exit code 2. */
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
    await tellRejected(rejected, toVoice(flags, effects), effects.cwd);
    return rejected.count > 0 ? exitCodes.partial : exitCodes.done;
  }
  throw new InvalidInputError(`The load body in ${file} cannot be answered: ${answer.body.error}`, []);
}

/** JSON as `JSON.parse` reads it; where it cannot, the place of the fault. A bare query is taken for a body. */
function readBody(bytes: Uint8Array, file: string): unknown {
  const decoded = decodeUtf8(bytes, { file });
  const text = valueOf(decoded, `The load body in ${file}`, decoded);
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
