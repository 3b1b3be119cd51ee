#!/usr/bin/env python3
"""A whole Drop7 policy in Python: prefers a column where the disc clears at once by its height, else the lowest one."""
import sys

board, disc = "", 0
for line in sys.stdin:
    words = line.split()
    if not words:
        continue
    if words[0] == "d7p":
        print("id name Match by height (Python)\nid family example\nd7pok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        board = "0" * 42 + "8" * 7 if words[1] == "startpos" else words[2]
        disc = int(words[words.index("next") + 1])
    elif words[0] == "go":
        heights = [sum(board[7 * row + column] != "0" for row in range(7)) for column in range(7)]
        legal = [column for column in range(7) if heights[column] < 7]
        best = min(legal, key=lambda c: (heights[c] + 1 != disc, heights[c], abs(c - 3)), default=None)
        print("bestmove", "none" if best is None else best, flush=True)
    elif words[0] == "quit":
        break
