import type { FrontMatter } from './notebook.ts';
import { writeYaml } from './write-cell.ts';

export type FrontMatterToWrite = Partial<Omit<FrontMatter, 'source'>>;

/** Front matter between its `---` lines; nothing where it says nothing. What is read back is the same. */
export function writeFrontMatter({ title, description, params = [], timezone, schedule, deliver, notify, backend }: FrontMatterToWrite): string {
  const declared = Object.fromEntries(params.map(({ name, ...param }) => [name, withoutGaps(param)]));
  const data = withoutGaps({ title, description, params: params.length === 0 ? undefined : declared, timezone, schedule, deliver, notify, backend });
  return Object.keys(data).length === 0 ? '' : `---\n${writeYaml(data)}---\n\n`;
}

function withoutGaps(data: object): object {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}
