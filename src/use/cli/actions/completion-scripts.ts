export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

/**
 * What a shell reads to complete `sluice`. Each asks sluice itself, so that the script never grows old. The first line
 * of the reply says whether files fit too; nothing of the reply is expanded or run.
 */
export const completionScripts: Readonly<Record<Shell, string>> = {
  // The line goes over as it is: bash cuts words at colons and equals signs. Without compopt (bash 3.2) files always fit.
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
