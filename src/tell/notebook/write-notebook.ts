import { Document, isMap, isScalar, isSeq, type Node, visit } from 'yaml';
import type { CellContent } from './notebook.ts';
import type { CellKind } from './cell-kinds.ts';
import { escapeParams } from './params.ts';

/** A cell's kind and its YAML as data. */
export type CellToWrite = { readonly [Kind in CellKind]: Extract<CellContent, { readonly cell: Kind }> }[CellKind];

/**
 * Writes a cell as Markdown: its YAML in a fence that it cannot close, with short lists on one line. Reading gives the
 * same data: texts are literal, and none becomes a parameter.
 */
export function writeCell({ cell, ...data }: CellToWrite): string {
  const yaml = writeYaml(escapeParams(data) as object);
  const fence = fenceAround(yaml);
  return `${fence}${cell}\n${yaml}${fence}\n`;
}

/** A fence that the text cannot close. */
export function fenceAround(text: string): string {
  return '`'.repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map((run) => run.length + 1)));
}

/** Plain data as YAML. A short collection of scalars is on one line. */
export function writeYaml(data: object): string {
  // YAML would read -0 back as text.
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
