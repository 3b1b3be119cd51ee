#!/usr/bin/env bash
# Usage: embed.sh FOLDER [MORE-FOLDERS]. Prints assembly that holds every file below a folder, with what the build
# made for it in others: embed_FOLDER[] = {name, start, end}..., ended by a zero name. Files are in byte order of
# their names. Read through server/http/asset.h (pages) and store/migrate.c (migrations).
set -euo pipefail
export LC_ALL=C
folder=$1
i=0
rows=""
echo '    .section .rodata'
while IFS=$'\t' read -r name file; do
    i=$((i + 1))
    printf 'n%d: .asciz "%s"\ns%d: .incbin "%s"\ne%d: .byte 0\n' "$i" "$name" "$i" "$file" "$i"
    rows+=$(printf '    .quad n%d, s%d, e%d\n' "$i" "$i" "$i")$'\n'
done < <(find "$@" -type f ! -name '.*' -printf '%P\t%p\n' | sort)
printf '    .section .data.rel.ro,"aw"\n    .balign 8\n    .globl embed_%s\nembed_%s:\n%s    .quad 0, 0, 0\n' \
    "$folder" "$folder" "$rows"
echo '    .section .note.GNU-stack,"",@progbits'
