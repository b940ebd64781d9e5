import fc from 'fast-check';

// A fixed seed: a failing property test must fail again. `npm run fuzz -- 10 SEED properties` sets another one.
fc.configureGlobal({ seed: Number(process.env['SLUICE_SEED'] ?? 20240308) });
