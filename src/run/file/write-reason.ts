const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no room left on the disk',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it would be larger than a file may be here',
  EIO: 'the device failed',
  EROFS: 'the disk is read-only',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
};

/** Why a system refuses to write, in words, with its own code. */
export function writeReason({ code, message }: NodeJS.ErrnoException): string {
  if (code === undefined) return message;
  return Object.hasOwn(reasons, code) ? `${reasons[code]} (${code})` : code;
}
