import { findFiles, findLeftOut } from '../../run/duckdb/reading/find-files.ts';
import { settleExports } from '../../run/export/files/settle-exports.ts';
import type { MappingOf } from '../../run/duckdb/reading/recognise/map-files.ts';
import { ingestFiles } from '../../run/duckdb/store/ingest.ts';
import type { Encodings } from '../../run/file/encoding.ts';
import type { IngestProgress, IngestReport } from '../../run/store/ingest-report.ts';
import { toSourcePath } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import type { UnmappedFile } from '../setup/proposed-columns.ts';
import { toWriterOptions } from '../store/store-writing.ts';
import { openDownload } from '../workspace/open-download.ts';
import { openEncodings, openMappings } from '../workspace/open-mappings.ts';
import type { Workspace } from '../workspace/workspace.ts';

interface IngestEvents {
  readonly onProgress?: ((progress: IngestProgress) => void) | undefined;
  /** Called with the process that holds the store while this call waits. */
  readonly onWait?: ((holder: string) => void) | undefined;
  /** Called with the mapping proposed for a file of unknown columns. If it returns false, nothing is loaded. */
  readonly onUnmapped: (unmapped: UnmappedFile) => Promise<boolean>;
  /** Replaces patterns before they are resolved, for data that must first be written to files. */
  readonly convert?: ((files: readonly string[]) => Promise<readonly string[]>) | undefined;
}

/**
 * Loads event files into the store of the workspace, each once. `patterns` are files, glob patterns and URLs, relative
 * to `cwd`. Returns undefined if a file has unknown columns and the proposed mapping was rejected. Files that cannot be
 * loaded are listed in the report, and the others are loaded. Throws `events-not-found`, and as `ingestFiles`.
 */
export async function ingestEvents(
  workspace: Workspace,
  patterns: readonly string[],
  { onProgress, onWait, onUnmapped, convert = async (files) => files }: IngestEvents,
): Promise<IngestReport | undefined> {
  const { settings, cwd, remote } = workspace;
  const download = openDownload(settings, remote);
  const given = await convert(patterns.map((file) => showPath(toSourcePath(file, cwd), cwd)));
  const files = await findFiles(
    given,
    cwd,
    {
      code: 'events-not-found',
      what: 'events',
      hint: "Correct the path; quote patterns: `sluice ingest 'events/*.ndjson.gz'`",
    },
    download,
  );
  const mappingOf = await openMappings(settings, download);
  const encoding = await openEncodings(settings, download);
  const unmapped = await findProposal(workspace, patterns, files, mappingOf, encoding);
  if (unmapped && !(await onUnmapped(unmapped))) return undefined;
  const { value: project, origin } = settings.project;
  const report = await ingestFiles({
    ...toWriterOptions(workspace, onWait),
    files,
    encoding,
    project: project === undefined ? undefined : { value: String(project), origin },
    mappingOf: unmapped
      ? (path) => mappingOf?.(path) ?? (path === unmapped.path ? unmapped.proposal.mapping : undefined)
      : mappingOf,
    onProgress,
  });
  const { sentences } = await settleExports(files);
  return { ...report, leftOut: [...(await findLeftOut(given, cwd)), ...sentences] };
}

/** Proposes a mapping for the first file with unknown columns. */
async function findProposal(
  { cwd }: Workspace,
  patterns: readonly string[],
  files: readonly string[],
  given: MappingOf | undefined,
  encoding: Encodings,
): Promise<(UnmappedFile & { readonly path: string }) | undefined> {
  const { findUnmapped } = await import('../../run/duckdb/reading/find-unmapped.ts');
  // Loading reports the errors of a file.
  const unmapped = await findUnmapped(files, given, encoding).catch(() => undefined);
  if (!unmapped) return undefined;
  const { proposeFor } = await import('../setup/proposed-columns.ts');
  const proposed = await proposeFor(unmapped, { cwd, pattern: patterns.length === 1 ? patterns[0] : undefined, files });
  return proposed && { path: unmapped.file, ...proposed };
}
