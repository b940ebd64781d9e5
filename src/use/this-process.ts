import path from 'node:path';

/** This process, for others that wait for it: `process 4711 (node)`. */
export const thisProcess = `process ${process.pid} (${path.basename(process.execPath)})`;
