import { drawInText } from '../../refuse.ts';
import { readSavedQuery, writeSavedQuery } from '../../answer/saved-query-text.ts';
import type { Session } from '../../session.ts';
import type { Message } from '../message.ts';
import type { Ask, OpenWorkspace } from '../state.ts';
import { toAsk } from '../update/ask-further.ts';
import { questionOfAsk } from './answer-ask.ts';
import { editOutside } from './edit-outside.ts';
import type { TerminalPort } from './terminal-port.ts';

export interface EditSurroundings extends Pick<TerminalPort, 'lend'> {
  readonly session: Session;
  readonly names: OpenWorkspace;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Lets the person change a question as YAML, and gives what came of it. Errors: as `editOutside`, and `InvalidInputError` for a question that cannot be understood. */
export async function editAsk(ask: Exclude<Ask, { readonly kind: 'text' }>, cell: number, { session, names, cwd, env, lend }: EditSurroundings): Promise<Message> {
  const { saved } = await questionOfAsk(session, ask, cwd);
  const written = await writeSavedQuery(saved);
  const text = await lend(() => editOutside(written, env));
  if (text === undefined) return { kind: 'edited', cell, ask: undefined };
  const read = await readSavedQuery(text, { file: 'the editor' });
  if (!read.ok) return { kind: 'edit-refused', cell, text, message: drawInText(read.issues, { source: text, file: 'the editor' }) };
  return { kind: 'edited', cell, ask: toAsk(read.value, { workspace: names }) };
}
