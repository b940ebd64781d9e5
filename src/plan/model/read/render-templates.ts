import { badWith, good, type Outcome } from '../../../ask/outcome.ts';
import type { ModelFile } from './read-model.ts';
import type { TemplateValues } from '../context-call.ts';

const jinja = /\{%|%\}|\{\{|\}\}|\{#/;

/** Whether a model's text is a template. */
export function isTemplate(text: string): boolean {
  return jinja.test(text);
}

/** Steps of loops that a model's template may take, over all of its loops. */
const mostSteps = 100_000;

/** Characters that it may write. */
const mostCharacters = 4_000_000;

/**
 * The text that a Jinja template in a model writes: loops, sets, macros, filters, `COMPILE_CONTEXT` and `env_var`
 * without an environment, so that only its default counts. A template reaches no file, no network and no code: values
 * are plain data, of which only own keys and a few harmless methods can be named. Issue: `bad-template`, in the
 * template's own line where that is known. `others`: texts of the model that it may import, by their paths in it.
 */
export async function renderTemplate(
  { file, text }: ModelFile,
  values: TemplateValues = {},
  others?: ReadonlyMap<string, string>,
): Promise<Outcome<ModelFile>> {
  const { openTemplates } = await import('./template-engine.ts');
  try {
    const rendered = openTemplates({ mostSteps, mostCharacters, others }).render(text, {
      COMPILE_CONTEXT: {
        securityContext: values.securityContext ?? {},
        security_context: values.securityContext ?? {},
      },
    });
    return good({ file, text: rendered });
  } catch (error) {
    const [, said = String(error)] =
      /^(?:[^\n]*\n\s*)*([^\n]+)$/.exec(error instanceof Error ? error.message.trim() : '') ?? [];
    const [, line] = /\[Line (\d+)/.exec(error instanceof Error ? error.message : '') ?? [];
    const place = line === undefined ? '' : ` in line ${line}`;
    return badWith(
      'bad-template',
      `The template of ${file} cannot be rendered${place}: ${said.replace(/^\w*Error: /, '')}`,
      {
        hint: 'Use loops, `set`, `if`, macros, imports of files of the model and filters; Python functions are not supported.',
      },
    );
  }
}
