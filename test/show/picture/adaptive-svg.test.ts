import { describe, expect, it } from 'vitest';
import { toAdaptiveSvg } from '../../../src/show/html/chart-figure.ts';
import { toSvg } from '../../../src/show/picture/to-svg.ts';
import { specimens } from '../chart/specimens.ts';
import { toSpecimenSpec } from './pictures.ts';
import { readSvg, walk } from './read-svg.ts';

describe('toAdaptiveSvg', () => {
  it.each(Object.keys(specimens))('changes only the colours of the specimen %s', async (name) => {
    const [light, dark] = [
      await toSvg(toSpecimenSpec(name), { id: 'a' }),
      await toSvg(toSpecimenSpec(name, { theme: 'dark' }), { id: 'a' }),
    ];
    const adaptive = toAdaptiveSvg(light, dark);
    expect(adaptive.light).toEqual([]);
    expect(adaptive.svg.replace(/ class="[^"]*"/g, '')).toBe(light);
    expect(turn(adaptive.svg, adaptive.dark)).toEqual(
      Array.from(walk(readSvg(dark)), ({ tag, attributes }) => [tag, Object.fromEntries(attributes)]),
    );
  });

  it('gives equal colours the same rule', () => {
    const paint = (colour: string) =>
      `<svg xmlns="http://www.w3.org/2000/svg"><path fill="${colour}" stroke="#000"/></svg>`;
    expect(toAdaptiveSvg(paint('#FFF'), paint('rgb(1, 2, 3)'))).toEqual({
      svg: '<svg xmlns="http://www.w3.org/2000/svg"><path fill="#FFF" stroke="#000" class="fill-fff-rgb123"/></svg>',
      light: [],
      dark: ['.fill-fff-rgb123{fill:rgb(1, 2, 3)}'],
    });
    expect(toAdaptiveSvg(paint('red'), paint('red'))).toEqual({ svg: paint('red'), light: [], dark: [] });
  });

  it('switches between both drawings if they differ in more than colours', () => {
    const { svg, light, dark } = toAdaptiveSvg('<svg width="1"/>', '<svg width="2"/>');
    expect(svg).toBe('<svg class="when-light" width="1"/><svg class="when-dark" width="2"/>');
    expect(light).toEqual(['.when-dark{display:none}']);
    expect(dark).toEqual(['.when-light{display:none}', '.when-dark{display:inline}']);
  });
});

/** Applies a style sheet to the drawing. */
function turn(svg: string, rules: readonly string[]): readonly unknown[] {
  const declared = new Map(
    rules.map((rule) => {
      const [, name = '', property = '', value = ''] = /^\.([\w-]+)\{([\w-]+):(.*)\}$/.exec(rule) ?? [];
      return [name, [property, value]] as const;
    }),
  );
  return Array.from(walk(readSvg(svg)), ({ tag, attributes }) => {
    const { class: classes = '', ...others } = Object.fromEntries(attributes);
    return [
      tag,
      {
        ...others,
        ...Object.fromEntries(
          classes
            .split(' ')
            .filter(Boolean)
            .map((name) => declared.get(name)!),
        ),
      },
    ];
  });
}
