import { Argument, Command } from 'commander';
import type { Start } from '../command/invocation.ts';

export function completionCommand(start: Start): Command {
  const command = new Command('completion')
    .summary('complete commands, flags and names in your shell')
    .description('Prints what a shell reads to complete sluice: its commands, flags and formats, saved queries, and what can be asked.')
    .addArgument(new Argument('[shell]', 'which one; that of SHELL where not set').choices(['bash', 'zsh', 'fish']))
    .argument('[words...]', 'what is typed so far; the scripts give it')
    .usage('[shell]')
    .addHelpText('after', `
Examples:
  $ echo 'eval "$(sluice completion bash)"' >> ~/.bashrc
  $ echo 'eval "$(sluice completion zsh)"' >> ~/.zshrc      after compinit
  $ sluice completion fish > ~/.config/fish/completions/sluice.fish`);
  return start<object>(command, async () => {
    const { runCompletion } = await import('../actions/completion.ts');
    return (invocation) => runCompletion(invocation, command.parent ?? command);
  });
}
