import { readFile, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ConfigError, SluiceError } from '../../../ask/sluice-error.ts';
import { makeTemporaryFolder } from '../../../run/file/temporary-folder.ts';

/**
 * Lets the person change a text in their editor, and resolves with it; undefined where it was not changed. The terminal is
 * the editor's meanwhile. Errors: `no-editor`, `editor-failed`.
 */
export async function editOutside(text: string, env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  const editor = env['VISUAL'] || env['EDITOR'];
  if (!editor) throw new ConfigError('No editor is set.', { code: 'no-editor', hint: 'Set EDITOR, or edit the line by `i`.' });
  await using folder = makeTemporaryFolder();
  const file = path.join(folder.path, 'question.yaml');
  await writeFile(file, text, { mode: 0o600 });
  await runEditor(editor, file, env);
  const edited = await readFile(file, 'utf8');
  return edited === text ? undefined : edited;
}

/** The variable may hold flags, and is for a shell to read; the file's name is not. */
function runEditor(editor: string, file: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown) => reject(new SluiceError(`The editor ${editor} ${why}.`, { code: 'editor-failed', cause, hint: 'Nothing was changed.' }));
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env: env as NodeJS.ProcessEnv });
    child.on('error', (error) => fail('could not be started', error));
    child.on('exit', (code, signal) => (code === 0 ? resolve() : fail(signal === null ? `ended with ${code ?? 'nothing'}` : `was ended by ${signal}`)));
  });
}
