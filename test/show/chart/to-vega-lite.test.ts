import fc from 'fast-check';
import * as vegaLite from 'vega-lite';
import { describe, expect, it } from 'vitest';
import { chartKinds } from '../../../src/ask/chart/chart-preference.ts';
import { filled, partialByPresent } from '../../../src/shape/result/marks.ts';
import { toChart } from '../../../src/show/to-chart.ts';
import type { VegaLiteSpec } from '../../../src/show/chart/chart.ts';
import { toVegaLite, writeVegaLite } from '../../../src/show/chart/vega-lite/to-vega-lite.ts';
import { anyResult } from '../arbitrary-result.ts';
import { dayColumn, exampleResult, numberColumn, textColumn } from '../example-result.ts';
import { anyDrawable } from './arbitrary-drawable.ts';
import { specimens } from './specimens.ts';
import { findSchemaErrors, listTexts } from './valid-spec.ts';

/** The allowed expressions of drawings, except digits and clock times. None has a place for other text. */
const ownExpressions = [
  /^datum\.label \+ '%'$/,
  /^datum\.value == 0 \? '0%?' : datum\.label(?: \+ '%')?$/,
  /^datum\.label \+ \(datum\.value == [\d.e-]+ \? '% or more' : '%'\)$/,
  /^datum\.value == 0 \? '0%?' : format\(datum\.value \/ 10+, ',~r'\) \+ '[MBT]%?'$/,
  /^\{(?:"-?\d+":"(?:\d\d:\d\d|[A-Z][a-z]{2} \d\d)",?)*\}\[toString\(toNumber\(datum\.value\)\)\]$/,
];

function check(spec: VegaLiteSpec): void {
  expect(findSchemaErrors(spec)).toEqual([]);
  const { expressions, keys } = listTexts(spec);
  for (const expression of expressions)
    expect(
      ownExpressions.some((own) => own.test(expression)),
      expression,
    ).toBe(true);
  for (const key of ['href', 'url', 'transform', 'params', 'signal', 'expr', '__proto__'])
    expect(keys.has(key)).toBe(false);
}

function compileQuietly(spec: VegaLiteSpec): readonly string[] {
  const said: string[] = [];
  const logger = {
    level: () => logger,
    error: (...texts: unknown[]) => (said.push(texts.join(' ')), logger),
    warn: (...texts: unknown[]) => (said.push(texts.join(' ')), logger),
    info: () => logger,
    debug: () => logger,
  };
  vegaLite.compile(spec as never, { logger: logger as never });
  return said;
}

describe.each(Object.keys(specimens))('the drawing of %s', (name) => {
  const { result, ...options } = specimens[name]!;
  const chart = toChart(result, options);

  it.each(['light', 'dark'] as const)('is valid Vega-Lite on a %s background', (theme) => {
    check(toVegaLite(chart, { theme }));
  });

  it('compiles without warnings', () => {
    expect(compileQuietly(toVegaLite(chart)).filter((said) => !said.startsWith('Dropping "fit-y"'))).toEqual([]);
  });

  it('is the same at every width except for its size', () => {
    check(toVegaLite(chart, { width: 320, withNotes: false }));
    check(toVegaLite(chart, { width: 1600 }));
  });
});

it.each(chartKinds)('a specimen is drawn as %s', (kind) => {
  const kinds = Object.values(specimens).map(({ result, ...options }) => toChart(result, options).kind);
  expect(kinds).toContain(kind);
});

describe('drawings of arbitrary results', () => {
  it('are valid Vega-Lite, and never run data', () => {
    fc.assert(
      fc.property(anyDrawable, fc.option(fc.string()), ({ result }, title) => {
        check(toVegaLite(toChart(result, { title: title ?? undefined })));
      }),
      { numRuns: 80 },
    );
  });

  it('are valid for arbitrary columns, too', () => {
    fc.assert(
      fc.property(anyResult, (result) => {
        const hasNumbers = result.columns.some(({ kind, type }) => kind === 'measure' && type === 'number');
        if (hasNumbers) check(toVegaLite(toChart(result)));
        else expect(() => toChart(result)).toThrow('This result has nothing to draw');
      }),
      { numRuns: 80 },
    );
  });
});

describe('heat maps', () => {
  it('mark only the filled cells, not others of their bucket', () => {
    const days = dayColumn('utcTime');
    const browser = textColumn('agentName');
    const count = numberColumn('count');
    const result = exampleResult(
      [
        [days, ['2024-03-07', '2024-03-07', '2024-03-08', '2024-03-08']],
        [browser, ['Chrome', 'Safari', 'Chrome', 'Safari']],
        [count, [7, 0, 5, 3]],
      ],
      {
        marks: {
          [days.key]: [0, filled, partialByPresent, partialByPresent],
          [count.key]: [0, filled, partialByPresent, partialByPresent],
        },
      },
    );
    const { values } = toVegaLite(toChart(result, { preference: 'heatmap' }))['data'] as {
      readonly values: readonly { readonly label: string }[];
    };
    expect(values.map(({ label }) => label)).toEqual(['7', '5~', '0·', '3~']);
  });
});

describe('bars', () => {
  it.each(['bar', 'grouped', 'stacked'] as const)('from left to right draw the sign of filled values: %s', (kind) => {
    const count = numberColumn('count');
    const result = exampleResult(
      [
        [textColumn('docPath'), ['/', '/', '/docs', '/docs']],
        [textColumn('agentName'), ['Chrome', 'Safari', 'Chrome', 'Safari']],
        [count, [7, 0, 5, 3]],
      ],
      { marks: { [count.key]: [0, filled, 0, 0] } },
    );
    const chart = toChart(result, { preference: kind });
    expect(chart.notes).toContain('○ filled: there were no rows.');
    expect(JSON.stringify(toVegaLite(chart))).toMatch(/"shape":"circle".{0,150}"x":{"field":"filled"/);
  });
});

describe('specifications as text', () => {
  it('are equivalent JSON, and cannot end a script', () => {
    for (const { result, ...options } of Object.values(specimens)) {
      const spec = toVegaLite(toChart(result, options));
      const text = writeVegaLite(spec);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(spec)));
      expect(text).not.toMatch(/[<\u2028\u2029\u202e\u001b]/);
    }
  });
});
