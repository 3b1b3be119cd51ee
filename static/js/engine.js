// The server's own rules, compiled to WebAssembly (engine/wasm/exports.h has the layouts read here).
const PAGES = 128; // 8 MiB: what the module is linked for
const KINDS = ["drop", "burst", "impact", "settle", "rise"];
const PICTURE = 88;
const MOVES_MAX = 10000;
const ROWS_MAX = MOVES_MAX / 5 + 20;

const utf8 = new TextDecoder();

/** The cell indexes of a 49-bit mask. */
function indexes(low, high) {
  const found = [];
  for (let i = 0; i < 32; i++) if ((low >>> i) & 1) found.push(i);
  for (let i = 0; i < 17; i++) if ((high >>> i) & 1) found.push(32 + i);
  return found;
}

export class Engine {
  #c;
  #bytes;
  #view;

  constructor(exports, memory) {
    this.#c = exports;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#view = new DataView(memory.buffer);
  }

  /** A tape of the generator; the game begins. */
  generate(seed, moves) {
    if (!this.#c.generate(seed, moves)) throw new RangeError(`a round has 1 to ${MOVES_MAX} moves`);
    return this.begin();
  }

  /** The round of that seed, but it goes on where others end; the game begins. */
  endless(seed) {
    this.#c.endless(seed);
    return this.begin();
  }

  /** The tape of a round in its own format; the game begins. */
  load(round) {
    const { discs, latentRows, maximumMoves } = round;
    if (discs.length < maximumMoves || maximumMoves > MOVES_MAX || latentRows.length > ROWS_MAX) throw new RangeError("not a round");
    this.#bytes.set(discs.slice(0, maximumMoves), this.#c.discs());
    latentRows.forEach((row, i) => this.#bytes.set(row.slice(0, 7), this.#c.rows() + 7 * i));
    if (!this.#c.tape(maximumMoves, latentRows.length)) throw new RangeError("not a round");
    return this.begin();
  }

  begin() {
    if (!this.#c.begin()) throw new Error("no round is loaded");
    return this.state();
  }

  /** Plays a column 0-6; null where that is not legal, else the frame as the API gives it, with steps. */
  play(column) {
    const disc = this.state().nextDisc;
    const count = this.#c.play(column);
    if (count < 0) return null;
    const s = this.state();
    return { move: s.moves, disc, column, scoreDelta: s.points, score: s.score, board: s.board, nextDisc: s.nextDisc, movesRemaining: s.movesRemaining, chainDepth: s.waves, cleared: s.cleared, revealed: s.revealed, levelAdvanced: s.rose, steps: this.#steps(count) };
  }

  /** The game as it stands, with what its last turn did. */
  state() {
    const at = this.#c.report();
    const u32 = (offset) => this.#view.getUint32(at + offset, true);
    const f64 = (offset) => this.#view.getFloat64(at + offset, true);
    return {
      board: this.#text(this.#c.text()),
      score: f64(0),
      points: f64(8),
      waves: u32(16),
      cleared: u32(20),
      revealed: u32(24),
      rose: u32(28) === 1,
      moves: u32(32),
      rises: u32(36),
      movesRemaining: u32(40),
      nextDisc: u32(44) || null,
      over: u32(48) === 1,
      censored: u32(52) === 1,
      maxChain: u32(56),
      discsCleared: u32(60),
      coveredRevealed: u32(64),
      legal: [0, 1, 2, 3, 4, 5, 6].filter((c) => (u32(68) >>> c) & 1),
    };
  }

  /** The steps of a drop that are certain, as no hidden number decides them; null where the column is full. */
  preview({ board, nextDisc, movesRemaining }, column) {
    this.#write(board);
    const count = this.#c.preview(nextDisc, movesRemaining, column);
    return count < 0 ? null : this.#steps(count);
  }

  /** What the greedy policy plays there: {column, values[7]} with NaN for full columns; null where nothing is legal. */
  greedy({ board, nextDisc, movesRemaining }) {
    this.#write(board);
    const column = this.#c.greedy(nextDisc, movesRemaining);
    if (column < 0) return null;
    return { column, values: [0, 1, 2, 3, 4, 5, 6].map((c) => this.#view.getFloat64(this.#c.values() + 8 * c, true)) };
  }

  #text(at) {
    return utf8.decode(this.#bytes.subarray(at, at + 49));
  }

  #write(board) {
    const at = this.#c.text();
    for (let i = 0; i < 49; i++) this.#bytes[at + i] = board.charCodeAt(i);
  }

  #steps(count) {
    return Array.from({ length: count }, (_, i) => {
      const at = this.#c.pictures() + PICTURE * i;
      const u32 = (offset) => this.#view.getUint32(at + offset, true);
      const mask = (offset) => indexes(u32(offset), u32(offset + 4));
      const step = { kind: KINDS[u32(24)], wave: u32(28) || null, cells: mask(0), board: this.#text(at + 36) };
      if (step.kind === "burst") step.points = step.cells.map(() => u32(32));
      if (step.kind === "impact") Object.assign(step, { cracked: mask(8), revealed: mask(16) });
      return step;
    });
  }
}

/** A new engine: one game each. */
export async function loadEngine() {
  const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
  const { instance } = await WebAssembly.instantiateStreaming(fetch(new URL("../engine.wasm", import.meta.url)), { env: { memory } });
  return new Engine(instance.exports, memory);
}
