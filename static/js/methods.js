// How the built-in policies think, in plain words. What they have shown is drawn from their games, not written here.
import { el } from "./dom.js";

const p = (...text) => el("p", {}, ...text);
const steps = (...items) => el("ol", { class: "walk" }, ...items.map(([name, text]) => el("li", {}, el("b", {}, `${name}. `), text)));

const CHEAT = () => [
  el("h3", {}, "Why guessing the future in advance cheats"),
  p(
    "A search has to invent what it cannot see: the numbers under the gray discs and the discs to come. If it draws them once, before the search, and then looks for the best plan in that one invented future, it plans with knowledge nobody has: it drops a disc where the 4 \u201cwill\u201d appear. Every branch looks better than it is, the brave ones most, and the average over many invented futures does not repair it, because in each of them the plan was made by somebody who knew.",
  ),
  p("Chance has to be drawn when it happens, after the decision before it is made, and decisions after it may depend only on what can then be seen."),
];

const TREE = (visits) => [
  p("A tree search spends its effort where it pays. It keeps a tree of visible positions and walks it again and again, each walk in four parts:"),
  steps(
    ["Select", "from the root, follow in each known position the column that is good so far or has hardly been tried: its mean plus a bonus that shrinks with each visit."],
    ["Expand", "where the walk comes to a position the tree does not have yet, add it. Numbers under gray discs and the next disc are drawn only as the walk crosses them."],
    ["Play out", "from there play a few quick moves and value the board that comes of it, so that a new position starts with an honest guess."],
    ["Back up", "carry what was earned back along the walk: every column on it gets one visit more and a better mean."],
  ),
  p(visits),
  ...CHEAT(),
];

const EXACT = (moves, work) => [
  p(`Nothing is sampled: a move is worth the average over every number a gray disc may hide and every next disc, each with its probability, and the position after it is worth its best move, ${moves} deep. At the bottom the board is valued by its shape: height, gray discs, numbers near to clearing, chains that wait for a trigger.`),
  p(`Every gray disc that opens multiplies the work by seven. The search therefore deepens one move at a time and keeps the last depth it could finish within ${work} steps; on busy boards that is one move or none, and then one sample a column with a 4 under each gray disc has to do.`),
];

const FAIR = (moves) => [
  p(`Looks ${moves} own moves ahead over all columns. Instead of averaging over all chances it plays seven samples of each move, spread evenly: over the seven, each gray disc hides each number once and each next disc comes once. Evenly spread samples say much more than as many thrown at random.`),
  p("All columns of a position are tried on the same seven samples, so that luck cannot make one column look better than another. Samples are drawn where the move is made, never in advance: the search does not know more than a player at that place. Boards at the bottom are valued by eighteen terms."),
];

const METHODS = {
  greedy: () => EXACT("one move", "100,000"),
  "expectimax-d2": () => EXACT("up to two moves", "100,000"),
  "expectimax-d3": () => EXACT("up to three moves", "400,000"),
  "expectimax-d4": () => EXACT("up to four moves", "3,200,000"),
  "fair-d2-s7": () => FAIR("two"),
  "fair-d3-s7": () => FAIR("three"),
  "fair-d4-s7": () => FAIR("four"),
  mcts: () => TREE("Here it is 400 walks of at most 16 moves; the play-out is two greedy moves on drawn numbers. The column visited most is played."),
  "mcts-fair": () => TREE("Here it is 400 walks of at most 16 moves. The bonus for rarely tried columns is scaled to how far their means lie apart, and the play-out is up to four moves of the fair search at depth one: a better continuation instead of more walks. The column visited most is played."),
  puct: () => [
    p("The move of Fair D2 is the one to beat. A tree search of 256 walks looks for something better and has to be sure of it: its favourite needs nearly two thirds of all visits and a clear lead of the mean, otherwise the fair move is played. Selection is guided by fair values of the columns, so that hopeless ones are hardly visited."),
    ...TREE("Play-outs are up to four moves of the fair search at depth one."),
  ],
  "gray-throughput": () => [
    p("Values flow rather than a plan: discs cleared, gray discs cracked and revealed, against how high and how full the board becomes. Each column is played on four samples, and the best of seven answers to each counts as well, a little less than the move itself."),
    p("Level and move number, which no player is shown, choose its samples. That gives it no knowledge of the round, but it is more than the public state; hence the badge."),
  ],
  "rollout-h8": () => [
    p("Plays each column out to the end of a short future: eight times, eight moves each, with numbers and discs drawn as they come. After the first move it plays greedily as if every gray disc hid a 4. Points earned and the board at the end are added; the best mean decides."),
    p("It is the plainest honest method, and weak for the same reason: eight futures a column are few, and the greedy moves in them are not what it would really play."),
  ],
  "sparse-d2": () => [p("Looks two own moves ahead over all columns like an exact search, but averages each move over five evenly spread samples instead of every chance. It always completes its depth, in a small and fixed amount of work."), p("The samples are redrawn in every position, from the position itself: a second move is not chosen for a future that the first has seen.")],
  "risk-d2": () => [p("Tries each column in eight scenarios and lets a search of two more moves, with three samples a move, finish each. A column is then worth half the mean of its scenarios and half the mean of its worst two."), p("That buys safety with points: it passes over columns that are splendid six times and ruinous twice.")],
  "open-loop-beam": () => [p("Thinks in plans: three columns fixed in advance, tried on twelve scenarios of numbers and discs. The eight best plans of each length are continued, the first column of the best one is played, and at the next move everything is planned again."), p("A fixed plan cannot react to what appears, so it undervalues columns that keep choices open; in exchange no plan ever uses what it could not have known.")],
};

/** Nodes, or null where nothing is written about that policy. */
export const methodOf = (id) => METHODS[id]?.() ?? null;
