import { parse } from 'node:path';
import type { Annotation } from '../../../ask/chart/annotation.ts';
import { quote } from '../../../ask/text.ts';
import type { Block } from '../../../tell/notebook/notebook.ts';
import { readNotebook } from '../../../tell/notebook/read-notebook.ts';
import type { Result } from '../../../shape/result/result.ts';
import type { Report, ReportBlock, ReportPart } from '../../../tell/report/report.ts';
import { proseLines } from '../../../tell/report/report-to-text.ts';
import { nameOf, warningsOf } from '../../../tell/report/summary.ts';
import type { OpenedWorkspace } from '../../cli/command/open-workspace.ts';
import { answerReport } from '../../report/run/answer-report.ts';
import type { Voice } from '../../process/voice.ts';
import type { Room } from '../state/screen-rooms.ts';
import type { Told } from '../state/state.ts';

interface NotebookToAnswer {
  /** The notebook in the form that saving would write. */
  readonly text: string;
  readonly path: string;
  readonly shown: string;
  /** Values of parameters, as text. */
  readonly given: ReadonlyMap<string, string>;
}

/** The output of a block. `at`: offset of the block in the text. */
interface ToldBlock {
  readonly at: number;
  readonly parts: readonly Told[];
  /** The rows that a question shows. */
  readonly rows?: Result | undefined;
}

/** Draws a chart for a part of a report. */
type DrawPart = (
  part: ReportPart & { readonly kind: 'chart' },
  room: Room,
) => Promise<{ readonly lines: readonly string[] }>;

/**
 * Answers a notebook as `sluice report run` does, in the open session unless the notebook names another backend.
 * Returns the output of each block in order. Throws `InvalidInputError` with every issue drawn.
 */
export async function answerNotebook(
  { text, path, shown, given }: NotebookToAnswer,
  workspace: OpenedWorkspace,
  { room, draw, signal }: { readonly room: Room; readonly draw: DrawPart; readonly signal: AbortSignal },
): Promise<{
  readonly told: readonly ToldBlock[];
  readonly params: Report['params'];
  readonly annotations: readonly Annotation[];
}> {
  const read = readNotebook(text, { file: shown });
  const file = { name: parse(path).name, path, shown };
  const { session } = workspace;
  await using answered = await answerReport(file, read, given, { ...workspace, signal }, unheard, session);
  const { report } = answered;
  const blocks = [...report.blocks];
  const told: ToldBlock[] = [];
  let at = read.ok ? read.value.frontMatter.source.length : 0;
  for (const block of read.ok ? read.value.blocks : []) {
    const answer = tellsNothing(block) ? undefined : blocks.shift();
    told.push({ at, parts: answer ? await tell(answer, room, draw) : [], rows: answer && rowsOf(answer) });
    at += block.source.length;
  }
  const annotations = report.blocks.flatMap((block) =>
    block.kind === 'cell' ? block.parts.flatMap((part) => (part.kind === 'chart' ? [part.annotations] : [])) : [],
  );
  return { told, params: report.params, annotations: annotations[0] ?? [] };
}

/** The screen shows errors at their blocks, so messages are dropped. */
const unheard: Voice = { note: async () => undefined, alert: async () => undefined };

/** Undefined unless the block is one question that shows its rows. */
function rowsOf(block: ReportBlock): Result | undefined {
  if (block.kind !== 'cell' || block.cell !== 'query') return undefined;
  const [first] = block.parts;
  return first?.kind === 'table' ? (first.of ?? first.result) : first?.result;
}

/** Reports omit these blocks. */
function tellsNothing(block: Block): boolean {
  return block.kind === 'prose' ? block.source.trim() === '' : block.cell === 'annotations';
}

async function tell(block: ReportBlock, room: Room, draw: DrawPart): Promise<readonly Told[]> {
  switch (block.kind) {
    case 'prose':
      return [{ kind: 'text', tone: 'plain', text: proseLines(block.markdown, { joined: true }) }];
    case 'checks':
      return [
        ...titled(block.title),
        ...block.checks.map(
          ({ state, expectation, finding, because }): Told => ({
            kind: 'text',
            tone: state === 'passed' ? 'plain' : state === 'failed' ? 'error' : 'alert',
            text: `${state.replace('-', ' ')}: ${expectation}. ${finding}${state === 'passed' || because === undefined ? '' : ` ${because}`}`,
          }),
        ),
      ];
    case 'failure':
      return [
        { kind: 'text', tone: 'error', text: `${nameOf(block)} failed: ${block.message}` },
        ...(block.hint === undefined ? [] : [{ kind: 'text' as const, tone: 'plain' as const, text: block.hint }]),
      ];
    case 'cell': {
      const parts = [];
      for (const part of block.parts) parts.push(...(await tellPart(part, room, draw)));
      return [
        ...titled(block.title),
        ...warningsOf(block).map((text): Told => ({ kind: 'text', tone: 'alert', text })),
        ...parts,
        ...block.footnotes.map((text): Told => ({ kind: 'text', tone: 'quiet', text })),
        ...(block.parts.length === 0 && block.name !== undefined
          ? [{ kind: 'text' as const, tone: 'quiet' as const, text: `Answered for the text, as ${quote(block.name)}.` }]
          : []),
      ];
    }
  }
}

function titled(title: string | undefined): readonly Told[] {
  return title === undefined ? [] : [{ kind: 'text', tone: 'heading', text: title }];
}

async function tellPart(part: ReportPart, room: Room, draw: DrawPart): Promise<readonly Told[]> {
  switch (part.kind) {
    case 'table':
      return [{ kind: 'table', result: part.result }];
    case 'stats':
      return part.stats.map(
        ({ label, text, previous }): Told => ({
          kind: 'text',
          tone: 'plain',
          text: `${label}: ${text}${previous ? ` (${previous.changePercent} from ${previous.text}, ${previous.label})` : ''}`,
        }),
      );
    case 'chart':
      return [
        await draw(part, room).then(
          ({ lines }): Told => ({ kind: 'chart', result: part.result, lines, width: room.width }),
          (): Told => ({ kind: 'table', result: part.result }),
        ),
      ];
  }
}
