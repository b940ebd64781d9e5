import { describe, expect, it } from 'vitest';
import { folderOf } from '../run-in-folder.ts';

/** Each day has as many events as its weekday number: 1 on Sundays, 7 on Saturdays. */
function events(): string {
  const lines: string[] = [];
  for (let time = Date.UTC(2023, 10, 1); time < Date.UTC(2024, 3, 1); time += 86_400_000)
    for (let user = 0; user <= new Date(time).getUTCDay(); user++)
      lines.push(
        JSON.stringify({ utcTime: new Date(time).toISOString(), eventType: 'pageview', userAnonymousId: `${user}` }),
      );
  return `${lines.join('\n')}\n`;
}

const reportWith = (range: string) => `---
title: Days
params:
  month: {type: month, default: 2024-03}
---

\`\`\`compare
query: {measures: [TrackedEvents.count], timeDimensions: [{dimension: TrackedEvents.utcTime, granularity: day}]}
range: "{{ month }}"
with: ${range}
\`\`\`
`;

describe('a month in a report, beside an earlier one', () => {
  it('has days beside days of the same weekday where it asks for that', async () => {
    const folder = folderOf({
      'events.ndjson': events(),
      'sluice.yaml': 'events: events.ndjson\n',
      'reports/aligned.md': reportWith('previous by weekday'),
      'reports/plain.md': reportWith('previous'),
    });
    const rowsOf = async (name: string, month: string) => {
      const { stdout } = await folder.sluice(['report', 'run', name, '--param', `month=${month}`, '-f', 'json']);
      const { blocks } = JSON.parse(stdout) as {
        readonly blocks: readonly {
          readonly parts?: readonly { readonly result?: { readonly rows: readonly Row[] } }[];
        }[];
      };
      return blocks.flatMap(({ parts = [] }) => parts.flatMap(({ result }) => result?.rows ?? []));
    };
    const weekday = (time: string) => new Date(`${time}Z`).getUTCDay();
    for (const month of ['2024-01', '2024-02', '2024-03']) {
      const rows = await rowsOf('aligned', month);
      expect(rows.length).toBe(new Date(Date.UTC(2024, Number(month.slice(5)), 0)).getUTCDate());
      for (const row of rows) {
        const [day, previous] = [row['TrackedEvents.utcTime.day'], row['TrackedEvents.utcTime.day.previous']];
        expect(weekday(String(previous))).toBe(weekday(String(day)));
        expect(row['TrackedEvents.count']).toBe(weekday(String(day)) + 1);
        expect(row['TrackedEvents.count.change']).toBe(0);
      }
    }
    const plain = await rowsOf('plain', '2024-03');
    expect(plain.some((row) => row['TrackedEvents.count.change'] !== 0)).toBe(true);
  });
});

type Row = Readonly<Record<string, unknown>>;
