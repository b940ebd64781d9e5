import { plural } from '../../../ask/text.ts';
import type { Value } from '../../../plan/column.ts';
import { formatCount } from '../../../shape/format/format-number.ts';
import { formatValue } from '../../../shape/format/format.ts';
import { type DrillChoice, drillChoices } from '../question/drill-choices.ts';
import { type NamedMember, findNamed } from '../question/find-members.ts';
import { askText } from '../state/ask-text.ts';
import { catalogEntries } from '../state/catalog-entries.ts';
import { type Command, commands } from '../state/commands.ts';
import type { Draft, ExplorerState, Overlay } from '../state/state.ts';
import { currentCell } from '../state/step.ts';

/** Overlays that list items filtered by a typed line. */
export type ListOverlay = Overlay & { readonly kind: 'drill' | 'catalog' | 'history' | 'drafts' | 'params' };

interface OverlayList {
  /** Label before the line; `placeholder` shows while it is empty. */
  readonly label: string;
  readonly placeholder: string;
  readonly things: readonly NamedMember[];
  /** Details of the chosen item. */
  readonly below?: string;
}

/** The items of a list that match the typed text. */
export function listOf(state: ExplorerState, over: ListOverlay): OverlayList {
  const { text } = over.line;
  switch (over.kind) {
    case 'drill':
      return {
        label: 'by what? ',
        placeholder: 'a dimension, time, events',
        things: drillChoicesOf(state, text),
      };
    case 'params':
      return { label: 'change: ', placeholder: 'a parameter', things: fittingParams(state, text) };
    case 'history':
      return { label: 'find: ', placeholder: 'letters of an earlier question', things: fittingHistory(state, text) };
    case 'drafts':
      return { label: 'find: ', placeholder: 'a word of its questions', things: fittingDrafts(over, text) };
    case 'catalog':
      return catalogList(state.workspace, over);
  }
}

/** Everything that can be asked; for the chosen dimension also some values. */
function catalogList(
  workspace: ExplorerState['workspace'],
  { line, all, chosen }: Overlay & { readonly kind: 'catalog' },
): OverlayList {
  const find = { label: 'find: ', placeholder: 'a name, or a word of a description' };
  if (workspace.kind !== 'open') return { ...find, things: [] };
  const entries = catalogEntries(workspace, line.text, all);
  const { members, events } = workspace.empty ?? { members: new Set<string>(), events: 0 };
  const hidden =
    members.size === 0 || line.text.trim() !== ''
      ? ''
      : all
        ? 'f2 hides those without values.'
        : `${formatCount(members.size, 'dimension')} without values in the latest ${formatCount(events, 'event')}` +
          ' hidden; f2 shows them.';
  const member = entries[chosen]?.member;
  const values = member === undefined ? undefined : workspace.values.get(member)?.slice(0, 12);
  return {
    ...find,
    things: entries.map(({ kind, ...entry }) => ({
      ...entry,
      description: `${kind}${entry.description === '' ? '' : `: ${entry.description}`}`,
    })),
    below: values === undefined ? hidden : values.length === 0 ? 'No values.' : `Values: ${values.join(', ')}`,
  };
}

/** Commands that match the text: by name first, then by description. */
export function fittingCommands(text: string): readonly Command[] {
  const wanted = /\S*/.exec(text.trimStart())?.[0].toLowerCase() ?? '';
  const begins = commands.filter(({ name, also }) => [name, ...also].some((each) => each.startsWith(wanted)));
  const speaks = commands.filter(
    (command) =>
      !begins.includes(command) &&
      wanted.length > 1 &&
      `${command.name} ${command.what}`.toLowerCase().includes(wanted),
  );
  return [...begins, ...speaks].filter(({ name }) => name !== 'palette');
}

/** Matching earlier questions; all of them, latest first, if nothing is typed. */
function fittingHistory({ prompt }: Pick<ExplorerState, 'prompt'>, typed: string): readonly NamedMember[] {
  const lines = [...new Set(prompt.line.history.toReversed())];
  return findNamed(
    lines.map((name) => ({ name, title: name, description: '' })),
    typed,
  );
}

/** Matching parameters of the report, with their values. */
function fittingParams({ params }: Pick<ExplorerState, 'params'>, typed: string): readonly NamedMember[] {
  return findNamed(
    params.map(({ name, title, text }) => ({ name, title: `${name} = ${text}`, description: title })),
    typed,
  );
}

/** Matching drafts. */
export function fittingDrafts(
  { drafts }: Pick<Overlay & { readonly kind: 'drafts' }, 'drafts'>,
  typed: string,
): readonly (NamedMember & { readonly draft: Draft })[] {
  return findNamed(
    drafts.map((draft) => {
      const asks = draft.cells.map(({ ask }) => askText(ask)).filter((text) => text !== '');
      const title = asks[0] ?? (draft.typed === '' ? draft.id : draft.typed);
      const name = `${draft.cells.length} ${plural(draft.cells.length, 'cell')}`;
      return {
        draft,
        title,
        name,
        description: [...asks.slice(1), draft.file ?? ''].filter((text) => text !== '').join('; '),
      };
    }),
    typed,
  );
}

/** Matching ways to drill into the figure of the grid. */
export function drillChoicesOf(state: ExplorerState, typed: string): readonly DrillChoice[] {
  const answer = currentCell(state)?.answer;
  const { workspace } = state;
  if (!answer || workspace.kind !== 'open') return [];
  return drillChoices(answer.drill, workspace.catalog, typed, workspace.empty?.members);
}

type Frequencies = Pick<Overlay & { readonly kind: 'frequencies' }, 'counted' | 'line'>;

/** Rows of the frequency table whose value contains the typed text, ignoring case. */
export function frequencyRows({ counted, line }: Frequencies): readonly number[] {
  if (!counted) return [];
  const wanted = line.text.trim().toLowerCase();
  const rows = Array.from({ length: counted.rowCount }, (_, row) => row);
  return wanted === '' ? rows : rows.filter((row) => textOfRow({ counted, line }, row).toLowerCase().includes(wanted));
}

export function valueOfRow({ counted }: Frequencies, row: number): Value {
  const column = counted?.columns[0];
  return column ? (counted?.values(column.key)[row] ?? null) : null;
}

/** The formatted value of a row. */
export function textOfRow(frequencies: Frequencies, row: number): string {
  const column = frequencies.counted?.columns[0];
  return column ? formatValue(valueOfRow(frequencies, row), column) : '';
}
