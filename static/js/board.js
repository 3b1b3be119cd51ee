// Draws a board of 49 digits as SVG: ten units a cell, one row above it for the disc about to be dropped.
import { svg } from "./dom.js";

const CELL = 10;
const TOP = 10; // height of the drop row

const CRACK = "M-3.7 -1.9 L-1.5 -0.7 L-1.9 0.9 L0.3 0.5 L1.1 4.2 M-1.5 -0.7 L-0.6 -4.1 M0.3 0.5 L1.9 -1.3 L4.1 -1.2 M-1.9 0.9 L-3.4 2.5";
const LIGHT = [[0, "#fff", 0.62], [0.34, "#fff", 0.16], [0.62, "#000", 0], [1, "#000", 0.34]]; // of a ball lit from above on the left

const centre = (index) => [(index % 7) * CELL + 5, TOP + Math.floor(index / 7) * CELL + 5];

/** The light on discs, once for all drawings of a page: they refer to it by name. */
function lightUp() {
  if (document.getElementById("disc-light")) return;
  const stops = LIGHT.map(([offset, colour, opacity]) => svg("stop", { offset, "stop-color": colour, "stop-opacity": opacity }));
  const light = svg("radialGradient", { id: "disc-light", cx: 0.34, cy: 0.26, r: 0.8 }, ...stops);
  document.body.append(svg("svg", { class: "hidden", width: 0, height: 0, "aria-hidden": "true" }, svg("defs", {}, light)));
}

/** A disc by its code: 1 to 7, 8 solid gray, 9 cracked. */
function disc(code, x, y) {
  const group = svg("g", { class: `disc d${code}`, transform: `translate(${x} ${y})` }, svg("circle", { class: "body", r: 4.5 }), svg("circle", { class: "light", r: 4.5, fill: "url(#disc-light)" }));
  if (code === "8" || code === "9") group.append(svg("circle", { class: "rim", r: 3.3 }));
  if (code === "9") group.append(svg("path", { class: "crack lit", d: CRACK, transform: "translate(0.3 0.35)" }), svg("path", { class: "crack", d: CRACK }));
  if (code >= "1" && code <= "7") group.append(svg("text", { y: 0.3 }, code));
  return group;
}

const ring = (index) => svg("circle", { class: "ring", r: 4.7, cx: centre(index)[0], cy: centre(index)[1] });

function cells() {
  const group = svg("g");
  for (let i = 0; i < 49; i++) {
    group.append(svg("rect", { class: "cell", x: (i % 7) * CELL + 0.4, y: TOP + Math.floor(i / 7) * CELL + 0.4, width: 9.2, height: 9.2, rx: 1.6 }));
  }
  return group;
}

/** A small picture of a board with some cells ringed; `label` is what it is called. */
export function miniBoard(board, rings, label) {
  const root = svg("svg", { class: "mini", viewBox: `0 ${TOP} 70 70`, role: "img", "aria-label": label }, svg("rect", { class: "cell", y: TOP, width: 70, height: 70, rx: 4 }));
  for (let i = 0; i < 49; i++) {
    if (board[i] === "0") continue;
    const [x, y] = centre(i);
    const number = board[i] <= "7" ? svg("text", { y: 0.3 }, board[i]) : null;
    root.append(svg("g", { class: `disc d${board[i]}`, transform: `translate(${x} ${y})` }, svg("circle", { class: "body", r: 4.5 }), number, board[i] === "9" ? svg("path", { class: "crack", d: CRACK }) : null));
  }
  root.append(...rings.map(ring));
  return root;
}

export class BoardView {
  constructor(root) {
    lightUp();
    this.root = root;
    this.mark = svg("rect", { class: "column-mark", y: 0, width: CELL, height: TOP + 70, rx: 2, visibility: "hidden" });
    this.advice = svg("rect", { class: "column-hint", x: 0.6, y: 0.6, width: CELL - 1.2, height: TOP + 68.8, rx: 2, visibility: "hidden" });
    this.discs = svg("g");
    this.held = svg("g");
    this.over = svg("g");
    this.codes = Array(49).fill("0"); // what is drawn, and with which element: only changes are drawn anew
    this.nodes = Array(49).fill(null);
    root.replaceChildren(cells(), this.mark, this.advice, this.discs, this.held, this.over);
  }

  /** The board, the disc held over a column (null: none), and the column to mark (null: none). */
  show(board, held = null, column = null) {
    this.#column(this.mark, column);
    this.over.replaceChildren();
    for (let i = 0; i < 49; i++) {
      if (board[i] === this.codes[i]) continue;
      this.nodes[i]?.remove();
      this.codes[i] = board[i];
      this.nodes[i] = board[i] === "0" ? null : disc(board[i], ...centre(i));
      if (this.nodes[i]) this.discs.append(this.nodes[i]);
    }
    this.held.replaceChildren(...(held === null ? [] : [disc(String(held), (column ?? 3) * CELL + 5, 5)]));
  }

  /** One step of the filmstrip; bursts leave points where the discs were. */
  showStep(step, before) {
    this.show(step.board);
    if (step.kind !== "burst") return;
    step.cells.forEach((index, k) => {
      const [x, y] = centre(index);
      const ghost = disc(before[index], x, y);
      const wrap = svg("g", { transform: `translate(${x} ${y})` });
      ghost.removeAttribute("transform");
      ghost.classList.add("gone");
      wrap.append(ghost);
      this.over.append(wrap, svg("text", { class: "points", x, y: y + 1.2 }, `+${step.points[k]}`));
    });
  }

  /** On top of show(): where the disc would land and what its first wave would clear (`steps` of a preview). */
  preview(steps, held) {
    const [x, y] = centre(steps[0].cells[0]);
    const landing = disc(String(held), x, y);
    landing.classList.add("ghost");
    const burst = steps.find((step) => step.kind === "burst" && step.wave === 1);
    this.over.replaceChildren(landing, ...(burst ? burst.cells.map(ring) : []));
  }

  /** Marks the column a policy would choose; null: none. */
  hint(column) {
    this.#column(this.advice, column, 0.6);
  }

  /** The column under a pointer, or null beside the board. */
  columnAt(event) {
    const box = this.root.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * 7);
    const inside = event.clientY >= box.top && event.clientY <= box.bottom;
    return inside && column >= 0 && column < 7 ? column : null;
  }

  #column(rect, column, inset = 0) {
    rect.setAttribute("visibility", column === null ? "hidden" : "visible");
    if (column !== null) rect.setAttribute("x", column * CELL + inset);
  }
}
