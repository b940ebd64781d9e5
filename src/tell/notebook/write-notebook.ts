import { Document, isMap, isScalar, isSeq, type Node, visit } from 'yaml';
import type { CellContent } from './notebook.ts';
import type { CellKind } from './cell-kinds.ts';
import { escapeParams } from './params.ts';

/** A cell's kind and its YAML as data. */
export type CellToWrite = { readonly [Kind in CellKind]: Extract<CellContent, { readonly cell: Kind }> }[CellKind];

/**
 * A cell as Markdown: its YAML between fences that nothing in it closes, short lists on one line. What is read back
 * is the same:
 * texts are meant as they are, and none of them becomes a parameter.
 */
export function writeCell({ cell, ...data }: CellToWrite): string {
  const yaml = writeYaml(escapeParams(data) as object);
  const fence = fenceAround(yaml);
  return `${fence}${cell}\n${yaml}${fence}\n`;
}

/** The fence of a block of Markdown that nothing in its text closes. */
export function fenceAround(text: string): string {
  return '`'.repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map((run) => run.length + 1)));
}

/** Plain data as YAML; what holds only scalars stands on one line where that is short. */
export function writeYaml(data: object): string {
  // In YAML -0 would be read back as the text that it is.
  const document = new Document(data, (_, value: unknown) => (Object.is(value, -0) ? 0 : value), {
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Collection: (_key, node, path) => {
      if (path.length > 1 && isShort(node)) node.flow = true;
    },
  });
  return Object.keys(data).length === 0 ? '' : document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function isShort(node: Node): boolean {
  if (!isSeq(node) && !isMap(node)) return false;
  const parts = node.items.flatMap((item) =>
    typeof item === 'object' && item !== null && 'key' in item && 'value' in item ? [item.key, item.value] : [item],
  );
  return (
    parts.every((part) => isScalar(part) || (isSeq(part) && part.items.every(isScalar))) &&
    JSON.stringify(node).length <= 100
  );
}
