import type { StoreStats } from '../../../run/duckdb/store/store-stats.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { cellWidth, padToCells } from '../../../show/labels/cell-width.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showBytes, showPath } from '../../process/show-path.ts';
import { readStoreStats } from '../../store/manage-store.ts';
import type { StoreStatsFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';

/** `sluice store stats`. */
export async function runStoreStats({ flags, effects }: Invocation<StoreStatsFlags>): Promise<ExitCode> {
  const workspace = await openCommandWorkspace(flags, effects);
  for (const warning of workspace.warnings) await workspace.note(warning);
  const stats = await readStoreStats(workspace);
  await effects.stdout.write(
    flags.format === 'json' ? `${JSON.stringify(stats, null, 2)}\n` : writeStats(stats, effects.cwd),
  );
  return exitCodes.done;
}

function writeStats(stats: StoreStats, cwd: string): string {
  const lines: readonly (readonly [string, string])[] = [
    ['store', sanitize(showPath(stats.folder, cwd))],
    ['events', formatNumber(stats.events)],
    ['first', instant(stats.first)],
    ['last', instant(stats.last)],
    ['users', formatNumber(stats.users)],
    [
      'files loaded',
      stats.windows === 0
        ? formatNumber(stats.files)
        : `${formatNumber(stats.files)}, ${formatNumber(stats.windows)} of them export windows`,
    ],
    ['last ingest', instant(stats.lastIngest)],
    ['segments', formatNumber(stats.segments)],
    ['on disk', showBytes(stats.bytes)],
    [
      'rejected lines',
      stats.rejectedFolder === null
        ? '0'
        : `${formatNumber(stats.rejected)}, in ${sanitize(showPath(stats.rejectedFolder, cwd))}`,
    ],
    ['forgotten users', formatNumber(stats.forgottenUsers)],
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return `${lines.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('')}${writeProjects(stats)}`;
}

function writeProjects({ projects }: StoreStats): string {
  if (projects.length === 0) return '';
  const rows = [
    ['project', 'events', 'users', 'first', 'last'],
    ...projects.map(({ project, events, users, first, last }) => [
      project === null ? '(none)' : sanitize(project),
      formatNumber(events),
      formatNumber(users),
      instant(first),
      instant(last),
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => cellWidth(row[column]!))));
  return `\n${rows
    .map((row) =>
      row
        .map((cell, column) => padToCells(cell, widths[column]!, column === 1 || column === 2 ? 'right' : 'left'))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')}\n`;
}

function instant(text: string | null): string {
  return text === null ? '-' : `${text.slice(0, 19).replace('T', ' ')} UTC`;
}
