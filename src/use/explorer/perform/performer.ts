import { existsSync } from 'node:fs';
import path from 'node:path';
import { withParts } from '../../../ask/cloneable.ts';
import { AbortedError, SluiceError } from '../../../ask/sluice-error.ts';
import { shellWord } from '../../../ask/text.ts';
import { withoutProseEnd } from '../../../tell/notebook/edit-notebook.ts';
import { answerQuestion } from '../../answer/answer-question.ts';
import { bindQuestion } from '../../answer/bind-question.ts';
import { askSaved } from '../../answer/question.ts';
import type { Effects as CommandEffects } from '../../process/effects.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { showPath } from '../../process/show-path.ts';
import { toFetchFailure } from '../grid/grid-feed.ts';
import type { Conversion, Effect, EffectPort } from '../state/effects.ts';
import type { BlockAnswer, Message, WrittenCell } from '../state/message.ts';
import { chartRoom } from '../state/screen-rooms.ts';
import type { Ask } from '../state/state.ts';
import { findEmptyMembers, holdResult } from './answer-cell.ts';
import { openRuns, watchData } from './answer-runs.ts';
import { convertAsk } from './convert-ask.ts';
import { editAsk, editOutside, readPasted } from './edit-outside.ts';
import { type Drafts, openDraftKeeper } from './drafts.ts';
import { drawResultChart } from './draw-result-chart.ts';
import { findValues } from '../../workspace/find-values.ts';
import { type HeldAnswer, openHeldAnswers } from './held-answers.ts';
import { addToHistory, readHistory } from './line-history.ts';
import { openNotebook, saveCells, textOf } from './notebook-files.ts';
import { type TerminalPort, toClipboard } from './terminal-port.ts';
import { toFailure } from './to-failure.ts';
import { type EnteredWorkspace, openWorkspaceHandle } from './workspace-handle.ts';

interface PerformerOptions {
  readonly flags: GlobalFlags;
  readonly effects: CommandEffects;
  readonly terminal: TerminalPort;
  readonly openDrafts: (folder: string) => Drafts;
  /** A report to open at startup. */
  readonly notebook: string | undefined;
  readonly leave: () => void;
}

interface Performer extends EffectPort {
  /** Saves pending drafts synchronously, because the process may be exiting. */
  flush(): void;
}

type Tell = (message: Message) => void;

