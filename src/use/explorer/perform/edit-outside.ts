import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { drawIssues } from '../../../ask/document/draw-issue.ts';
import { ConfigError, SluiceError } from '../../../ask/sluice-error.ts';
import { makeTemporaryFolder } from '../../../run/file/temporary-folder.ts';
import { askText } from '../../answer/question.ts';
import { readSavedQuery, writeSavedQuery } from '../../answer/saved-query-text.ts';
import type { Session } from '../../workspace/session.ts';
import { valueOrThrow } from '../../workspace/with-fresh-model.ts';
import type { Message } from '../state/message.ts';
import type { Ask, OpenWorkspace } from '../state/state.ts';
import { toAsk } from '../update/follow-up.ts';
import { toAsking } from './answer-cell.ts';
import type { TerminalPort } from './terminal-port.ts';

interface EditSurroundings extends Pick<TerminalPort, 'lend'> {
  readonly session: Session;
  readonly names: OpenWorkspace;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens a question as YAML in the user's editor, and returns the result. Throws as `editOutside`, and
 * `InvalidInputError` if the question cannot be read.
 */
export async function editAsk(
  ask: Exclude<Ask, { readonly kind: 'text' }>,
  cell: number,
  { session, names, cwd, env, lend }: EditSurroundings,
): Promise<Message> {
  const { saved } = valueOrThrow(await toAsking(ask, session, cwd)(session.model));
  const written = await writeSavedQuery(saved);
  const text = await lend(() => editOutside(written, env));
  if (text === undefined) return { kind: 'edited', cell, ask: undefined };
  const read = await readSavedQuery(text, { file: 'the editor' });
  if (!read.ok)
    return { kind: 'edit-refused', cell, text, message: drawIssues(read.issues, { source: text, file: 'the editor' }) };
  return { kind: 'edited', cell, ask: toAsk(read.value, { workspace: names }) };
}

/** Reads a pasted query file or load body, with all names that a file of the workspace may have. */
export async function readPasted(text: string, { model }: Session, names: OpenWorkspace): Promise<Message> {
  const read = await askText(new TextEncoder().encode(text), 'the pasted text')(model);
  return read.ok
    ? { kind: 'query-read', ask: toAsk(read.value.saved, { workspace: names }) }
    : { kind: 'query-refused', message: read.error.message, text };
}

/**
 * Opens a text in the user's editor; resolves with the new text, or undefined if it is unchanged. The editor owns the
 * terminal until then. Errors: `no-editor`, `editor-failed`.
 */
export async function editOutside(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  name = 'question.yaml',
): Promise<string | undefined> {
  const editor = env['VISUAL'] || env['EDITOR'];
  if (!editor)
    throw new ConfigError('No editor is set.', {
      code: 'no-editor',
      hint: 'Set EDITOR, or press `i` to edit the line.',
    });
  await using folder = makeTemporaryFolder();
  const file = path.join(folder.path, name);
  await writeFile(file, text, { mode: 0o600 });
  await runEditor(editor, file, env);
  const edited = await readFile(file, 'utf8');
  return edited === text ? undefined : edited;
}

/** The shell splits the variable, which may contain flags; it must not interpret the file name. */
function runEditor(editor: string, file: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown) =>
      reject(
        new SluiceError(`The editor ${editor} ${why}.`, { code: 'editor-failed', cause, hint: 'Nothing was changed.' }),
      );
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], {
      stdio: 'inherit',
      env: env as NodeJS.ProcessEnv,
    });
    child.on('error', (error) => fail('could not be started', error));
    child.on('exit', (code, signal) =>
      code === 0
        ? resolve()
        : fail(signal === null ? `exited with code ${code ?? 'unknown'}` : `was stopped by ${signal}`),
    );
  });
}
