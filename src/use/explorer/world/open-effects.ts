import path from 'node:path';
import { readZone } from '../../../ask/time/zone.ts';
import { AbortedError } from '../../../ask/sluice-error.ts';
import { toCatalog } from '../../../plan/model/catalog.ts';
import { pivot } from '../../../shape/pivot.ts';
import type { Effects as CommandEffects } from '../../cli/effects.ts';
import type { GlobalFlags } from '../../cli/global-flags.ts';
import { openWorkspace, type OpenedWorkspace } from '../../cli/open-workspace.ts';
import { defaultCubeOf } from '../../question.ts';
import { listSavedQueries } from '../../saved-queries.ts';
import { readSavedQuery, writeSavedQuery } from '../../saved-query-text.ts';
import { drawInText } from '../../refuse.ts';
import { describeSource } from '../../session.ts';
import type { Effect, EffectPort } from '../effects.ts';
import { openGridFeed, type GridFeed } from '../grid/grid-feed.ts';
import { sourceOfResult } from '../grid/grid-source.ts';
import type { Message } from '../message.ts';
import type { Look } from '../paint.ts';
import type { OpenWorkspace, Size } from '../state.ts';
import { toAsk } from '../update/ask-further.ts';
import { answerAsk, questionOfAsk, type AskedAnswer } from './answer-ask.ts';
import { drawResultChart } from './draw-result-chart.ts';
import type { Drafts } from './drafts.ts';
import { editOutside } from './edit-outside.ts';
import { findValues } from './find-values.ts';
import { addToHistory, readHistory } from './line-history.ts';
import { openNotebook, saveCells } from './notebook-files.ts';
import { toFailure } from './to-failure.ts';
import { turnAsk } from './turn-ask.ts';

/** What effects need of the terminal. */
export interface TerminalPort {
  readonly size: () => Size;
  readonly look: Look;
  /** Sends something that is not seen, such as what goes to the clipboard. */
  send(text: string): void;
  setMouse(on: boolean): void;
  /** Gives the terminal away while a task runs. */
  lend<T>(task: () => Promise<T>): Promise<T>;
  /** To the shell, and back. */
  suspend(): Promise<void>;
}

export interface EffectSurroundings {
  readonly flags: GlobalFlags;
  readonly effects: CommandEffects;
  readonly terminal: TerminalPort;
  readonly openDrafts: (folder: string) => Drafts;
  /** A report to open at the start. */
  readonly notebook: string | undefined;
  readonly leave: () => void;
}

export interface OpenedEffects extends EffectPort {
  /** Writes what is to be kept at once: the process may be going down. */
  flush(): void;
}

interface HeldAnswer extends AskedAnswer {
  readonly feed: GridFeed;
  readonly abort: AbortController;
}

/** A clipboard takes no more, or the terminal would be busy with it for long. */
const mostCopied = 500_000;
/** What is typed is kept when nothing was typed for so long. */
const draftPause = 300;