/** Performs effects with its own session, which opens in the background. */
export function openPerformer({ flags, effects, terminal, openDrafts, notebook, leave }: PerformerOptions): Performer {
  const ended = new AbortController();
  const handle = openWorkspaceHandle(flags, effects, ended.signal);
  const answers = openHeldAnswers();
  const session = async () => (await handle.entered()).workspace.session;
  const runs = openRuns({
    answers,
    session,
    changedFiles: async () => (await handle.entered()).names.changes?.(),
    size: terminal.size,
    cwd: effects.cwd,
  });
  const keeper = openDraftKeeper();
  const working = new Set<Promise<unknown>>();
  const looking = new Set<string>();
  let started = false;

  async function open({ asOf }: Effect & { readonly kind: 'open' }, tell: Tell): Promise<void> {
    runs.cancelAll();
    try {
      const entered = await handle.open(() => answers.releaseStored(), asOf);
      keeper.keepIn(openDrafts(explorerFolder(entered)));
      tell({ kind: 'opened', workspace: entered.names });
      if (!started) await start(entered, tell);
    } catch (error) {
      tell({ kind: 'open-failed', failure: toFailure(error) });
    }
  }

  /** Runs once, when the folder of the workspace is known. */
  async function start(entered: EnteredWorkspace, tell: Tell): Promise<void> {
    started = true;
    tell({ kind: 'history-read', lines: await readHistory(path.join(explorerFolder(entered), 'history')) });
    const [draft] = keeper.drafts?.list() ?? [];
    if (draft) tell({ kind: 'draft-found', draft });
    if (notebook !== undefined) await attempt({ kind: 'open-notebook', name: notebook }, tell);
  }

  async function fetchRows({ answer, wanted }: Effect & { readonly kind: 'grid' }, tell: Tell): Promise<void> {
    const held = answers.get(answer);
    const message = held
      ? await held.feed.fetch(wanted, held.abort.signal)
      : toFetchFailure(wanted, 'The data was reopened. Run the cell again with `:run`.');
    tell({ kind: 'grid', answer, message });
  }

  async function drawChart(
    { of, notes, annotations }: Effect & { readonly kind: 'draw-chart' },
    tell: Tell,
  ): Promise<void> {
    const held = answers.get(of.answer);
    if (!held) return;
    try {
      if (!held.whole) throw new SluiceError('there are too many rows', { code: 'too-many-rows' });
      tell({
        kind: 'chart-drawn',
        of,
        ...(await drawResultChart(
          withParts(held.whole, { provenance: { ...held.whole.provenance, notes } }),
          { preference: held.answer.saved.chart, annotations, hidden: of.hidden },
          of,
          terminal,
        )),
      });
    } catch (error) {
      tell({ kind: 'chart-failed', of, why: toFailure(error).message });
    }
  }

  /** Answers the notebook as on screen, saved or not. */
  async function answerReport(
    { run, cells, file, given }: Effect & { readonly kind: 'answer-report' },
    tell: Tell,
  ): Promise<void> {
    await runs.during(run, tell, async (signal) => {
      const since = performance.now();
      const { workspace, names } = await handle.entered();
      const { answerNotebook } = await import('./answer-notebook.ts');
      const data = await watchData(workspace.session);
      const written = textOf(cells, file, names);
      const { told, params, annotations } = await answerNotebook(
        { text: written.text, path: file.path, shown: file.shown, given },
        workspace,
        {
          room: chartRoom({ size: terminal.size() }),
          draw: ({ result, preference, annotations: marks }, room) =>
            drawResultChart(result, { preference, annotations: marks }, room, terminal),
          signal: AbortSignal.any([signal, ended.signal]),
        },
      );
      const blocksOf = ({ source }: WrittenCell, index: number) => {
        const from = written.frontMatter.length + lengthOf(written.cells.slice(0, index));
        return told.filter(({ at }) => at >= from && at < from + source.length);
      };
      const held = new Map<number, BlockAnswer>();
      for (const [index, cell] of written.cells.entries()) {
        const [{ rows } = {}] = cell.ask.kind === 'text' ? blocksOf(cell, index) : [];
        const answer = rows && (await holdResult(workspace.session, rows, signal));
        if (!answer) continue;
        const { number, grid } = await answers.hold(answer, terminal.size());
        held.set(cell.id, { answer: { ...answer.answer, number }, grid });
      }
      tell({
        kind: 'report-answered',
        run,
        told: new Map(
          written.cells.map((cell, index) => [cell.id, blocksOf(cell, index).flatMap(({ parts }) => parts)]),
        ),
        answers: held,
        params,
        annotations,
        changes: names.changes?.(),
        elapsedMs: performance.now() - since,
        data: await data(),
      });
    });
  }

  function countValues({ run, saved }: Effect & { readonly kind: 'count-values' }, tell: Tell): Promise<void> {
    return runs.during(
      run,
      tell,
      async (stopped) => {
        const signal = AbortSignal.any([stopped, ended.signal]);
        const opened = await session();
        const bound = await bindQuestion(opened, askSaved(saved), { signal });
        await using answered = await answerQuestion(opened, bound, { signal, fill: 'none' });
        tell({ kind: 'values-counted', run, counted: answered.whole, problem: undefined });
      },
      ({ message }) => ({ kind: 'values-counted', run, counted: undefined, problem: message }),
    );
  }

  /** Throws `too-late` if its rows are gone. */
  function heldOf(answer: number): HeldAnswer {
    const held = answers.get(answer);
    if (held) return held;
    throw new SluiceError('The data was reopened.', { code: 'too-late', hint: 'Run the cell again with `:run`.' });
  }

  async function exportAnswer(
    { answer, ask, into, view }: Effect & { readonly kind: 'export' },
    tell: Tell,
  ): Promise<void> {
    const { exportRows } = await import('./export-rows.ts');
    const held = heldOf(answer);
    const asked = { into, view, ask: ask.kind === 'text' ? toAskOf(held) : ask, held };
    const said = await exportRows(asked, await session(), effects.cwd, ended.signal);
    tell({ kind: 'exported', said });
  }

  async function convert(ask: Exclude<Ask, { readonly kind: 'text' }>, into: Conversion) {
    const { workspace, place } = await handle.entered();
    return convertAsk(workspace.session, ask, into, place);
  }

  async function lookUp({ member }: Effect & { readonly kind: 'find-values' }, tell: Tell): Promise<void> {
    if (looking.has(member)) return;
    looking.add(member);
    try {
      const values = await findValues(await session(), member, { signal: ended.signal });
      tell({ kind: 'values-found', member, values });
    } finally {
      looking.delete(member);
    }
  }

  async function findEmpty(tell: Tell): Promise<void> {
    const { workspace, names } = await handle.entered();
    const empty = await findEmptyMembers(workspace.session, names.home, ended.signal);
    if (empty) tell({ kind: 'empty-found', empty });
  }

  async function restore({ draft }: Effect & { readonly kind: 'restore-draft' }, tell: Tell): Promise<void> {
    const { names, place, time } = await handle.entered();
    // If the report has errors, report them and replace nothing. If its file is gone, restore only the cells.
    const isThere = draft.file !== undefined && existsSync(draft.file);
    const opened = isThere ? await openNotebook(draft.file, names, place, time) : undefined;
    // Keep the draft as this process's own before discarding the old one, so that it always exists.
    keeper.keep(
      { cells: draft.cells.map((cell, id) => ({ ...cell, id })), typed: draft.typed, file: draft.file },
      draftFailed(tell),
    );
    keeper.flush();
    keeper.drafts?.discard(draft.id);
    tell({
      kind: 'notebook-opened',
      file: opened?.file,
      cells: draft.cells,
      typed: draft.typed,
      restored: draft.id,
      note:
        draft.file === undefined || isThere
          ? undefined
          : `${showPath(draft.file, place.cwd)} does not exist any more: its cells are a new notebook.`,
    });
  }

  const draftFailed = (tell: Tell) => (error: unknown) =>
    tell({ kind: 'effect-failed', what: failedWords['keep-draft'] ?? '', failure: toFailure(error) });

  async function perform(effect: Effect, tell: Tell): Promise<void> {
    switch (effect.kind) {
      case 'open':
        return open(effect, tell);
      case 'run':
        return runs.run(effect, tell);
      case 'pivot':
        return runs.pivot(effect, tell);
      case 'cancel':
        return runs.cancel(effect.run);
      case 'answer-report':
        return answerReport(effect, tell);
      case 'release':
        return answers.release(effect.answer);
      case 'grid':
        return fetchRows(effect, tell);
      case 'draw-chart':
        return drawChart(effect, tell);
      case 'count-values':
        return countValues(effect, tell);
      case 'await-columns': {
        const { columnsRead, readEvents } = await handle.entered();
        await columnsRead;
        await readEvents();
        return tell({ kind: 'columns-read', line: effect.line });
      }
      case 'find-values':
        return lookUp(effect, tell);
      case 'find-empty':
        return findEmpty(tell);
      case 'save': {
        const { names, place } = await handle.entered();
        const saved = await saveCells(effect.cells, effect, names, place, effects.now());
        const run = `sluice report run ${shellWord(path.parse(saved.file.path).name)} ${place.dataFlags ?? ''}`;
        return tell({ kind: 'saved', ...saved, note: effect.note, run: place.dataFlags ? run : undefined });
      }
      case 'open-notebook': {
        const { names, place, time } = await handle.entered();
        const { name, given } = effect;
        return tell({
          kind: 'notebook-opened',
          ...(await openNotebook(name, names, place, time, given)),
          ...(given && { given }),
          typed: '',
        });
      }
      case 'restore-draft':
        return restore(effect, tell);
      case 'list-drafts':
        return tell({ kind: 'drafts-found', drafts: keeper.drafts?.list() ?? [] });
      case 'set-theme':
        return terminal.setTheme(effect.theme);
      case 'discard-draft':
        return keeper.drafts?.discard(effect.id);
      case 'keep-draft':
        return keeper.keep(effect, draftFailed(tell));
      case 'edit': {
        const { workspace, names } = await handle.entered();
        const { cell, ask } = effect;
        if (ask.kind === 'text') {
          const source = await terminal.lend(() => editOutside(withoutProseEnd(ask.source), effects.env, 'block.md'));
          return tell({ kind: 'edited', cell, ask: source === undefined ? undefined : { kind: 'text', source } });
        }
        const { cwd, env } = effects;
        return tell(await editAsk(ask, cell, { session: workspace.session, names, cwd, env, lend: terminal.lend }));
      }
      case 'read-query': {
        const { workspace, names } = await handle.entered();
        return tell(await readPasted(effect.text, workspace.session, names));
      }
      case 'edit-typed':
        return tell({
          kind: 'typed-edited',
          text: await terminal.lend(() => editOutside(`${effect.text}\n`, effects.env, 'question.txt')),
        });
      case 'turn':
        return effect.ask.kind === 'text'
          ? undefined
          : tell({ kind: 'turned', ...(await convert(effect.ask, effect.into)) });
      case 'export':
        return exportAnswer(effect, tell);
      case 'copy-table': {
        const { tableToCopy } = await import('./export-rows.ts');
        const text = await tableToCopy(heldOf(effect.answer), effect.view);
        return perform({ kind: 'copy', text, what: 'the table' }, tell);
      }
      case 'copy-command': {
        if (effect.ask.kind === 'text') return undefined;
        const { text } = await convert(effect.ask, 'command');
        return perform({ kind: 'copy', text: text.trimEnd(), what: 'the command' }, tell);
      }
      case 'copy':
        if (!terminal.send)
          throw new SluiceError('This terminal does not support the clipboard.', {
            code: 'no-clipboard',
            hint: 'Copy the text by hand.',
          });
        terminal.send(toClipboard(effect.text, { inTmux: (effects.env['TMUX'] ?? '') !== '' }));
        return tell({ kind: 'copied', what: effect.what });
      case 'remember':
        return addToHistory(path.join(explorerFolder(await handle.entered()), 'history'), effect.line);
      case 'set-mouse':
        return terminal.setMouse(effect.on);
      case 'suspend':
        return terminal.suspend();
      case 'leave':
        return leave();
    }
  }

  async function attempt(effect: Effect, tell: Tell): Promise<void> {
    try {
      await perform(effect, tell);
    } catch (error) {
      if (!(error instanceof AbortedError))
        tell({
          kind: 'effect-failed',
          what: failedWords[effect.kind] ?? 'Failed',
          failure: toFailure(error),
        });
    }
  }

  return {
    perform(effect, tell) {
      const doing = attempt(effect, tell);
      working.add(doing);
      void doing.finally(() => working.delete(doing));
    },
    flush: () => keeper.flush(),
    async [Symbol.asyncDispose]() {
      try {
        keeper.flush();
      } finally {
        ended.abort();
        runs.cancelAll();
        await answers.releaseAll();
        await handle.close();
        await Promise.allSettled(working);
      }
    },
  };
}

/** The question of a report's block. */
function toAskOf({ answer: { saved } }: HeldAnswer): Ask & { readonly kind: 'query' } {
  return { kind: 'query', saved };
}

function lengthOf(cells: readonly { readonly source: string }[]): number {
  return cells.reduce((sum, { source }) => sum + source.length, 0);
}

function explorerFolder({ workspace: { root } }: EnteredWorkspace): string {
  return path.join(root, '.sluice', 'explorer');
}

const failedWords: Partial<Readonly<Record<Effect['kind'], string>>> = {
  save: 'Not saved',
  'open-notebook': 'Not opened',
  edit: 'Not edited',
  'edit-typed': 'Not edited',
  'read-query': 'Not pasted',
  turn: 'Not converted',
  copy: 'Not copied',
  'copy-table': 'Not copied',
  'copy-command': 'Not copied',
  export: 'Not exported',
  'find-values': 'Values not available',
  remember: 'The line was not saved to the history',
  'restore-draft': 'Not restored',
  'keep-draft': 'Unsaved changes cannot be kept',
};
