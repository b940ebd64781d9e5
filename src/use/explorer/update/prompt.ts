import {
  factorsOf,
  isPropertyName,
  meantProperties,
  readPropertyMember,
  writePropertyMember,
} from '../../../ask/query/property-name.ts';
import { analysisOfLine, issuesOfLine } from '../../../ask/analysis-line/read-analysis-line.ts';
import { looksLikeNotation, readNotation } from '../../../ask/notation/read-notation.ts';
import type { Issue } from '../../../ask/outcome.ts';
import { complete } from '../complete/complete.ts';
import type { Candidate } from '../complete/rank-candidates.ts';
import { editLine, replaceText } from '../line/edit-line.ts';
import { inZone } from '../question/in-zone.ts';
import { lineOf } from '../line/line-state.ts';
import { firstQuestions } from '../state/catalog-entries.ts';
import type { Ask, ExplorerState, OpenWorkspace, Prompt } from '../state/state.ts';
import { withKeys } from '../state/with-keys.ts';
import { currentCell, say, step, type Step, notice } from '../state/step.ts';
import { type Key, nameOfKey } from '../terminal/key.ts';
import { addCell, addCells, cancelRun, changeAsk } from './change-cells.ts';

/** Handles a key in the prompt; undefined if the key has no meaning there. */
export function pressInPrompt(state: ExplorerState, key: Key): Step | undefined {
  const name = nameOfKey(key);
  const { prompt } = state;
  const { completion, line } = prompt;
  if (!line.search) {
    if (name === 'enter')
      return completion && completion.chosen >= 0 ? accept(state, completion.chosen) : submit(state);
    if (name === 'tab' && completion && completion.candidates.length > 0)
      return accept(state, Math.max(0, completion.chosen));
    if (name === 'tab') return suggest(state);
    if (name === 'escape')
      return completion
        ? step(withPrompt(state, { completion: undefined }))
        : state.cells.some(({ run }) => run.kind === 'running')
          ? cancelRun(state)
          : step(leavePrompt(state));
    if (
      completion &&
      completion.candidates.length > 0 &&
      (name === 'down' || name === 'up') &&
      (completion.chosen >= 0 || line.text !== '')
    )
      return step(choose(state, name === 'down' ? 1 : -1));
    if (/^[123]$/.test(name) && line.text === '' && state.cells.length === 0 && state.workspace.kind === 'open') {
      const question = firstQuestions(state.workspace)[Number(name) - 1];
      if (question !== undefined) return typed(state, replaceText(line, question, question.length));
    }
    if (name === ':' && line.text === '')
      return step({ ...state, over: { kind: 'palette', line: lineOf(''), chosen: 0 } });
  }
  if (name === 'paste' && line.text.trim() === '' && prompt.editing === undefined) {
    const pasted = pasteCells(state, key);
    if (pasted) return pasted;
  }
  const edited = editLine(line, key);
  if (edited.refused !== undefined) return notice(state, edited.refused, 'alert');
  if (!edited.handled && edited.state === line) return undefined;
  return typed(state, edited.state);
}

/**
 * Turns a pasted query file, or pasted lines of which several are questions, into cells; undefined otherwise. Wrong
 * lines among them are cells that tell what is wrong.
 */
