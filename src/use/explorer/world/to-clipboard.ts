import { SluiceError } from '../../../ask/sluice-error.ts';

/** A clipboard takes no more, or the terminal would be busy with it for long. */
const mostCopied = 500_000;

/**
 * What makes a terminal copy a text (OSC 52). Within tmux it is sent a second time, wrapped so that tmux hands it on to
 * the terminal around it: by itself tmux takes it only where `set-clipboard` is on. Error: `too-long-to-copy`.
 */
export function toClipboard(text: string, { inTmux }: { readonly inTmux: boolean }): string {
  if (text.length > mostCopied)
    throw new SluiceError('The text is too long for the clipboard.', {
      code: 'too-long-to-copy',
      hint: 'Write it to a file with `sluice query -o`.',
    });
  const sequence = `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;
  return inTmux ? `${sequence}\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\` : sequence;
}
