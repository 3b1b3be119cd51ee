#!/usr/bin/env python3
"""A whole Drop7 policy in Python: prefers a column where the disc clears at once by its height, else the lowest one."""
import re
import sys

POSITION = re.compile(r"position (?:startpos|board ([0-9]{49})) next ([1-7]) rise ([1-5])")
position = None
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["d7p"]:
        print("id name Match by height (Python)\nid family example\nd7pok", flush=True)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["position"]:
        position = POSITION.fullmatch(" ".join(words))
        board = position and (position[1] or "0" * 42 + "8" * 7)
        if not position or any(board[i] != "0" and board[i + 7] == "0" for i in range(42)):
            position = None
            print("info error bad position", flush=True)
    elif words[:1] == ["go"] and position:
        disc = int(position[2])
        heights = [sum(board[7 * row + column] != "0" for row in range(7)) for column in range(7)]
        legal = [column for column in range(7) if heights[column] < 7]
        best = min(legal, key=lambda c: (heights[c] + 1 != disc, heights[c], abs(c - 3)), default=None)
        print("bestmove", "none" if best is None else best, flush=True)
    elif words[:1] == ["quit"]:
        break
