import type { OpenOptions, Sluice } from '../../src/use/index.ts';
import { openLibrary } from '../../src/use/library/open-library.ts';
import { toSluice } from '../../src/use/open-sluice.ts';
import type { Session } from '../../src/use/workspace/session.ts';

/** The library with its session. */
export type SluiceWithSession = Sluice & { readonly session: Session };

/** Opens the library for tests of the session behind it. */
export async function openWithSession(options: OpenOptions = {}): Promise<SluiceWithSession> {
  const opened = await openLibrary(options);
  return Object.defineProperty(toSluice(opened), 'session', {
    get: () => opened.session,
    enumerable: true,
  }) as SluiceWithSession;
}
