import type { Reporter, TestCase, TestModule } from 'vitest/node';

/**
 * Says below the summary why tests were skipped, as the end of their names tells: `(skipped, there is no ClickHouse)`.
 */
export class TellSkipped implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const test of modules.flatMap((module) => [...module.children.allTests('skipped')])) {
      const why = whyOf(test);
      if (why !== undefined) counts.set(why, (counts.get(why) ?? 0) + 1);
    }
    for (const [why, count] of counts)
      process.stdout.write(`     Skipped  ${count} ${count === 1 ? 'test' : 'tests'} (${why})\n`);
  }
}

function whyOf({ fullName }: TestCase): string | undefined {
  return /\(skipped[,:]? (.*?)\)(?: >|$)/s.exec(fullName)?.[1];
}
