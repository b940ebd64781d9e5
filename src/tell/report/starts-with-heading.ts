import type { Report } from './report.ts';

/** Whether a report's own prose begins with its heading, so that no other one needs to stand above it. */
export function startsWithHeading({ blocks: [first] }: Pick<Report, 'blocks'>): boolean {
  return first?.kind === 'prose' && /^(?:#[ \t]|[^\n]+\n=+[ \t]*(?:\n|$))/.test(first.markdown.trimStart());
}
