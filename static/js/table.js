// A game being played by a person. Free: in the browser's engine. Ranked: the server holds the tape.
import { Problem } from "./api.js";

const OPENING = "0".repeat(42) + "8888888";

async function post(path, body) {
  const answer = await fetch(`/api/v1${path}`, { method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json" }, body: JSON.stringify(body) });
  const said = await answer.json().catch(() => null);
  if (!answer.ok || said === null) throw new Problem(answer.status, said);
  return said;
}

const legalOn = (board) => [0, 1, 2, 3, 4, 5, 6].filter((c) => board[c] === "0");

/** Both have: state (board, nextDisc, movesRemaining, score, moves, level, maxChain, done, over, legal), drop(column) -> frame. */
export class FreeTable {
  ranked = false;
  #engine;
  #columns = [];
  #least; // moves that are not ours to take back

  /** The engine has just begun a game; `columns` have been played by somebody else. */
  constructor(engine, columns = []) {
    this.#engine = engine;
    for (const column of columns) {
      if (!engine.play(column)) throw new RangeError("the moves of the replay are not legal on its round");
      this.#columns.push(column);
    }
    this.#least = columns.length;
    this.#read();
  }

  #read() {
    const s = this.#engine.state();
    this.state = { ...s, level: s.rises + 1, done: s.nextDisc === null };
  }

  async drop(column) {
    const frame = this.#engine.play(column);
    if (!frame) return null;
    this.#columns.push(column);
    this.#read();
    return frame;
  }

  get canUndo() {
    return this.#columns.length > this.#least;
  }

  /** Takes the last move back: the tape is the same, so the moves before it give the position. */
  undo() {
    if (!this.canUndo) return false;
    this.#columns.pop();
    this.#engine.begin();
    for (const column of this.#columns) this.#engine.play(column);
    this.#read();
    return true;
  }
}

export class RankedTable {
  ranked = true;
  canUndo = false;

  constructor(play) {
    this.id = play.id;
    this.round = play.round;
    this.status = play.status;
    this.gameId = play.gameId ?? null;
    this.#take({ ...play, moves: play.move, over: play.nextDisc === null }, 0);
  }

  #take(position, waves) {
    const moves = position.moves ?? position.move;
    this.state = {
      board: position.board ?? OPENING,
      nextDisc: position.nextDisc,
      movesRemaining: position.movesRemaining,
      score: position.score,
      moves,
      level: Math.floor(moves / 5) + (position.movesRemaining === 0 ? 0 : 1), // a row comes with every fifth drop; 0: it had no room
      maxChain: Math.max(this.state?.maxChain ?? 0, waves),
      done: position.nextDisc === null,
      over: position.nextDisc === null,
      legal: position.nextDisc === null ? [] : legalOn(position.board),
    };
    if (this.state.done && this.status === "open") this.status = "finished";
  }

  /** A lost answer is asked for again: the number of the move makes that harmless. */
  async drop(column) {
    if (!this.state.legal.includes(column)) return null;
    const move = { move: this.state.moves + 1, column };
    let frame;
    try {
      frame = await post(`/plays/${this.id}/moves`, move);
    } catch (problem) {
      if (problem instanceof Problem) throw problem;
      frame = await post(`/plays/${this.id}/moves`, move);
    }
    this.#take(frame, frame.chainDepth);
    return frame;
  }

  undo() {
    return false;
  }

  async submit(displayName) {
    const game = await post(`/plays/${this.id}/submit`, { displayName });
    this.status = "submitted";
    this.gameId = game.id;
    return game;
  }
}

export const beginRanked = async (round) => new RankedTable(await post("/plays", { round }));
