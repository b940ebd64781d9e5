import type { Listing, PlatformApi } from '../../run/platform/api/platform-api.ts';

/** The operations when they are needed, and the signal that ends a call; its own is given. */
export type OpenApi = (
  own: AbortSignal | undefined,
) => Promise<{ readonly api: PlatformApi; readonly signal: AbortSignal }>;

type Call = (given: unknown, options: object) => Made;
/** A promise, or a list that sends nothing before it is read. */
type Made = Promise<unknown> & Partial<Pick<Listing<unknown>, 'withResponse' | typeof Symbol.asyncIterator>>;

/**
 * The operations of the platform as if they were loaded. They are with the first call: reading their data takes a
 * while, and most programs call none.
 */
export function lateApi<Beside extends object>(open: OpenApi, beside: Beside): PlatformApi & Beside {
  const call =
    (resource: string, operation: string) => (given?: unknown, options?: { readonly signal?: AbortSignal }) =>
      lateCall(async () => {
        const { checkOptions } = await import('../workspace/check-options.ts');
        checkOptions('platformCall', options);
        const { api, signal } = await open(options?.signal);
        const found = await findCall(api, resource, operation);
        // In an object: a promise would be waited for.
        return { made: found(given, { ...options, signal }) };
      });
  return byName(beside, (resource) => byName({}, (operation) => call(resource, operation))) as PlatformApi & Beside;
}

function byName(beside: object, make: (name: string) => unknown): object {
  const made = new Map<string, unknown>();
  return new Proxy(beside, {
    get(target, name) {
      // Who waits for it, or prints it, asks for these.
      if (typeof name === 'symbol' || name === 'then' || name === 'toJSON' || Object.hasOwn(target, name))
        return Reflect.get(target, name) as unknown;
      if (!made.has(name)) made.set(name, make(name));
      return made.get(name);
    },
  });
}

async function findCall(api: PlatformApi, resource: string, operation: string): Promise<Call> {
  const operations = api as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const found = Object.hasOwn(operations, resource) ? operations[resource] : undefined;
  if (found && Object.hasOwn(found, operation)) return found[operation] as Call;
  const { unknownOperation } = await import('../platform/unknown-operation.ts');
  throw unknownOperation(resource, operation);
}

function lateCall(begin: () => Promise<{ readonly made: Made }>): Made {
  // What is no list is sent now.
  const begun = begin();
  const told = async <T>(work: (made: Made) => PromiseLike<T>): Promise<T> => {
    try {
      return await work((await begun).made);
    } catch (error) {
      throw (await import('./in-code.ts')).inCode(error);
    }
  };
  let awaited: Promise<unknown> | undefined;
  const wait = () => (awaited ??= told((made) => made));
  return {
    // biome-ignore lint/suspicious/noThenProperty: it stands for a promise that is not there yet.
    then: (done, failed) => wait().then(done, failed),
    catch: (failed) => wait().catch(failed),
    finally: (last) => wait().finally(last),
    withResponse: () => told((made) => made.withResponse!()) as ReturnType<Listing<unknown>['withResponse']>,
    async *[Symbol.asyncIterator]() {
      const items = (await told(async (made) => ({ made }))).made[Symbol.asyncIterator]!();
      try {
        for (let step = await told(() => items.next()); !step.done; step = await told(() => items.next()))
          yield step.value;
      } finally {
        await items.return?.();
      }
    },
    [Symbol.toStringTag]: 'PlatformCall',
  };
}
