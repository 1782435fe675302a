// What a shell is told. Each script asks `cadre complete` for every word: names of agents and tasks change.

/** Printed alone where the word is a path: the shell knows those better. */
export const FILES = ":files";

const BASH = `# cadre completion for bash. In ~/.bashrc: source <(cadre completion bash)
_cadre_complete() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == "${FILES}" ]]; then
      compopt -o default 2>/dev/null
      COMPREPLY=()
      return
    fi
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _cadre_complete cadre
`;

const ZSH = `#compdef cadre
# cadre completion for zsh. In ~/.zshrc, after compinit: source <(cadre completion zsh)
_cadre_complete() {
  local line value
  local -a values shown
  while IFS= read -r line; do
    if [[ $line == "${FILES}" ]]; then
      _files
      return
    fi
    value="\${line%%$'\\t'*}"
    values+=("$value")
    shown+=("\${value}  \${line#*$'\\t'}")
  done < <("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#values} )) && compadd -l -d shown -- "\${values[@]}"
}
compdef _cadre_complete cadre
`;

const FISH = `# cadre completion for fish. In ~/.config/fish/config.fish: cadre completion fish | source
function __cadre_complete
  set -l words (commandline -opc)
  set -l found (cadre complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
  if test "$found" = "${FILES}"
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $found
  end
end
complete -c cadre -f -a '(__cadre_complete)'
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
