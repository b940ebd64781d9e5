import { describe, expect, it } from 'vitest';
import { readModel } from '../../../src/plan/model/read/read-model.ts';
import { isTemplate, renderTemplate } from '../../../src/plan/model/read/render-templates.ts';

const render = async (text: string, securityContext = {}) => {
  const outcome = await renderTemplate({ file: 'm.yaml', text }, { securityContext });
  return outcome.ok ? outcome.value.text : outcome.issues.map(({ message }) => message).join('\n');
};

describe('a template in a model', () => {
  it('writes cubes by loops, sets, macros and filters', async () => {
    const text = `
{%- set metrics = {"mau": 30, "wau": 7} -%}
{%- macro dimension(name, type='string', primary_key=False) -%}
{name: {{ name }}, sql: {{ name }}, type: {{ type }}{% if primary_key %}, primary_key: true{% endif %}}
{%- endmacro %}
cubes:
  - name: orders
    sql_table: {{ COMPILE_CONTEXT.securityContext.schema | default('public') }}.orders
    dimensions:
      - {{ dimension('id', 'number', primary_key=True) }}
      - {{ dimension('city' | upper | lower) }}
    measures:
      {%- for name, days in metrics | items %}
      - name: {{ name | safe }}
        type: count_distinct
        sql: user_id
        rolling_window: {trailing: {{ days }} day}
      {%- endfor %}
      {%- for name in ['a', 'b'] %}{% if name != 'b' %}
      - {name: n_{{ name }}_{{ loop.index }}, type: count}
      {%- endif %}{% endfor %}
      {%- for key, value in {'x': 1}.items() %}
      - {name: {{ key ~ value }}, type: count}
      {%- endfor %}
`;
    expect(isTemplate(text)).toBe(true);
    const read = readModel([{ file: 'm.yaml', text: await render(text, { schema: 'shop' }) }]);
    expect(read.issues).toEqual([]);
    const [cube] = read.ok ? read.value.cubes : [];
    expect(cube?.source).toEqual({ kind: 'table', table: 'shop.orders' });
    expect(cube?.measures.map(({ name, rollingWindow }) => [name, rollingWindow?.trailing])).toEqual([
      ['mau', { amount: 30, unit: 'day' }],
      ['wau', { amount: 7, unit: 'day' }],
      ['n_a_1', undefined],
      ['x1', undefined],
    ]);
    expect(cube?.dimensions.map(({ name, type, primaryKey }) => [name, type, primaryKey])).toEqual([
      ['id', 'number', true],
      ['city', 'string', false],
    ]);
  });

  it.each([
    ['a constructor', `{{ "x".constructor.constructor("return process")() }}`],
    ['a constructor by brackets', `{{ ""["constructor"]["constructor"]("return 1")() }}`],
    ['the constructor of everything', `{{ constructor("return 1")() }}`],
    ['the constructor of a function', `{{ range.constructor("return 1")() }}`],
    ['a prototype', `{{ {}.__proto__.toString() }}`],
    ['a method of a macro', `{% macro m() %}x{% endmacro %}{{ m.call.call(1) }}`],
    ['a file', `{% include "/etc/passwd" %}`],
    ['an import', `{% import "os" as os %}{{ os }}`],
    ['a base', `{% extends "/etc/passwd" %}`],
    ['a Python function', `{{ load_data()["cubes"] }}`],
    ['the environment', `{{ env_var('HOME') }}`],
    ['endless numbers', `{% for i in range(100000000000) %}x{% endfor %}`],
    [
      'loops in loops',
      `{% for i in range(9999) %}{% for j in range(9999) %}{% for k in range(9999) %}x{% endfor %}{% endfor %}{% endfor %}`,
    ],
    ['a loop with a condition', `{% for i in [1, 2] if i > 1 %}x{% endfor %}`],
    ['a text that never ends', `{% for i in [1, 2] %}`],
  ])('reaches nothing and says so: %s', async (_, text) => {
    expect(await render(text)).toMatch(/^The template of m\.yaml cannot be rendered/);
  });

  it('leaves no trace in the library and knows nothing of the process', async () => {
    expect(await render(`{{ process }}{{ global }}{{ require }}[{{ cycler }}]`)).toBe('[]');
    await render(`{{ "x".constructor() }}`);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(await render(`{% set a = {} %}{{ a.__proto__ }}{{ a.polluted }}`)).toBe('');
  });
});

it('imports files of the model alone, and never without end', async () => {
  const others = new Map([
    ['macros/own.yml', '{% macro one(n) %}{name: {{ n }}}{% endmacro %}{% set two = 2 %}'],
    ['self.yml', '{% include "self.yml" %}'],
    ['a.yml', '{% for i in range(99) %}{% include "b.yml" %}{% endfor %}'],
    ['b.yml', '{% include "own.txt" %}'],
    ['own.txt', '.'],
  ]);
  const render = (text: string) => renderTemplate({ file: 'm.yaml', text }, {}, others);
  expect(await render('{% from "macros/own.yml" import one %}{{ one("x") }}')).toMatchObject({
    value: { text: '{name: x}' },
  });
  expect(await render('{% import "macros/own.yml" as own %}{{ own.one(own.two) }}')).toMatchObject({
    value: { text: '{name: 2}' },
  });
  for (const name of ['self.yml', 'a.yml', 'none.yml', '../m.yaml'])
    expect(await render(`{% include "${name}" %}`)).toMatchObject({ ok: false, issues: [{ code: 'bad-template' }] });
});
