/** `-` and `/dev/stdout` name stdout, as no `-o` does. */
export function isStdout(output: string | undefined): output is undefined | '-' | '/dev/stdout' {
  return output === undefined || output === '-' || output === '/dev/stdout';
}

/** The flags without an `-o` that names stdout: what is left of it is a file or a folder. */
export function withoutStdout<Flags extends { readonly output?: string | undefined }>(flags: Flags): Flags {
  return isStdout(flags.output) ? { ...flags, output: undefined } : flags;
}
