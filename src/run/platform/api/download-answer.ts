import type { Operation } from '../../../ask/platform/operation.ts';
import { type DownloadOptions, downloadTo } from '../../download/open-download.ts';
import { toAddress } from '../../http/address.ts';
import type { Credential } from '../../http/credential.ts';
import type { HttpRequest } from '../../http/http-client.ts';
import { toApiError } from './api-error.ts';
import type { DownloadCallOptions } from './platform-api.ts';

/** What a download needs beside its request. */
export interface Downloader extends Omit<DownloadOptions, 'folder' | 'onProgress' | 'signal'> {
  /** The platform's base address. */
  readonly base: URL;
  readonly credential?: Credential | undefined;
}

/** Writes the answer to a request to a file. Errors: `ApiError` for a refusal, and those of `downloadTo`. */
export function downloadAnswer(
  { base, credential, ...options }: Downloader,
  asked: Operation,
  { path, query }: HttpRequest,
  hide: (text: string) => string,
  { to, signal, onProgress }: DownloadCallOptions,
): Promise<void> {
  const toError = ({ text, ...facts }: { status: number; url: string; text: string; strayed: boolean }) =>
    toApiError(asked, { ...facts, attempts: 1, elapsedMs: 0, text: async () => text }, hide);
  return downloadTo(
    to,
    { url: toAddress(base, path, query), credential, toError },
    {
      ...options,
      signal,
      onProgress: ({ isDone, bytes, totalBytes }) => {
        if (!isDone) onProgress?.({ bytes, totalBytes });
      },
    },
  );
}
