// Part of the launcher: loads the scripts of the build, and caches their compiled code.

declare const SLUICE_BUILD: string;

const fs = process.getBuiltinModule('fs');
const path = process.getBuiltinModule('path');
const vm = process.getBuiltinModule('vm');
const { createRequire } = process.getBuiltinModule('module');

/** The wrapper that Node puts around a script. */
const [head, tail] = ['(function (exports, require, module, __filename, __dirname) {', '\n})'].map((part) =>
  Buffer.from(part),
) as [Buffer, Buffer];

type Compiled = ReadonlyMap<string, Uint8Array>;

/**
 * Loads a script and everything it requires. Node's own cache has only code compiled before a script runs. The file
 * `kept` also has the functions that ran, which saves a third of the time of most commands.
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
    const source = readWrapped(file);
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
      // A failed command loaded only a part.
      if (isLacking && code === 0) writeCompiled(kept, compiled, scripts);
    });
  }
  return load(entry);
}

/** Reused, because the system takes longer to provide new memory than to read a script into it. */
let room = Buffer.alloc(0);

/** A script in Node's wrapper. The build writes only latin1. */
function readWrapped(file: string): string {
  const descriptor = fs.openSync(file, 'r');
  try {
    const { size } = fs.fstatSync(descriptor);
    const end = head.length + size;
    if (room.length < end + tail.length) {
      room = Buffer.allocUnsafeSlow(2 * (end + tail.length));
      head.copy(room);
    }
    for (let at = head.length, read = -1; at < end && read !== 0; at += read)
      read = fs.readSync(descriptor, room, at, end - at, null);
    tail.copy(room, end);
    return room.toString('latin1', 0, end + tail.length);
  } finally {
    fs.closeSync(descriptor);
  }
}

type Sizes = readonly (readonly [name: string, size: number])[];

/**
 * The file has a checksum, names with sizes, and the code. The checksum is needed because V8 does not detect damaged
 * code.
 */
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
    // The file does not exist yet.
  }
  return compiled;
}

/** Keeps entries that other commands loaded. */
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
    removeOld(path.dirname(file));
  } catch {
    fs.rmSync(part, { force: true });
  }
}

/** Removes what other versions of Node and other copies of sluice left. What is still used is compiled again. */
function removeOld(folder: string): void {
  const oldest = Date.now() - mostDays * 86_400_000;
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name);
    if (fs.statSync(file).mtimeMs < oldest) fs.rmSync(file, { force: true });
  }
}

const mostDays = 90;

/** Seeded by the build, because V8 compares only the lengths of scripts. */
function checksum(bytes: Uint8Array): string {
  const { crc32 } = process.getBuiltinModule('zlib');
  return crc32(bytes, crc32(SLUICE_BUILD)) + '\n';
}
