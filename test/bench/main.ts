/** One figure of a bench: a ratio within one run, and what it should be. */
export interface Measured {
  readonly what: string;
  readonly ratio: number;
  readonly target: number;
  readonly better: 'lower' | 'higher';
  readonly detail?: string | undefined;
}

function writeMeasured({ what, ratio, target, better, detail = '' }: Measured): string {
  const reached = better === 'lower' ? ratio <= target : ratio >= target;
  const limit = `${better === 'lower' ? '≤' : '≥'} ${target}`;
  return `${reached ? 'ok  ' : 'MISS'}  ${ratio.toFixed(2).padStart(7)}  ${limit.padEnd(7)}  ${what}${detail === '' ? '' : `  (${detail})`}`;
}

if (import.meta.main) {
  const { measureStartUp } = await import('./start-up.ts');
  for (const one of measureStartUp()) console.log(writeMeasured(one));
}
