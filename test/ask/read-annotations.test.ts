import { describe, expect, it } from 'vitest';
import { readAnnotations } from '../../src/ask/chart/annotation.ts';

const read = (text: string) => readAnnotations(new TextEncoder().encode(text), 'reports/annotations.yaml');

describe('annotation files', () => {
  it('are lists of dates with descriptions', () => {
    expect(
      read(
        '- {date: 2024-03-08, title: Release 2.0, kind: release}\n- date: 2024-03-09T14:30\n  title: Search was down\n- {date: 2024-03-09T14:30:00+01:00, title: Search was up}\n',
      ),
    ).toMatchObject({
      ok: true,
      value: [
        { date: '2024-03-08', title: 'Release 2.0', kind: 'release' },
        { date: '2024-03-09T14:30', title: 'Search was down' },
        { date: '2024-03-09T14:30:00+01:00', title: 'Search was up' },
      ],
    });
    expect(read('[]\n')).toMatchObject({ ok: true, value: [] });
  });

  it('report all issues at once, with their lines', () => {
    const { ok, issues } = read(
      '- {date: 2024-02-30, title: a}\n- {date: 2024-03, title: b}\n- {date: soon, titel: c}\n- {date: 2024-03-01, title: d, sort: release}\n- {date: 2024-03-01}\n- {date: "", title: ""}\n',
    );
    expect(ok).toBe(false);
    expect(issues.map(({ code, span, path }) => `${span?.line} ${path.join('.')} ${code}`)).toEqual([
      '1 0.date invalid-date',
      '2 1.date invalid-date',
      '3 2.title missing-key',
      '3 2.date invalid-date',
      '3 2.titel unknown-key',
      '4 3.sort unknown-key',
      '5 4.title missing-key',
      '6 5.date out-of-range',
      '6 5.title out-of-range',
    ]);
    expect(issues[1]).toMatchObject({
      message: '"2024-03" is neither a day nor a time.',
      hint: 'Write 2024-03-08, or 2024-03-08T14:30.',
    });
  });

  it('must be UTF-8 text with a list', () => {
    expect(readAnnotations(Uint8Array.of(0xff, 0xfe, 0x41), 'a.yaml').ok).toBe(false);
    expect(read('date: 2024-03-01\n').ok).toBe(false);
  });
});
