// A part of the launcher: loads the scripts that the build wrote, and keeps what they were compiled to.

declare const SLUICE_BUILD: string;

const fs = process.getBuiltinModule('fs');
const path = process.getBuiltinModule('path');
const vm = process.getBuiltinModule('vm');
const { createRequire } = process.getBuiltinModule('module');

/** What Node gives a script. */
const [head, tail] = ['(function (exports, require, module, __filename, __dirname) {', '\n})'].map((part) =>
  Buffer.from(part),
) as [Buffer, Buffer];

type Compiled = ReadonlyMap<string, Uint8Array>;

/**
 * Loads a script and all that it requires. Node keeps only what a script is compiled to before it runs; here its
 * functions are kept, too, once they ran, in the file `kept`: that saves a third of the time of most commands.
 */
export function loadScripts(entry: string, kept: string | undefined): unknown {
  const requireOther = createRequire(entry);
  const compiled: Compiled = kept === undefined ? new Map() : readCompiled(kept);
  const loaded = new Map<string, { exports: unknown }>();
  const scripts = new Map<string, InstanceType<typeof vm.Script>>();
  let isLacking = false;
  const load = (file: string): unknown => {
    const known = loaded.get(file);
    if (known !== undefined) return known.exports;
    const module = { exports: {} as unknown };
    loaded.set(file, module);
    const name = path.basename(file);
    const cachedData = compiled.get(name);
    // The build leaves no other letters in it. Joined as bytes, it does not fill the heap twice.
    const source = Buffer.concat([head, fs.readFileSync(file), tail]).toString('latin1');
    const script = new vm.Script(source, { filename: file, cachedData });
    scripts.set(name, script);
    if (cachedData === undefined || script.cachedDataRejected === true) isLacking = true;
    const folder = path.dirname(file);
    const require = (asked: string) => {
      const place = asked.startsWith('.') ? path.resolve(folder, asked) : asked;
      return place.endsWith('.cjs') ? load(place) : requireOther(place);
    };
    script.runInThisContext()(module.exports, require, module, file, folder);
    return module.exports;
  };
  if (kept !== undefined) {
    process.on('exit', (code) => {
      // One that failed loaded little.
      if (isLacking && code === 0) writeCompiled(kept, compiled, scripts);
    });
  }
  return load(entry);
}

type Sizes = readonly (readonly [name: string, size: number])[];

/** Three parts: a checksum of the rest, names and sizes, and what they are of. V8 would believe damaged code. */
function readCompiled(file: string): Compiled {
  const compiled = new Map<string, Uint8Array>();
  try {
    const bytes = fs.readFileSync(file);
    const begin = bytes.indexOf('\n') + 1;
    if (bytes.toString('latin1', 0, begin) !== checksum(bytes.subarray(begin))) return compiled;
    let at = bytes.indexOf('\n', begin) + 1;
    for (const [name, size] of JSON.parse(bytes.toString('latin1', begin, at)) as Sizes)
      compiled.set(name, bytes.subarray(at, (at += size)));
  } catch {
    // It is not there yet.
  }
  return compiled;
}

/** What other runs of the command loaded stays. */
function writeCompiled(
  file: string,
  before: Compiled,
  scripts: ReadonlyMap<string, InstanceType<typeof vm.Script>>,
): void {
  const part = file + '.' + process.pid + '.part';
  try {
    const parts: [string, Uint8Array][] = [];
    for (const [name, script] of scripts) parts.push([name, script.createCachedData()]);
    for (const [name, bytes] of before) if (!scripts.has(name)) parts.push([name, bytes]);
    const sizes: Sizes = parts.map(([name, bytes]) => [name, bytes.length]);
    const rest = Buffer.concat([Buffer.from(JSON.stringify(sizes) + '\n'), ...parts.map(([, bytes]) => bytes)]);
    fs.writeFileSync(part, Buffer.concat([Buffer.from(checksum(rest)), rest]), { mode: 0o600 });
    fs.renameSync(part, file);
  } catch {
    fs.rmSync(part, { force: true });
  }
}

/** Another one for each build: V8 compares no more than the lengths of scripts. */
function checksum(bytes: Uint8Array): string {
  const { crc32 } = process.getBuiltinModule('zlib');
  return crc32(bytes, crc32(SLUICE_BUILD)) + '\n';
}
