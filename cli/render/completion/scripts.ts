/** What shells run at Tab: each asks `belay __complete` with the words typed so far, so that no script is ever older than the commands. */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Gates have a colon and a hash in their ids, and bash breaks words at colons: what it has before the last one is cut off again. */
const BASH = `# bash completion of belay: source <(belay completion bash)
_belay() {
  local line="\${COMP_LINE:0:COMP_POINT}" words word
  read -r -a words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  word="\${words[\${#words[@]}-1]}"
  local IFS=$'\\n'
  COMPREPLY=($("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null))
  if [[ "$word" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
    local before="\${word%"\${word##*:}"}" at
    for at in "\${!COMPREPLY[@]}"; do COMPREPLY[at]="\${COMPREPLY[at]#"$before"}"; done
  elif [[ "$word" == *=* && "$COMP_WORDBREAKS" == *=* ]]; then
    local before="\${word%"\${word##*=}"}" at
    for at in "\${!COMPREPLY[@]}"; do COMPREPLY[at]="\${COMPREPLY[at]#"$before"}"; done
  fi
}
complete -o default -F _belay belay`;

const ZSH = `#compdef belay
# zsh completion of belay: source <(belay completion zsh)
_belay() {
  local -a found
  found=("\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found:#}")
  if (( \${#found} )); then compadd -a found; else _files; fi
}
# In a folder of fpath this file is itself the function that the first Tab calls.
if [[ "\${funcstack[1]}" == _belay ]]; then _belay "$@"; else compdef _belay belay; fi`;

const FISH = `# fish completion of belay: belay completion fish | source
function __belay_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found ($words[1] __complete -- $words[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path $words[-1]
  end
end
complete -c belay -f -a '(__belay_complete)'`;

const SCRIPTS: Record<(typeof SHELLS)[number], string> = { bash: BASH, zsh: ZSH, fish: FISH };

export const completionScript = (shell: (typeof SHELLS)[number]): string => SCRIPTS[shell];
