#!/usr/bin/env python3
"""A Drop7 policy: the column where the disc clears at once by its height, else the lowest one."""
import sys

for line in sys.stdin:
    words = line.split()
    if words[:1] == ["d7p"]:
        print("id name Match by height\nd7pok", flush=True)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["position"]:
        board = words[2] if words[1] == "board" else "0" * 42 + "8" * 7
        disc = int(words[words.index("next") + 1])
        height = [sum(board[7 * row + column] != "0" for row in range(7)) for column in range(7)]
    elif words[:1] == ["go"]:
        legal = [column for column in range(7) if board[column] == "0"]
        best = min(legal, key=lambda c: (height[c] + 1 != disc, height[c], abs(c - 3)), default="none")
        print("bestmove", best, flush=True)
    elif words[:1] == ["quit"]:
        break
