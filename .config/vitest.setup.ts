import fc from 'fast-check';

// A red test must be red again: property tests take the same way each time. `npm run fuzz -- 10 SEED properties` takes
// others.
fc.configureGlobal({ seed: Number(process.env['SLUICE_SEED'] ?? 20240308) });
