# bash completion for drop7 and drop7d: commands, then the options that the command's --help names.
_drop7_options() { # PROGRAM COMMAND
    "$1" ${2:+"$2"} --help 2>/dev/null | grep -oE '^  --[a-z-]+|^exit|\[--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u
}

_drop7() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=
    COMPREPLY=()
    case $before in
        --policy | --policies) words=$(drop7 policies 2>/dev/null | awk 'NR > 1 || $1 != "id" { print $1 }') ;;
        --data | --out | --static | --tls-* | --round-file | --validate | --token-file) return ;; # readline: files
        --listen | --endpoint | --server | --seed | --seeds | --columns | --board | --command) return ;;
        --user) words=$(compgen -u) ;;
        --sandbox) words='auto off' ;;
        --log-format) words='text json' ;;
        --registration) words='closed open' ;;
        token) words='create list revoke' ;;
        game) words='void' ;;
        *)
            if [ "$COMP_CWORD" -eq 1 ]; then
                words=$("$program" --help 2>/dev/null | awk '/^  [a-z]/ { print $1 }')
            elif [[ $word == -* ]]; then
                words=$(_drop7_options "$program" "${COMP_WORDS[1]}")
            fi
            ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _drop7 drop7 drop7d
