// The engine of the pages, in the browser, against the vectors of the rules and of the greedy policy.
import { readFileSync } from "node:fs";
import { test, run, equal, claim, server } from "./harness.mjs";

const lines = (name) => readFileSync(`${process.env.VECTORS}/${name}`, "utf8").trim().split("\n").map(JSON.parse);
const open = async (page) => {
  const answer = await page.goto(`${server}/leaderboard`); // any page of ours: its policy must let the engine in
  claim(answer.headers()["content-security-policy"].includes("'wasm-unsafe-eval'"), "pages may compile WebAssembly");
};

test("every_game_of_the_vectors_ends_the_same_in_the_browser", async (page) => {
  await open(page);
  const games = lines("games.jsonl");
  const played = await page.evaluate(async (all) => {
    const { loadEngine } = await import("/static/js/engine.js");
    const engine = await loadEngine();
    const hex = (bytes) => [...new Uint8Array(bytes)].map((b) => b.toString(16).padStart(2, "0")).join("");
    const results = [];
    for (const game of all) {
      engine.generate(Number(game.seed), game.maximumMoves ?? 2000);
      const frames = [...game.columns].map((digit) => engine.play(Number(digit)));
      const record = frames.map((f) => `${f.column}:${f.scoreDelta}:${f.board}`).join("|");
      const s = engine.state();
      results.push({
        score: s.score, moves: s.moves, censored: s.censored, maxChain: s.maxChain, discsCleared: s.discsCleared, coveredRevealed: s.coveredRevealed,
        checksum: hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(record))).slice(0, 16),
        done: s.nextDisc === null && engine.play(3) === null,
      });
    }
    return results;
  }, games);
  claim(games.length > 100, "the vectors are there");
  games.forEach((game, i) => {
    for (const key of ["score", "moves", "censored", "maxChain", "discsCleared", "coveredRevealed", "checksum"]) {
      equal(played[i][key], game[key], `${key} of game ${i + 1} (${game.round}, ${game.player})`);
    }
    claim(played[i].done, `game ${i + 1} is over for the engine too`);
  });
});

test("greedy_decides_in_the_browser_as_on_the_server", async (page) => {
  await open(page);
  const asked = lines("decisions.jsonl").filter((d) => d.policy === "greedy");
  const answers = await page.evaluate(async (all) => {
    const engine = await (await import("/static/js/engine.js")).loadEngine();
    return all.map((d) => engine.greedy({ board: d.board, nextDisc: d.next, movesRemaining: d.rise }));
  }, asked);
  claim(asked.length > 50, "the vectors are there");
  asked.forEach((d, i) => {
    equal(answers[i].column, d.column, `column on ${d.board}`);
    for (const [column, value] of d.values) equal(answers[i].values[column], value, `value of column ${column} on ${d.board}`);
  });
});

test("a_preview_stops_where_hidden_numbers_decide", async (page) => {
  await open(page);
  const result = await page.evaluate(async () => {
    const engine = await (await import("/static/js/engine.js")).loadEngine();
    // a 2 beside a 2 on cracked gray: the first wave is certain, what the gray reveals is not
    const board = "0".repeat(42) + "9900000";
    const at = { board: board.slice(0, 35) + "2" + board.slice(36), nextDisc: 2, movesRemaining: 5 };
    const full = "1000000".repeat(7).replaceAll("1", "8");
    return { steps: engine.preview(at, 1), full: engine.preview({ board: full, nextDisc: 1, movesRemaining: 5 }, 0), floating: engine.preview({ board: "3" + "0".repeat(48), nextDisc: 1, movesRemaining: 5 }, 1) };
  });
  equal(result.steps.map((s) => s.kind).join(), "drop,burst", "steps");
  equal(result.steps[0].cells.join(), "36", "where the disc lands");
  equal(result.steps[1].cells.join(), "35,36", "what clears");
  equal(result.full, null, "a full column");
  equal(result.floating, null, "no board");
});

test("a_round_of_the_api_and_its_seed_are_one_tape", async (page) => {
  await open(page);
  const [ours, theirs, refused] = await page.evaluate(async () => {
    const engine = await (await import("/static/js/engine.js")).loadEngine();
    const round = await (await fetch("/api/v1/rounds/gauntlet-02")).json();
    const play = () => [3, 3, 2, 4, 5, 1, 0].map((c) => engine.play(c).board);
    engine.load(round);
    const a = play();
    engine.generate(Number(round.generatorSeedHex), round.maximumMoves);
    const b = play();
    let refusal = "";
    try {
      engine.load({ ...round, discs: round.discs.map((d, i) => (i === 9 ? 8 : d)) });
    } catch (error) {
      refusal = error.name;
    }
    return [a.join(), b.join(), refusal];
  });
  equal(ours, theirs, "boards");
  equal(refused, "RangeError", "a disc 8 on the tape");
});

await run();
