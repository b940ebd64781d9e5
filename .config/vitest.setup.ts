import fc from 'fast-check';

// A red test must be red again: property tests take the same way each time. `npm run fuzz -- 10 SEED properties` takes
// others, as many as there is time for: a property that is cut off by the limit of its test says nothing.
fc.configureGlobal({
  seed: Number(process.env['TEST_SEED'] ?? 20240308),
  ...(process.env['TEST_THOROUGH'] === '1' && {
    interruptAfterTimeLimit: Number(process.env['TEST_PROPERTY_SECONDS'] ?? 400) * 1000,
  }),
});
