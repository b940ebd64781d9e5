import { badWith, good, type Outcome } from '../../../ask/outcome.ts';
import type { ModelFile } from './read-model.ts';
import type { TemplateValues } from '../context-call.ts';

const jinja = /\{%|%\}|\{\{|\}\}|\{#/;

/** True if a model's text is a template. */
export function isTemplate(text: string): boolean {
  return jinja.test(text);
}

/** Maximum number of loop steps in a template, over all of its loops. */
const mostSteps = 100_000;

/** Maximum number of characters that it may write. */
const mostCharacters = 4_000_000;

/**
 * Renders a Jinja template of a model: loops, sets, macros, filters, `COMPILE_CONTEXT`, and `env_var`, which always
 * returns its default because there is no environment. A template has no access to files, network or code: it can only
 * read own keys of plain data and call a few harmless methods. Issue: `bad-template`, with the template's line if
 * known. `others`: texts of the model that it may import, by path.
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
        hint:
          'Use loops, `set`, `if`, macros, imports of files of the model and filters; ' +
          'Python functions are not supported.',
      },
    );
  }
}
