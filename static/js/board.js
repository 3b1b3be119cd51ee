// Draws a board of 49 digits as SVG: ten units a cell, one row above it for the disc about to be dropped.
import { svg } from "./dom.js";

const CELL = 10;
const TOP = 10; // height of the drop row

const centre = (index) => [(index % 7) * CELL + 5, TOP + Math.floor(index / 7) * CELL + 5];

function disc(code, x, y) {
  const group = svg("g", { class: `disc d${code}`, transform: `translate(${x} ${y})` }, svg("circle", { r: 4.4 }), svg("ellipse", { class: "shine", cx: -1.2, cy: -1.8, rx: 2, ry: 1.1 }));
  if (code === "9") group.append(svg("path", { class: "crack", d: "M-3.4 -1.4 L-1.2 -0.4 L-1.8 1.1 L0.4 0.6 L1 3.2 M-0.6 -4 L0.4 -1.6 L2.4 -1.2 L3.8 0.6" }));
  if (code >= "1" && code <= "7") group.append(svg("text", { y: 0.3 }, code));
  return group;
}

export class BoardView {
  constructor(root) {
    this.root = root;
    this.mark = svg("rect", { class: "column-mark", y: 0, width: CELL, height: TOP + 70, rx: 2 });
    this.discs = svg("g");
    this.over = svg("g");
    const cells = svg("g");
    for (let i = 0; i < 49; i++) {
      cells.append(svg("rect", { class: "cell", x: (i % 7) * CELL + 0.4, y: TOP + Math.floor(i / 7) * CELL + 0.4, width: 9.2, height: 9.2, rx: 1.6 }));
    }
    root.replaceChildren(cells, this.mark, this.discs, this.over);
  }

  /** The board, the disc held over a column (null: none), and the column to mark (null: none). */
  show(board, held = null, column = null) {
    this.mark.setAttribute("visibility", column === null ? "hidden" : "visible");
    if (column !== null) this.mark.setAttribute("x", column * CELL);
    this.discs.replaceChildren();
    this.over.replaceChildren();
    for (let i = 0; i < 49; i++) {
      if (board[i] !== "0") this.discs.append(disc(board[i], ...centre(i)));
    }
    if (held !== null) this.discs.append(disc(String(held), (column ?? 3) * CELL + 5, 5));
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
}
