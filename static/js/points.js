// What the rules pay, where a page tells it beforehand; what a move brought is the engine's word.
export const RISE = 17000;
export const BONUS = 70000;

/** Of one disc in that wave. 49 d^5 is far below 2^53 and its root never near a whole number it does not reach: the floor is exact. */
export const pointsOf = (wave) => Math.floor(Math.sqrt(49 * wave ** 5));