export function pasteCells(state: ExplorerState, { text }: Key): Step | undefined {
  const { workspace } = state;
  if (workspace.kind !== 'open' || text.length > longestPaste) return undefined;
  const lines = text.split(/[\r\n]+/).flatMap((line) => line.trim() || []);
  // A continuation of the previous line, such as `by day`, is not a question.
  const { catalog: members, home: defaultCube, savedQueries } = workspace;
  const isFile = /^\{|^[\w-]+:(?:\s|$)/.test(text.trimStart()) && !looksLikeNotation(text);
  if (isFile)
    return step(say(state, 'Reading the pasted query …'), {
      kind: 'read-query',
      // Terminals paste the ends of lines as carriage returns.
      text: text.replace(/\r\n?/g, '\n'),
    });
  const isQuestion = (line: string) => {
    if (savedQueries.some(({ name }) => name === line)) return true;
    if (analysisOfLine(line, members)) return true;
    const read = readNotation(line, { members, defaultCube });
    return read.ok && (read.value.measures !== undefined || read.value.ungrouped === true);
  };
  const asked: string[] = [];
  for (const line of lines.slice(0, mostPasted + 1)) {
    const longer = `${asked.at(-1)} ${line}`;
    if (asked.length > 0 && !isQuestion(line) && isQuestion(longer)) asked.splice(-1, 1, longer);
    else asked.push(line);
  }
  const right = asked.filter(isQuestion).length;
  if (right < 2 || (lines.length > mostPasted && right < asked.length)) return undefined;
  if (lines.length > mostPasted)
    return notice(
      state,
      `${lines.length} questions are too many to paste at once. Paste at most ${mostPasted}.`,
      'alert',
    );
  const asks = asked.map((line) => ({ kind: 'line' as const, line: inZoneOfFile(line, state) }));
  const { state: added, effects } = addPasted(state, asks);
  return step(added, ...asked.map((line) => ({ kind: 'remember' as const, line })), ...effects);
}

/** Makes pasted questions cells, below the chosen one if the prompt or the cells are there. */
export function addPasted(state: ExplorerState, asks: readonly Ask[]): Step {
  const at = state.focus === 'cells' || state.prompt.below ? state.current + 1 : state.cells.length;
  const { state: added, effects } = addCells(state, asks, Math.min(at, state.cells.length));
  return step(withPrompt(added, { below: false, completion: undefined, issues: [] }), ...effects);
}

/** Maximum length of a paste that is read as questions, in UTF-16 units, and their maximum number. */
const longestPaste = 20_000;
const mostPasted = 50;

/** Changes the line of the prompt and updates its completion and issues. */
export function typed(state: ExplorerState, line: Prompt['line']): Step {
  const next = withPrompt(state, { line, issues: [], completion: undefined });
  // Browsing the history is not typing.
  return line.text === state.prompt.line.text || line.search
    ? step(withPrompt(next, { issues: line.text === state.prompt.line.text ? state.prompt.issues : [] }))
    : suggest(next);
}

/** Updates the completions at the cursor and the issues so far. */
export function suggest(state: ExplorerState): Step {
  const {
    workspace,
    prompt: { line },
  } = state;
  if (workspace.kind !== 'open' || line.text.length > longestLooked) return step(state);
  const found = complete(line.text, line.cursor, { ...workspace, most: mostCandidates });
  // Text being typed or still missing is an error only after Enter.
  const typedSoFar = line.text.trimEnd().length;
  const issues = (workspace.isReading?.() ? [] : issuesOf(line.text, workspace)).filter(
    ({ span }) => span !== undefined && span.end < line.cursor && span.start < typedSoFar,
  );
  const completion = found.candidates.length === 0 ? undefined : { ...found, chosen: -1 };
  const wants = found.wantsValues;
  return step(
    withPrompt(state, { completion, issues }),
    ...(wants !== undefined && !workspace.values.has(wants) ? [{ kind: 'find-values' as const, member: wants }] : []),
  );
}

const mostCandidates = 50;

/** Maximum length for completion, in UTF-16 units: each key parses the line many times. */
const longestLooked = 4000;

/** Maximum length of a question, in UTF-16 units. A longer paste is accepted, so that it can be shortened. */
const longestQuestion = 100_000;

/** All issues of a line; the name of a saved query has none. */
function issuesOf(text: string, { catalog, home, savedQueries }: OpenWorkspace): readonly Issue[] {
  if (text.trim() === '' || savedQueries.some(({ name }) => name === text.trim())) return [];
  const isProperty = (path: readonly string[]) =>
    meantProperties({ compute: undefined, path }).some((meant) =>
      catalog.find(`${home}.${writePropertyMember(meant)}`),
    );
  // Products and further percentiles of properties are members only once they are asked.
  const isFigure = (name: string) => {
    const member = readPropertyMember(name);
    return member?.compute !== undefined && factorsOf(member).every(isProperty);
  };
  // Only running the question shows whether events have a property.
  const issues = issuesOfLine(text, { members: catalog, defaultCube: home }).filter(
    ({ code, name, span }) =>
      code !== 'unknown-member' ||
      name === undefined ||
      !isPropertyName(name) ||
      !((span && text.slice(span.start, span.end).includes('props')) || isFigure(name)),
  );
  return issues.map((issue) => (issue.hint === undefined ? issue : { ...issue, hint: withKeys(issue.hint) }));
}

/** Asks the line of the prompt, or shows its mistakes. */
export function submit(state: ExplorerState): Step {
  const { prompt, workspace, cells } = state;
  const line = prompt.line.text.trim();
  if (line === '') return notice(state, 'Type a question, such as `count by eventType`; f1 lists the keys.');
  if (line.length > longestQuestion) {
    const [long, most] = [line.length, longestQuestion].map((count) => count.toLocaleString('en'));
    return notice(
      state,
      `A question has at most ${most} characters; this line has ${long}. Shorten it, or press ctrl-u to empty it.`,
      'error',
    );
  }
  // Names are unknown until the workspace is open; the cell will report errors.
  const issues = workspace.kind === 'open' ? issuesOf(prompt.line.text, workspace) : [];
  const isWrong = issues.some(({ severity }) => severity === 'error');
  // An unknown name may be a column that is not known yet, or the name of an event.
  const mayBeKnown =
    workspace.kind === 'open' &&
    (workspace.isReading?.() ||
      (workspace.lacksEvents?.() && issues.some(({ code, name }) => code === 'unknown-member' || name !== undefined)));
  if (isWrong && mayBeKnown)
    return step(say(state, 'Reading the columns of the events …'), { kind: 'await-columns', line: prompt.line.text });
  if (isWrong) return step(withPrompt(state, { issues: withChanges(issues, workspace), completion: undefined }));
  const history = [...prompt.line.history.filter((earlier) => earlier !== line), line];
  const cleared: ExplorerState = {
    ...state,
    prompt: { line: lineOf('', history), editing: undefined, below: false, completion: undefined, issues: [] },
  };
  const edited = cells.find(({ id }) => id === prompt.editing);
  const ask = { kind: 'line', line: inZoneOfFile(line, state) } as const;
  const asked = edited
    ? changeAsk(cleared, edited.id, ask)
    : addCell(cleared, ask, prompt.below ? Math.min(state.current + 1, cells.length) : cells.length);
  const settled = edited ? { ...asked.state, focus: 'cells' as const } : asked.state;
  return step(settled, { kind: 'remember', line }, ...asked.effects);
}

/** Tells with the first issue if the files of the workspace changed: the name may be new in them. */
function withChanges([first, ...others]: readonly Issue[], workspace: ExplorerState['workspace']): readonly Issue[] {
  const changes = workspace.kind === 'open' ? workspace.changes?.() : undefined;
  if (!first) return others;
  return [changes === undefined ? first : { ...first, hint: `${changes} ${first.hint ?? ''}`.trim() }, ...others];
}

/** In a report with a time zone, a question has that zone on the screen, too. */
function inZoneOfFile(line: string, { file, workspace }: ExplorerState): string {
  return (workspace.kind === 'open' ? inZone(line, file?.zone, workspace) : undefined) ?? line;
}

function accept(state: ExplorerState, index: number): Step {
  const { completion, line } = state.prompt;
  const candidate: Candidate | undefined = completion?.candidates[index];
  if (!completion || !candidate) return step(state);
  const behind = line.text.slice(completion.to);
  const text = line.text.slice(0, completion.from) + candidate.text + (behind.startsWith(' ') ? '' : ' ') + behind;
  return typed(state, replaceText(line, text, completion.from + candidate.text.length + 1));
}

function choose(state: ExplorerState, by: 1 | -1): ExplorerState {
  const { completion } = state.prompt;
  if (!completion) return state;
  const count = completion.candidates.length;
  // One extra position stands for the line as typed.
  const chosen = ((completion.chosen + 1 + by + count + 1) % (count + 1)) - 1;
  return withPrompt(state, { completion: { ...completion, chosen } });
}

/** Moves to the cells. Keeps a typed line, but discards the edit of a cell. */
function leavePrompt(state: ExplorerState): ExplorerState {
  const { prompt } = state;
  if (prompt.editing !== undefined)
    return {
      ...withPrompt(state, { line: lineOf('', prompt.line.history), editing: undefined, issues: [] }),
      focus: 'cells',
    };
  return state.cells.length + state.undo.length + state.redo.length === 0
    ? say(state, 'No cell yet. Type a question, or : for commands.')
    : { ...state, focus: 'cells', said: undefined };
}

/** Opens the prompt for a new cell below the chosen one, or to edit its line. */
export function openPrompt(state: ExplorerState, how: 'below' | 'edit'): Step {
  const cell = currentCell(state);
  const { history } = state.prompt.line;
  if (how === 'below')
    return step({ ...withPrompt(state, { below: true, editing: undefined }), focus: 'prompt', said: undefined });
  if (cell?.ask.kind !== 'line')
    return notice(
      state,
      cell
        ? 'This question cannot be written in one line. Press e to open it in $EDITOR.'
        : 'There is no cell to edit.',
    );
  // Keep the text of the prompt in the history.
  const kept =
    state.prompt.editing === undefined && state.prompt.line.text.trim() !== ''
      ? [...history, state.prompt.line.text.trim()]
      : history;
  return step({
    ...withPrompt(state, {
      line: lineOf(cell.ask.line, kept),
      editing: cell.id,
      below: false,
      issues: [],
      completion: undefined,
    }),
    focus: 'prompt',
    said: undefined,
  });
}

export function withPrompt(state: ExplorerState, change: Partial<Prompt>): ExplorerState {
  return { ...state, prompt: { ...state.prompt, ...change } };
}
