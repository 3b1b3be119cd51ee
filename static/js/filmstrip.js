// The filmstrip of one move: a small board for each wave with what cleared and what it brought.
import { el, number } from "./dom.js";
import { miniBoard } from "./board.js";
import { RISE } from "./points.js";

const MOST = 24; // waves drawn; longer chains name the rest

function tile(board, rings, head, points, text, wave = null) {
  return el("li", { class: "tile", "data-wave": wave }, miniBoard(board, rings, `${head}: ${text}`), el("b", {}, head), el("span", { class: "soft" }, text), points ? el("span", { class: "gain" }, `+${number(points)}`) : null);
}

/** Tiles of a frame's steps; `before` is the board before the move. */
export function tilesOf(frame, before) {
  const tiles = [];
  let last = before;
  let told = 0;
  let waves = 0;
  for (const step of frame.steps ?? []) {
    if (step.kind === "burst") {
      const sum = step.points.reduce((a, b) => a + b, 0);
      told += sum;
      if (++waves <= MOST) tiles.push(tile(last, step.cells, `Wave ${step.wave}`, sum, `${step.cells.length} \u00d7 ${number(step.points[0])}`, step.wave));
    } else if (step.kind === "rise") {
      told += RISE;
      tiles.push(tile(step.board, step.cells, "Rise", RISE, "a new gray row"));
    }
    last = step.board;
  }
  if (waves > MOST) tiles.push(el("li", { class: "tile soft" }, `and ${waves - MOST} waves more`));
  const bonus = frame.scoreDelta - told;
  if (bonus > 0) tiles.push(tile(last, [], "Cleared", bonus, "the board is empty"));
  if (!tiles.length) tiles.push(tile(last, (frame.steps ?? []).filter((s) => s.kind === "drop").flatMap((s) => s.cells), "Drop", 0, "nothing clears"));
  return tiles;
}
