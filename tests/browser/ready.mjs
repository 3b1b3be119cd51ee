// Ends when the demo has played its last game.
import { demoBoard } from "./harness.mjs";

await demoBoard();
