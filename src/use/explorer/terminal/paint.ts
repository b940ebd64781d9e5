/** What a stretch of text of the explorer is to look like. */
export type Tone = 'plain' | 'heading' | 'quiet' | 'alert' | 'error' | 'accent' | 'selected' | 'match';

export interface Look {
  /** `colour`; `attributes`: bold, dim and inverse but no colours; `plain`: no escape sequence at all. */
  readonly depth: 'colour' | 'attributes' | 'plain';
  /** Draw with ASCII signs where false. */
  readonly unicode: boolean;
}

const colours: Readonly<Record<Exclude<Tone, 'plain'>, readonly [on: string, off: string]>> = {
  heading: ['1', '22'], quiet: ['2', '22'], alert: ['33', '39'], error: ['31', '39'], accent: ['36', '39'], selected: ['7', '27'], match: ['1;36', '22;39'],
};

const attributes: Readonly<Record<Exclude<Tone, 'plain'>, readonly [on: string, off: string]>> = {
  heading: ['1', '22'], quiet: ['2', '22'], alert: ['1', '22'], error: ['1', '22'], accent: ['4', '24'], selected: ['7', '27'], match: ['1', '22'],
};

/** The text as the terminal shows it so. It must be harmless already, and its width is that of the text. */
export function paint(text: string, tone: Tone, { depth }: Pick<Look, 'depth'>): string {
  if (tone === 'plain' || depth === 'plain' || text === '') return text;
  const [on, off] = (depth === 'colour' ? colours : attributes)[tone];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
