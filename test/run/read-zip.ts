import { fromBufferPromise } from 'yauzl';
import { buffer } from 'node:stream/consumers';

/** The contents of a zip archive's members, by their names. */
export async function membersOf(archive: Uint8Array): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await fromBufferPromise(Buffer.from(archive), { lazyEntries: true });
  const members = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry())
    members.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
  return members;
}