/** Does effects with a session of its own, which opens in the background. */
export function openEffects({ flags, effects, terminal, openDrafts, notebook, leave }: EffectSurroundings): OpenedEffects {
  const answers = new Map<number, HeldAnswer>();
  const runs = new Map<number, AbortController>();
  const working = new Set<Promise<unknown>>();
  const looking = new Set<string>();
  let opening: Promise<OpenedWorkspace> | undefined;
  let names: OpenWorkspace | undefined;
  let drafts: Drafts | undefined;
  let kept: (Effect & { readonly kind: 'keep-draft' }) | undefined;
  let keeping: NodeJS.Timeout | undefined;
  let nextAnswer = 1;
  let started = false;
  const ended = new AbortController();

  const opened = () => opening ?? Promise.reject(new AbortedError());
  const explorerFolder = ({ root }: OpenedWorkspace) => path.join(root, '.sluice', 'explorer');
  const time = ({ session, settings }: OpenedWorkspace) => {
    const zone = readZone(settings.timezone.value);
    return { now: session.now(), zone: zone.ok ? zone.value : 'UTC', weekStart: settings.weekStart.value };
  };
  const placeOf = ({ settings }: OpenedWorkspace) => ({ reports: settings.reports.value, cwd: effects.cwd });

  async function open(tell: (message: Message) => void): Promise<void> {
    const before = opening;
    const notes: string[] = [];
    // The screen is the explorer's: what is to be said is said there.
    const quiet: CommandEffects = { ...effects, stderr: { isTerminal: false, write: async (text) => void notes.push(String(text).trim()) }, signal: ended.signal };
    opening = (async () => {
      await close(before);
      return openWorkspace(flags, quiet);
    })();
    try {
      const workspace = await opening;
      const { session, settings } = workspace;
      session.prepare();
      const savedQueries = await listSavedQueries(settings.queries.value);
      names = {
        kind: 'open', catalog: toCatalog(session.model), home: defaultCubeOf(session.model), savedQueries, values: new Map(),
        zones: ['UTC', ...Intl.supportedValuesOf('timeZone')], source: await describeSource(settings, effects.cwd), notes,
      };
      drafts ??= openDrafts(explorerFolder(workspace));
      tell({ kind: 'opened', workspace: names });
      if (!started) await start(workspace, tell);
    } catch (error) {
      tell({ kind: 'open-failed', failure: toFailure(error) });
    }
  }

  /** What is done once, as soon as it is known where the workspace is. */
  async function start(workspace: OpenedWorkspace, tell: (message: Message) => void): Promise<void> {
    started = true;
    tell({ kind: 'history-read', lines: await readHistory(path.join(explorerFolder(workspace), 'history')) });
    const draft = drafts?.find();
    if (draft) tell({ kind: 'draft-found', draft });
    if (notebook !== undefined) await perform({ kind: 'open-notebook', name: notebook }, tell);
  }

  async function close(workspace: Promise<OpenedWorkspace> | undefined): Promise<void> {
    for (const abort of runs.values()) abort.abort();
    await Promise.all([...answers.keys()].map(release));
    await (await workspace?.catch(() => undefined))?.session[Symbol.asyncDispose]();
  }

  async function release(number: number): Promise<void> {
    const answer = answers.get(number);
    answers.delete(number);
    answer?.abort.abort();
    await answer?.feed[Symbol.asyncDispose]();
    await answer?.[Symbol.asyncDispose]();
  }

  async function hold(answer: AskedAnswer, tell: (message: Message) => void, run: number, since: number): Promise<void> {
    const { columns: width, rows: height } = terminal.size();
    const feed = await openGridFeed(answer.source, { width, height }, (error) => toFailure(error).message).catch(async (error: unknown) => {
      await answer[Symbol.asyncDispose]();
      throw error;
    });
    const number = nextAnswer;
    nextAnswer += 1;
    answers.set(number, { ...answer, [Symbol.asyncDispose]: answer[Symbol.asyncDispose], feed, abort: new AbortController() });
    tell({ kind: 'answered', run, answer: { ...answer.answer, number }, grid: feed.opening, elapsedMs: performance.now() - since });
  }

  async function run({ run: number, ask }: Effect & { readonly kind: 'run' }, tell: (message: Message) => void): Promise<void> {
    if (ask.kind === 'text') return;
    const abort = new AbortController();
    runs.set(number, abort);
    const since = performance.now();
    try {
      const { session } = await opened();
      const onWait = (note: string) => tell({ kind: 'run-waits', run: number, note });
      await hold(await answerAsk(session, ask, { signal: abort.signal, cwd: effects.cwd, onWait }), tell, number, since);
    } catch (error) {
      tell(abort.signal.aborted || error instanceof AbortedError ? { kind: 'run-cancelled', run: number } : { kind: 'run-failed', run: number, failure: toFailure(error) });
    } finally {
      runs.delete(number);
    }
  }

  async function turnColumns({ answer: number, run: runNumber, key }: Effect & { readonly kind: 'pivot' }, tell: (message: Message) => void): Promise<void> {
    const held = answers.get(number);
    const since = performance.now();
    try {
      if (!held?.whole) throw new AbortedError();
      const { whole, answer } = held;
      const turned = key === undefined ? whole : pivot(whole, {
        columns: key, rows: whole.columns.filter((column) => column.kind !== 'measure' && column.key !== key).map((column) => column.key),
        values: whole.columns.filter(({ kind }) => kind === 'measure').map((column) => column.key),
      });
      await hold({ answer: { ...answer, head: turned, rowCount: turned.rowCount }, source: sourceOfResult(turned), whole, [Symbol.asyncDispose]: async () => undefined }, tell, runNumber, since);
    } catch (error) {
      tell(error instanceof AbortedError ? { kind: 'run-cancelled', run: runNumber } : { kind: 'run-failed', run: runNumber, failure: toFailure(error) });
    }
  }

  async function edit({ cell, ask }: Effect & { readonly kind: 'edit' }, tell: (message: Message) => void): Promise<void> {
    if (ask.kind === 'text') return;
    const { session } = await opened();
    const { saved } = await questionOfAsk(session, ask, effects.cwd);
    const written = await writeSavedQuery(saved);
    const text = await terminal.lend(() => editOutside(written, effects.env));
    if (text === undefined) return tell({ kind: 'edited', cell, ask: undefined });
    const read = await readSavedQuery(text, { file: 'the editor' });
    if (!read.ok) return tell({ kind: 'edit-refused', cell, text, message: drawInText(read.issues, { source: text, file: 'the editor' }) });
    tell({ kind: 'edited', cell, ask: names ? toAsk(read.value, { workspace: names }) : { kind: 'query', saved: read.value } });
  }

  function keepNow(): void {
    clearTimeout(keeping);
    keeping = undefined;
    if (!kept || !drafts) return;
    const { cells, typed, file } = kept;
    kept = undefined;
    drafts.keep({ cells, typed, file });
  }

  async function perform(effect: Effect, tell: (message: Message) => void): Promise<void> {
    switch (effect.kind) {
      case 'open': return open(tell);
      case 'run': return run(effect, tell);
      case 'cancel': return runs.get(effect.run)?.abort();
      case 'release': return release(effect.answer);
      case 'grid': {
        const held = answers.get(effect.answer);
        if (held) tell({ kind: 'grid', answer: effect.answer, message: await held.feed.fetch(effect.wanted, held.abort.signal) });
        return undefined;
      }
      case 'pivot': return turnColumns(effect, tell);
      case 'find-values': {
        if (looking.has(effect.member)) return undefined;
        looking.add(effect.member);
        const { session } = await opened();
        const values = await findValues(session, effect.member, ended.signal).finally(() => looking.delete(effect.member));
        return tell({ kind: 'values-found', member: effect.member, values });
      }
      case 'draw-chart': {
        const { answer: number, width, height } = effect;
        const held = answers.get(number);
        if (!held) return undefined;
        try {
          if (!held.whole) throw new Error('there are too many rows');
          tell({ kind: 'chart-drawn', answer: number, width, height, lines: await drawResultChart(held.whole, held.answer.saved.chart, { width, height }, terminal.look) });
        } catch (error) {
          tell({ kind: 'chart-failed', answer: number, width, height, why: error instanceof Error ? error.message : String(error) });
        }
        return undefined;
      }
      case 'save': {
        const workspace = await opened();
        if (!names) throw new AbortedError();
        const saved = await saveCells(effect.cells, effect.file, effect.name, names, placeOf(workspace), effects.now());
        return tell({ kind: 'saved', ...saved, note: undefined });
      }
      case 'open-notebook': {
        const workspace = await opened();
        if (!names) throw new AbortedError();
        return tell({ kind: 'notebook-opened', ...(await openNotebook(effect.name, names, placeOf(workspace), time(workspace))), typed: '' });
      }
      case 'restore-draft': {
        const workspace = await opened();
        const { draft } = effect;
        const file = names && draft.file !== undefined ? await openNotebook(draft.file, names, placeOf(workspace), time(workspace)).then(({ file: found }) => found, () => undefined) : undefined;
        // First the same under the own name: at no time is it nowhere.
        kept = { kind: 'keep-draft', cells: draft.cells.map((cell, id) => ({ ...cell, id })), typed: draft.typed, file: draft.file };
        keepNow();
        drafts?.discard(draft.id);
        return tell({ kind: 'notebook-opened', file, cells: draft.cells, typed: draft.typed });
      }
      case 'discard-draft': return drafts?.discard(effect.id);
      case 'keep-draft': {
        kept = effect;
        keeping ??= setTimeout(() => {
          try {
            keepNow();
          } catch (error) {
            tell({ kind: 'effect-failed', what: 'What is not saved cannot be kept', failure: toFailure(error) });
          }
        }, draftPause);
        return undefined;
      }
      case 'edit': return edit(effect, tell);
      case 'turn': {
        if (effect.ask.kind === 'text') return undefined;
        const { session } = await opened();
        return tell({ kind: 'turned', ...(await turnAsk(session, effect.ask, effect.into, effects.cwd)) });
      }
      case 'copy': {
        if (effect.text.length > mostCopied) throw new Error('it is too long for a clipboard');
        terminal.send(`\u001b]52;c;${Buffer.from(effect.text).toString('base64')}\u0007`);
        return tell({ kind: 'copied', what: effect.what });
      }
      case 'remember': return addToHistory(path.join(explorerFolder(await opened()), 'history'), effect.line);
      case 'set-mouse': return terminal.setMouse(effect.on);
      case 'suspend': return terminal.suspend();
      case 'leave': return leave();
    }
  }

  return {
    perform(effect, tell) {
      const doing = perform(effect, tell).catch((error: unknown) => {
        if (!(error instanceof AbortedError)) tell({ kind: 'effect-failed', what: failedWords[effect.kind] ?? 'It could not be done', failure: toFailure(error) });
      });
      working.add(doing);
      void doing.finally(() => working.delete(doing));
    },
    flush() {
      if (keeping !== undefined) keepNow();
    },
    async [Symbol.asyncDispose]() {
      if (keeping !== undefined) keepNow();
      ended.abort();
      await close(opening);
      await Promise.allSettled(working);
    },
  };
}

const failedWords: Partial<Readonly<Record<Effect['kind'], string>>> = {
  save: 'Not saved', 'open-notebook': 'Not opened', edit: 'Not edited', turn: 'It cannot be turned', copy: 'Not copied', 'find-values': 'The values are not known',
  remember: 'The line is not remembered', 'restore-draft': 'Not brought back', 'keep-draft': 'What is not saved cannot be kept',
};
