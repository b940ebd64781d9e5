import { Argument } from 'commander';
import { Command } from '../command/command.ts';
import type { Start } from '../command/invocation.ts';

export function completionCommand(start: Start): Command {
  const command = new Command('completion')
    .summary('complete commands, flags and names in your shell')
    .description(
      'Prints a completion script for your shell. ' +
        'It completes commands, flags, formats, saved queries, measures and dimensions.',
    )
    .addArgument(new Argument('[shell]', 'shell (default: from SHELL)').choices(['bash', 'zsh', 'fish']))
    .argument('[words...]', 'words typed so far (used by the scripts)')
    .usage('[shell]')
    .examples(`
  $ echo 'eval "$(sluice completion bash)"' >> ~/.bashrc
  $ echo 'eval "$(sluice completion zsh)"' >> ~/.zshrc      after compinit
  $ sluice completion fish > ~/.config/fish/completions/sluice.fish`);
  return start<object>(command, async () => {
    const { runCompletion } = await import('../actions/completion.ts');
    return (invocation) => runCompletion(invocation, command.parent ?? command);
  });
}
