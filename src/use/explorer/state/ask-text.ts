import type { Ask, ExplorerCell } from './state.ts';

/** The question of a cell, in one line. */
export function askText(ask: Ask): string {
  switch (ask.kind) {
    case 'line':
      return ask.line;
    case 'query':
      return ask.saved.title ?? JSON.stringify(ask.saved.query);
    case 'text':
      return titleOfBlock(ask.source);
  }
}

/** The title of a question in notation; other questions are shown by their title alone. */
export function titleOf({ ask, own }: Pick<ExplorerCell, 'ask' | 'own'>): string | undefined {
  return ask.kind === 'line' && typeof own?.title === 'string' ? own.title : undefined;
}

/** A fenced cell by its kind and name; nothing for prose, whose text is shown below. */
function titleOfBlock(source: string): string {
  const text = source.trim();
  if (!/^(?:`{3,}|~{3,})/.test(text)) return '';
  const kind = /^[`~]+\s*(?:ya?ml\s+)?(\w+)/.exec(text)?.[1] ?? 'cell';
  const name = /^name:\s*(\S+)/m.exec(text)?.[1];
  return name === undefined ? kind : `${kind} ${name}`;
}
