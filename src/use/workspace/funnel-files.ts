import { attachSpans } from '../../ask/document/located.ts';
import type { Funnel } from '../../ask/funnel/funnel.ts';
import { type FunnelSource, type ReadFunnel, readFunnels } from '../../ask/funnel/read-funnel.ts';
import { bad, errorIssue, type Issue } from '../../ask/outcome.ts';
import { InvalidInputError, SluiceError } from '../../ask/sluice-error.ts';
import type { Model } from '../../plan/model/model.ts';
import { readDefinition } from '../../run/file/read-definition.ts';
import { showPath } from '../process/show-path.ts';

/** Reads funnel files, absolute paths, all together; what their filters name and their order allows is looked at, too. Error: `InvalidInputError` where one cannot be read. */
export async function openFunnels(files: readonly string[], cwd: string): Promise<readonly ReadFunnel[]> {
  const sources = await Promise.all(files.map(async (file): Promise<FunnelSource> => ({ file: showPath(file, cwd), bytes: await readWhole(file, cwd) })));
  const { builtInModel } = await import('../../plan/model/built-in-model.ts');
  const read = readFunnels(sources, builtInModel.cubes.map((cube) => cube.name));
  const asked = read.some((one) => one.ok && one.value.extended) ? await checker(builtInModel) : undefined;
  return asked ? read.map((one) => (one.ok && one.value.extended ? withIssues(one, asked(one.value)) : one)) : read;
}

/** Finds what only shows when a funnel is asked. */
async function checker(events: Model): Promise<(funnel: Funnel) => readonly Issue[]> {
  const [{ bindFunnel }, { toFunnelProgram }] = await Promise.all([import('../../plan/bind/bind-funnel.ts'), import('../../run/duckdb/funnel/to-funnel-program.ts')]);
  return (funnel) => {
    // What a phrase of time means then does not matter, only that it means something.
    const { issues } = bindFunnel({ funnel, events }, { now: 0, zone: 'UTC' });
    try {
      toFunnelProgram(funnel);
      return issues;
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      return [...issues, errorIssue(error.code, error.message, { path: ['sluice', 'order'], hint: error.hint })];
    }
  };
}

function withIssues(one: ReadFunnel & { readonly ok: true }, further: readonly Issue[]): ReadFunnel {
  const { source, file, slug, locate } = one;
  const issues = [...one.issues, ...attachSpans(further, locate)];
  return issues.some(({ severity }) => severity === 'error') ? { ...bad(issues), source, file, slug, locate } : { ...one, issues };
}

async function readWhole(file: string, cwd: string): Promise<Uint8Array> {
  try {
    return await readDefinition(file, showPath(file, cwd));
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    const shown = showPath(file, cwd);
    const message = code === 'ENOENT' ? `There is no file ${shown}.` : `${shown} cannot be read (${code ?? 'unknown'}).`;
    throw new InvalidInputError(message, [errorIssue('file-unreadable', message)], { hint: 'Correct the path, or see what there is: sluice funnel list' });
  }
}
