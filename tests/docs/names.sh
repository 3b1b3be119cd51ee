#!/usr/bin/env bash
# Holds what the documents name against what there is: targets of make, commands and options of the programs, files,
# tests, metrics; and that each block of commands is run by a test or says what tries it. Prints every finding.
# BIN: folder of the programs.
set -uo pipefail
cd "$(dirname "$0")/../.."
bin=${BIN:-build} bad=0
say() { echo "docs: $*"; bad=1; }
docs=(README.md docs/*.md)

spans() { # every `code` outside of blocks, one a line: FILE<tab>CODE
    awk 'FNR == 1 { inside = 0 } /^```/ { inside = !inside; next } inside { next }
        { n = split($0, part, "`"); for (i = 2; i <= n; i += 2) print FILENAME "\t" part[i] }' "${docs[@]}"
}
blocks() { # every line of the sh blocks: FILE<tab>LINE
    awk 'FNR == 1 { inside = 0 } /^```/ { inside = !inside; sh = /^```sh/; next } inside && sh { print FILENAME "\t" $0 }' "${docs[@]}"
}

# --- make ---------------------------------------------------------------------------------------------------
targets=$(make -s help | awk '{ print $1 }')
while IFS=$'\t' read -r file word; do
    case $word in *=* | -* | build/* | '' | [A-Z]*) continue ;; esac
    grep -qxF -- "$word" <<<"$targets" || say "$file: make $word: no such target"
done < <({ spans; blocks; } | grep -oP '^[^\t]+\t(sudo )?make [^#;&|]*' | awk -F'\t' '{ n = split($2, w, " "); for (i = 1; i <= n; i++)
    if (w[i] != "make" && w[i] != "sudo") print $1 "\t" w[i] }')

# --- drop7 and drop7d ---------------------------------------------------------------------------------------
declare -A help
help[drop7d]=$("$bin/drop7d" --help 2>&1)
for command in $("$bin/drop7" --help 2>&1 | awk '/^  [a-z]/ { print $1 }'); do
    help[drop7 $command]=$("$bin/drop7" "$command" --help 2>&1)
done
while IFS=$'\t' read -r file line; do
    read -ra word <<<"$line"
    program=${word[0]##*/} command=${word[1]:-}
    case $program,$command in
        *,-* | *,) command= ;;
        drop7d,*) grep -qE "^  $command\b" <<<"${help[drop7d]}" || say "$file: $line: no such command" ;;
        *) [ -n "${help[drop7 $command]:-}" ] || say "$file: $line: no such command" ;;
    esac
    known=${help[drop7d]}
    [ "$program" = drop7d ] || known=${help[drop7 $command]:-}
    for option in $(grep -oE -- '(^|[ [])--[a-z-]+' <<<"$line" | tr -d ' ['); do
        [ "$option" = --help ] || grep -qE -- "$option\b" <<<"$known" || say "$file: $line: no option $option"
    done
done < <({ spans; blocks; } | sed -E 's/(-u|--name) drop7 //' | grep -oP '^[^\t]+\t.*?(?<![\w/.-])(build/)?drop7d? (?!-t\b)[a-z-][^#|;&]*' |
    sed -E 's/\t.*(^|[^a-z0-9\/.-])((build\/)?drop7d? [a-z-])/\t\2/')
# options alone, as prose names them, are those of serve or of some command of drop7
others=' --help --compressed --retry --security-opt ' # curl's, Docker's
for option in $(spans | awk -F'\t' '$2 ~ /^--/ { print $2 }' | grep -oE '^--[a-z-]+' | sort -u); do
    [[ $others == *" $option "* ]] || grep -qE -- "$option\b" <<<"${help[*]}" || say "no program has an option $option"
done

# --- files and tests ----------------------------------------------------------------------------------------
while IFS=$'\t' read -r file name; do
    case $name in *NAME* | *NNNN* | */vN.*) continue ;; esac
    compgen -G "$name*" >/dev/null || compgen -G "tests/$name*" >/dev/null || say "$file: $name is not there"
done < <(spans | grep -P '\t(engine|store|server|static|migrations|tests|docs|docker|unit|http|sandbox)/[A-Za-z0-9_./-]*$')
while IFS=$'\t' read -r file name; do
    find tests -name "$name.c" | grep -q . || say "$file: there is no $name"
done < <(spans | grep -P '\ttest_[a-z_0-9]+$')
for name in $(grep -ohE '\]\([^)#:]+\)' "${docs[@]}" | tr -d '])(' | sort -u); do
    [ -e "$name" ] || [ -e "docs/$name" ] || say "a link to $name leads nowhere"
done

# --- metrics ------------------------------------------------------------------------------------------------
for name in $({ spans; blocks; } | grep -oE 'drop7_[a-z_]+[a-z]' | sed -E 's/_bucket$//' | sort -u); do
    grep -rqE "\"${name#drop7_}|$name" --include='*.c' --include='*.h' server/api server/http || say "no metric is called $name"
done

# --- blocks that no test runs -------------------------------------------------------------------------------
while IFS=: read -r file line rest; do
    by=${rest#*tried-by=}
    case $rest in
        '```sh') ;;
        '```sh tried-by='*) [ -f "$by" ] || say "$file:$line: $by is not there" ;;
        *) say "$file:$line: $rest: a block of commands is opened by sh, or by sh tried-by=FILE" ;;
    esac
done < <(grep -nE '^```[a-z]' "${docs[@]}")

[ $bad -eq 0 ] && echo "docs: all there (${#docs[@]} documents)"
exit $bad
