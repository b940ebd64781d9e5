import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDefinitionSlug } from '../../../src/ask/analysis/definition-slug.ts';

describe('the slug of a funnel file', () => {
  it.each([
    ['Checkout Flow.yml', 'checkout_flow'],
    ['checkout-flow.yaml', 'checkout_flow'],
    ['CheckoutFlow.yml', 'checkoutflow'],
    ['v1.2 Sale!.yml', 'v1_2_sale'],
    ['a - b.yml', 'a___b'],
    ['a--b.yml', 'a__b'],
    ['Straße.yml', 'strasse'],
    ['funnel_example_1.yaml', 'funnel_example_1'],
    ['example1.yml', 'example1'],
    ['Über uns.YAML', 'uber_uns'],
    ['Œuvre Ærø.yml', 'oeuvre_aero'],
    ['__x__.yml', 'x'],
    ['-x-.yml', '_x_'],
    ['a__b.yml', 'a_b'],
    ['Đường Łódź.yml', 'duong_lodz'],
    ['кофе.yml', ''],
    ['кофе 1.yml', '1'],
    ['a.b.yaml', 'a_b'],
    ['e\u0301te\u0301.yml', 'ete'],
    ['a😀b.yml', 'a_b'],
    ['2024 sale.yml', '2024_sale'],
    ['.yml', ''],
  ])('for %s is "%s"', (file, slug) => {
    expect(toDefinitionSlug(file)).toBe(slug);
  });

  it('contains only lower-case letters, digits and _, whatever the file name', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'aÄß-_ .1é!') })),
        (name) => {
          expect(toDefinitionSlug(`${name}.yaml`)).toMatch(/^[a-z0-9_]*$/);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
