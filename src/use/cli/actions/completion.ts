import path from 'node:path';
import type { Command } from 'commander';
import { quote } from '../../../ask/text.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import type { Effects } from '../../process/effects.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { Invocation } from '../command/invocation.ts';
import type { Candidate, Lookup } from './completion-candidate.ts';
import { type Cursor, findPlace, splitLine, type SplitLine, toBashWord } from './completion-line.ts';
import { findCandidates } from './completion-values.ts';
import { inputError } from '../../../ask/sluice-error.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof shells)[number];

/**
 * The scripts that make a shell complete `sluice`. They call sluice itself, so they never become outdated. The first
 * line of the reply says whether file names also fit. The shell neither expands nor runs the reply.
 */
const completionScripts: Readonly<Record<Shell, string>> = {
  // Pass the raw line, because bash splits words at colons and equals signs. Without compopt (bash 3.2), file names
  // always fit.
  bash: `# bash completion for sluice
_sluice() {
  local reply kind word
  COMPREPLY=()
  reply=$(sluice completion bash -- "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null) || return 0
  {
    IFS= read -r kind
    while IFS= read -r word; do
      [[ -n $word ]] && COMPREPLY+=("$word")
    done
  } <<<"$reply"
  [[ $kind == files ]] || compopt +o default 2>/dev/null
  return 0
}
complete -o default -F _sluice sluice
`,
  zsh: `#compdef sluice
# zsh completion for sluice
_sluice() {
  local -a lines values shown
  local line value
  lines=("\${(@f)$(sluice completion zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  for line in "\${(@)lines[2,-1]}"; do
    value="\${line%%$'\\t'*}"
    [[ -n $value ]] || continue
    values+=("$value")
    if [[ $line == *$'\\t'* ]]; then
      shown+=("$value  -- \${line#*$'\\t'}")
    else
      shown+=("$value")
    fi
  done
  if (( \${#values} )); then
    compadd -l -d shown -a values
  fi
  if [[ \${lines[1]} == files ]]; then
    compset -P '*='
    _files
  fi
}
if [[ \${funcstack[1]} == _sluice ]]; then
  _sluice "$@"
elif (( $+functions[compdef] )); then
  compdef _sluice sluice
fi
`,
  fish: `# fish completion for sluice
function __sluice_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l reply (sluice completion fish -- $words[2..-1] "$word" 2>/dev/null)
    if set -q reply[2]
        printf '%s\\n' $reply[2..-1]
    end
    if test "$reply[1]" = files
        __fish_complete_path "$word"
    end
end
complete -c sluice -f -a '(__sluice_complete)'
`,
};

/**
 * `sluice completion SHELL`: prints the script. With the words of a line after `--`: prints the candidates at its end.
 */
export async function runCompletion({ args, effects }: Invocation<object>, program: Command): Promise<ExitCode> {
  const [named, ...words] = args as readonly [Shell?, ...string[]];
  const shell = named ?? shellOf(effects);
  await effects.stdout.write(
    words.length === 0 ? completionScripts[shell] : await reply(shell, words, program, effects),
  );
  return exitCodes.done;
}

function shellOf({ env }: Effects): Shell {
  const name = path.basename(env['SHELL'] ?? '');
  const shell = shells.find((each) => each === name);
  if (shell) return shell;
  const message = name === '' ? 'Cannot detect your shell.' : `Completion does not support the shell ${quote(name)}.`;
  const hint = `Specify one of ${shells.join(', ')}: \`sluice completion bash\``;
  throw inputError('unknown-shell', message, hint);
}

async function reply(shell: Shell, given: readonly string[], program: Command, effects: Effects): Promise<string> {
  const line = lineOf(shell, given);
  const cursor = findPlace(program, line.words);
  // Completion cannot show errors of the configuration, so offer no names.
  const { candidates, files } = await findCandidates(cursor, lookupIn(cursor, effects)).catch(() => ({
    candidates: [],
    files: true,
  }));
  const fitting = candidates.filter(({ value }) => value.startsWith(cursor.word) && !/\p{Cc}/u.test(value));
  const lines = fitting.flatMap((candidate) => writeCandidate(shell, candidate, line) ?? []);
  return [files ? 'files' : 'names', ...lines].map((text) => `${text}\n`).join('');
}

/** The words after `sluice`. bash passes the whole line, fish the last word as typed. */
function lineOf(shell: Shell, given: readonly string[]): SplitLine {
  if (shell === 'bash') {
    const line = splitLine(given[0] ?? '', given[1]);
    return { ...line, words: line.words.slice(1) };
  }
  const last = given.at(-1) ?? '';
  return {
    words: [...given.slice(0, -1), shell === 'fish' ? splitLine(last).words.join(' ') : last],
    open: '',
    settled: 0,
  };
}

function writeCandidate(shell: Shell, { value, description }: Candidate, line: SplitLine): string | undefined {
  if (shell === 'bash') return toBashWord(value, line);
  return description === undefined ? value : `${value}\t${sanitize(description)}`;
}

/** Loaded on demand: settings and models take longer to read than most completions. */
function lookupIn(cursor: Cursor, effects: Effects): Lookup {
  const opened = async () => (await import('./completion-lookup.ts')).openLookup(cursor, effects);
  return { model: async () => (await opened()).model(), saved: async () => (await opened()).saved() };
}
