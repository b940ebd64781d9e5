/** A path into JSON: the column or key where it starts, and the steps from there. */
interface JsonPath {
  readonly root: string;
  /** Keys, or indexes of lists from 0. */
  readonly steps: readonly (string | number)[];
}

const step = /\.([\p{L}\p{N}_$-]+)|\."((?:[^"\\]|\\.)+)"|\[(\d{1,9})\]|\['([^']+)'\]/uy;

/** Reads `$.context.page.path`, `$.items[0].id`, `$."a.b".c`, `$['a b']`; undefined if the text is not such a path. */
export function readJsonPath(text: string): JsonPath | undefined {
  if (!text.startsWith('$')) return undefined;
  const steps: (string | number)[] = [];
  let at = 1;
  while (at < text.length) {
    step.lastIndex = at;
    const found = step.exec(text);
    if (!found) return undefined;
    const [, plain, quoted, index, bracketed] = found;
    steps.push(index === undefined ? (plain ?? bracketed ?? quoted!.replaceAll(/\\(.)/gs, '$1')) : Number(index));
    at = step.lastIndex;
  }
  const [root, ...rest] = steps;
  return typeof root === 'string' ? { root, steps: rest } : undefined;
}
