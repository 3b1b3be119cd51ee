#!/usr/bin/env node
// A whole Drop7 policy in JavaScript: keeps the board's outline symmetrical. It drops where the mirror column is
// highest above this one; of equals into the lowest column, then the leftmost.
'use strict';
const readline = require('node:readline');

const say = (text) => process.stdout.write(text + '\n');
let board = null;

function choose() {
  const height = [0, 1, 2, 3, 4, 5, 6].map((c) => [0, 1, 2, 3, 4, 5, 6].filter((r) => board[7 * r + c] !== '0').length);
  const legal = [0, 1, 2, 3, 4, 5, 6].filter((c) => height[c] < 7);
  const lag = (c) => height[6 - c] - height[c];
  legal.sort((a, b) => lag(b) - lag(a) || height[a] - height[b] || a - b);
  return legal.length ? legal[0] : 'none';
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const words = line.trim().split(/[ \t]+/);
  if (words[0] === 'd7p') {
    say('id name Mirror (JavaScript)\nid family example\nd7pok');
  } else if (words[0] === 'isready') {
    say('readyok');
  } else if (words[0] === 'position') {
    const match = /^position (?:startpos|board ([0-9]{49})) next [1-7] rise [1-5]$/.exec(words.join(' '));
    board = match && (match[1] || '0'.repeat(42) + '8'.repeat(7));
    const floats = board && [...board.slice(7)].some((cell, i) => cell === '0' && board[i] !== '0');
    if (!board || floats) {
      board = null;
      say('info error bad position');
    }
  } else if (words[0] === 'go' && board) {
    say('bestmove ' + choose());
  } else if (words[0] === 'quit') {
    process.exit(0);
  }
});
