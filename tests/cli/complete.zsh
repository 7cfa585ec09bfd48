# SPDX-License-Identifier: MIT
# zsh -f complete.zsh DUMP LINE: completions of zsh for LINE, one per line. compinit caches in DUMP.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; stty -echo; fpath=($PWD/completions \$fpath); autoload -Uz compinit; compinit -u -d ${(q)1}"
zpty -w shell 'compadd() {
	local -a hits
	[[ ${(M)@:#-[a-zA-Z]#[OAD]*} ]] && { builtin compadd "$@"; return }
	builtin compadd -A hits "$@"
	print -rl -- $hits
	builtin compadd "$@"
}
show() { zle -I; print BEGIN; _main_complete; print END; exit }
zle -C show complete-word show; bindkey "^I" show; print READ""Y'
zpty -r shell out '*READY*'
zpty -w -n shell "$2"$'\t'
zpty -r shell out '*END*'
print -r -- ${${${out#*BEGIN}%END*}//$'\r'} | grep .
