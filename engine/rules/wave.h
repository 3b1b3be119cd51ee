/*
 * wave.h - one wave of a cascade on a whole board in registers: what clears, what is hit, how it
 * settles. The turn and the searches are built from these.
 *
 * The idea. A board folds in the middle: lanes a = columns 0 6 1 5, b = columns 2 4 3 3. A pair of
 * lanes holds mirror columns, so the neighbours of a pair are the pairs beside it, and one chain of
 * seven steps from the edge to the centre and out again counts runs from the left (even lanes) and
 * from the right (odd lanes) at once. Column 3 is its own mirror and simply there twice.
 *
 *   runs    full is 15 in each occupied nibble. Going inwards, run = (run + 1 in each nibble) &
 * full is, by induction over the columns, the length of the occupied stretch that ends in this
 *           column: one more than before where occupied, 0 where not; at most 7, so nibbles never
 *           carry. Both directions count the cell itself: row run = from left + from right - 1.
 *           A settled column is packed: its only run is its height.
 *   matches two 3-bit numbers a, b are equal exactly if ((a ^ b) + 7) leaves bit 3 of the nibble
 *           clear: 0 + 7 = 7, and 1..7 + 7 = 8..14. Gray cells have bit 3 set themselves.
 *   hits    flags (bit 0 of a nibble) of the four neighbours are added: at most 4 in a nibble. A
 * flag shifted out of a column lands in nibble 7 or below 0, where no gray cell is. settle removing
 * nibble p of a word is (word below p) | (word >> 4 from p on). The lowest gone cell of each column
 * goes first, all columns at once; where none is left, "below" is the whole word and nothing
 * changes.
 *
 * Bounds  nibble 7 of every lane is 0 on entry and stays so; every function is a fixed number of
 * operations but wave_settle, which loops as often as the fullest column lost cells.
 * Threads none: plain values.
 */
#ifndef ENGINE_RULES_WAVE_H
#define ENGINE_RULES_WAVE_H

#include "engine/rules/board.h"
#include "engine/rules/lanes.h"

#define WAVE_ONES   0x1111111u
#define WAVE_SEVENS 0x7777777u
#define WAVE_EIGHTS 0x8888888u

/* The columns in the lanes of a struct cells. */
#define CELLS_LANES_A ((lanes){0, 6, 1, 5})
#define CELLS_LANES_B ((lanes){2, 4, 3, 3})

/* A folded board, or folded flags: bit 0 of the nibble of each cell meant. */
struct cells {
    lanes a; /* columns 0 6 1 5 */
    lanes b; /* columns 2 4 3 3 */
};

/* Columns 0-3 and 4-7, as a struct board has them. */
struct flat {
    lanes lo;
    lanes hi;
};

/* wave_runs[mask of occupied cells of a row][column]: length of the run, 15 where empty. */
extern const uint32_t wave_runs[128][8];

/* Points of one disc in wave 1..WAVE_POINTS_DEPTH: 49 cells and a rise's 7, no turn has more than
 * 56 waves. */
#define WAVE_POINTS_DEPTH 60
extern const int32_t wave_points[WAVE_POINTS_DEPTH + 1];

/* A bug of the caller's: board_legal comes first. D7_CHECK needs more than the pages' build has. */
#define WAVE_CHECK(is_so) ((is_so) ? (void)0 : __builtin_trap())

LANES_FN struct flat flat_load(const struct board *b)
{
    return (struct flat){lanes_load(b->col), lanes_load(b->col + 4)};
}

/* Bit c set: the top cell of column c is occupied. */
LANES_FN unsigned flat_tops(struct flat f)
{
    return lanes_signs(lanes_above(f.lo, 0xffffff)) | lanes_signs(lanes_above(f.hi, 0xffffff)) << 4;
}

LANES_FN void flat_store(struct board *b, struct flat f)
{
    lanes_store(b->col, f.lo);
    lanes_store(b->col + 4, f.hi);
}

LANES_FN bool flat_any(struct flat f)
{
    return lanes_any(f.lo | f.hi);
}

LANES_FN struct cells cells_fold(struct flat f)
{
    /* each step takes its first two lanes from one side: one instruction, where SSE2 has nothing
     * more general */
    lanes middle = __builtin_shufflevector(f.hi, f.lo, 0, 0, 7, 7);
    lanes back = __builtin_shufflevector(f.hi, middle, 2, 1, 4, 6);
    return (struct cells){__builtin_shufflevector(f.lo, back, 0, 4, 1, 5),
                          __builtin_shufflevector(f.lo, back, 2, 6, 3, 7)};
}

LANES_FN struct flat cells_unfold(struct cells x)
{
    lanes outer = __builtin_shufflevector(x.b, x.a, 1, 1, 5, 7); /* 4 4 6 5 */
    lanes hi = __builtin_shufflevector(outer, outer, 0, 3, 2, 1);
    return (struct flat){__builtin_shufflevector(x.a, x.b, 0, 2, 4, 6),
                         hi & (lanes){~0u, ~0u, ~0u, 0}};
}

LANES_FN struct cells cells_load(const struct board *b)
{
    return cells_fold(flat_load(b));
}

LANES_FN void cells_store(struct board *b, struct cells x)
{
    flat_store(b, cells_unfold(x));
}

LANES_FN bool cells_any(struct cells x)
{
    return lanes_any(x.a | x.b);
}

/* How many cells are flagged, 0-49. */
LANES_FN uint32_t cells_count(struct cells flags)
{
    lanes sum = flags.a + (flags.b & (lanes){~0u, ~0u, ~0u, 0}); /* column 3 once */
    uint64_t half[2];
    __builtin_memcpy(half, &sum, sizeof(half));
    uint64_t q = half[0] + half[1]; /* at most 4 a nibble */
    q = (q & 0x0f0f0f0f0f0f0f0fu) + (q >> 4 & 0x0f0f0f0f0f0f0f0fu);
    return (uint32_t)(q * 0x0101010101010101u >> 56);
}

/* The flagged cells as bits 8*(row + 1) + column: ascending bits are ascending indexes 7*row +
 * column. */
LANES_FN uint64_t cells_rows(struct cells flags)
{
    uint32_t col[8];
    struct flat f = cells_unfold(flags);
    lanes_store(col, f.lo);
    lanes_store(col + 4, f.hi);
    /* a nibble a row: columns 0-3 of it in one word, 4-6 in the other; then, as a perfect shuffle
     * of nibbles, a byte a row */
    uint64_t low = col[0] | col[1] << 1 | col[2] << 2 | col[3] << 3;
    uint64_t high = col[4] | col[5] << 1 | col[6] << 2;
    uint64_t rows = low | high << 32;
    uint64_t t = (rows ^ rows >> 16) & 0x00000000ffff0000u;
    rows ^= t ^ t << 16;
    t = (rows ^ rows >> 8) & 0x0000ff000000ff00u;
    rows ^= t ^ t << 8;
    t = (rows ^ rows >> 4) & 0x00f000f000f000f0u;
    rows ^= t ^ t << 4;
    return __builtin_bswap64(rows);
}

/* The index 7*row + column of a bit of cells_rows. */
LANES_FN unsigned cells_index(unsigned bit)
{
    return bit - bit / 8 - 7; /* 8*(row + 1) + column less row + 1, less 7 */
}

/* Flags of the occupied nibbles. */
LANES_FN lanes wave_occupied(lanes x)
{
    lanes t = x | x >> 1;
    return (t | t >> 2) & WAVE_ONES;
}

/* The height of each column in each of its eight nibbles; occupied is packed towards bit 0. Halves
 * of 16 bits: both get the sum of the two, the product's top nibble adds up the four nibbles. */
LANES_FN lanes wave_heights(lanes occupied)
{
    typedef uint16_t halves __attribute__((vector_size(16)));
    halves sum = (halves)(occupied + (occupied << 16 | occupied >> 16));
    halves height = sum * 0x1111 >> 12;
    return (lanes)(height * 0x1111);
}

/* Bit 3 of a nibble clear where the low three bits of x and y are equal. */
LANES_FN lanes wave_differ(lanes x, lanes y)
{
    return ((x ^ y) & WAVE_SEVENS) + WAVE_SEVENS;
}

/* Row runs of a board, from the fifteens of its occupied nibbles; one too many where occupied. */
LANES_FN struct cells wave_row_runs(struct cells full)
{
    lanes f1 = __builtin_shufflevector(full.a, full.a, 2, 3, 2, 3);
    lanes f3 = __builtin_shufflevector(full.b, full.b, 2, 3, 2, 3);
    lanes f4 = __builtin_shufflevector(full.b, full.b, 1, 0, 1, 0);
    lanes f5 = __builtin_shufflevector(full.a, full.a, 3, 2, 3, 2);
    lanes f6 = __builtin_shufflevector(full.a, full.a, 1, 0, 1, 0);
    lanes r0 = full.a & WAVE_ONES;
    lanes r1 = (r0 + WAVE_ONES) & f1;
    lanes r2 = (r1 + WAVE_ONES) & full.b;
    lanes r3 = (r2 + WAVE_ONES) & f3;
    lanes r4 = (r3 + WAVE_ONES) & f4;
    lanes r5 = (r4 + WAVE_ONES) & f5;
    lanes r6 = (r5 + WAVE_ONES) & f6;
    /* (r6, r5) and (r4, r3) turned back to the lanes of a and b */
    lanes back_a = __builtin_shufflevector(r6, r5, 1, 0, 5, 4);
    lanes back_b = __builtin_shufflevector(r4, r3, 1, 0, 5, 4);
    return (struct cells){__builtin_shufflevector(r0, r1, 0, 1, 4, 5) + back_a,
                          __builtin_shufflevector(r2, r3, 0, 1, 4, 5) + back_b};
}

/* Fifteens where flagged. */
LANES_FN lanes wave_whole(lanes flags)
{
    return (flags << 4) - flags;
}

/* Fifteens in the occupied nibbles of a board. */
LANES_FN struct cells wave_full(struct cells x)
{
    return (struct cells){wave_whole(wave_occupied(x.a)), wave_whole(wave_occupied(x.b))};
}

/* The discs that clear: whose row run or column run is their number. full is wave_full(x). */
LANES_FN struct cells wave_matches_of(struct cells x, struct cells full)
{
    struct cells t = {full.a & WAVE_ONES, full.b & WAVE_ONES};
    struct cells runs = wave_row_runs(full);
    lanes miss_a = wave_differ(x.a, runs.a - t.a) & wave_differ(x.a, wave_heights(t.a));
    lanes miss_b = wave_differ(x.b, runs.b - t.b) & wave_differ(x.b, wave_heights(t.b));
    return (struct cells){~(miss_a | x.a) >> 3 & t.a, ~(miss_b | x.b) >> 3 & t.b};
}

LANES_FN struct cells wave_matches(struct cells x)
{
    return wave_matches_of(x, wave_full(x));
}

/* The discs whose number is the height of their column, in either layout. */
LANES_FN lanes wave_column_matches(lanes x)
{
    lanes t = wave_occupied(x);
    return ~(wave_differ(x, wave_heights(t)) | x) >> 3 & t;
}

/* What the clearing of `hit` does to the gray cells of x. */
LANES_FN void wave_hits(struct cells x, struct cells hit, struct cells *ret_cracked,
                        struct cells *ret_revealed)
{
    const lanes none = {0};
    lanes outer = __builtin_shufflevector(none, hit.a, 0, 1, 4, 5);
    lanes between = __builtin_shufflevector(hit.a, hit.b, 2, 3, 4, 5);
    lanes inner = __builtin_shufflevector(hit.b, hit.b, 2, 3, 1, 0);
    lanes n_a = (hit.a << 4) + (hit.a >> 4) + outer + between;
    lanes n_b = (hit.b << 4) + (hit.b >> 4) + between + inner;
    lanes gray_a = x.a >> 3 & WAVE_ONES;
    lanes gray_b = x.b >> 3 & WAVE_ONES;
    lanes twice_a = n_a >> 1 | n_a >> 2;
    lanes twice_b = n_b >> 1 | n_b >> 2;
    *ret_revealed =
        (struct cells){gray_a & (twice_a | (x.a & n_a)), gray_b & (twice_b | (x.b & n_b))};
    *ret_cracked = (struct cells){gray_a & n_a & ~(twice_a | x.a), gray_b & n_b & ~(twice_b | x.b)};
}

/* Removes the nibble of the lowest cell of `gone` from each lane. */
LANES_FN lanes wave_remove_lowest(lanes x, lanes gone)
{
    lanes below = (gone - 1) & ~gone;
    return (x & below) | (x >> 4 & ~below);
}

/* Takes the cells of `gone` out of a board and what lies on it in the same shape (may be NULL): its
 * hidden board, its wave_full. What is above them falls. */
LANES_FN void wave_settle_all(struct cells *x, struct cells *hidden, struct cells *full,
                              struct cells gone)
{
    do {
        x->a = wave_remove_lowest(x->a, gone.a);
        x->b = wave_remove_lowest(x->b, gone.b);
        if (hidden) {
            hidden->a = wave_remove_lowest(hidden->a, gone.a);
            hidden->b = wave_remove_lowest(hidden->b, gone.b);
        }
        if (full) {
            full->a = wave_remove_lowest(full->a, gone.a);
            full->b = wave_remove_lowest(full->b, gone.b);
        }
        gone.a = (gone.a & (gone.a - 1)) >> 4;
        gone.b = (gone.b & (gone.b - 1)) >> 4;
    } while (cells_any(gone));
}

LANES_FN void wave_settle(struct cells *x, struct cells *hidden, struct cells gone)
{
    wave_settle_all(x, hidden, NULL, gone);
}

/* Gives the revealed cells their numbers from the hidden board. */
LANES_FN void wave_uncover(struct cells *x, struct cells *hidden, struct cells revealed)
{
    lanes whole_a = wave_whole(revealed.a);
    lanes whole_b = wave_whole(revealed.b);
    x->a = (x->a & ~whole_a) | (hidden->a & whole_a);
    x->b = (x->b & ~whole_b) | (hidden->b & whole_b);
    hidden->a &= ~whole_a;
    hidden->b &= ~whole_b;
}

/* Puts a number into an empty cell, given as a bit of cells_rows. */
LANES_FN struct cells cells_put(struct cells x, unsigned bit, unsigned number)
{
    lanes value = lanes_all(number << (4 * (7 - bit / 8)));
    lanes at = lanes_all(bit % 8);
    x.a |= (lanes)(at == CELLS_LANES_A) & value;
    x.b |= (lanes)(at == CELLS_LANES_B) & value;
    return x;
}

/* Adds `word` to a column. */
LANES_FN struct flat flat_drop(struct flat f, unsigned column, uint32_t word)
{
    lanes at = lanes_all(column);
    f.lo |= (lanes)(at == (lanes){0, 1, 2, 3}) & word;
    f.hi |= (lanes)(at == (lanes){4, 5, 6, 7}) & word;
    return f;
}

/* The discs that clear after one came to lie at `height` (from 0) on `column` of a board without
 * matches: only that column and that row have changed, so nothing else can match. */
LANES_FN struct flat wave_drop_matches(struct flat f, unsigned column, unsigned height)
{
    lanes lo = f.lo >> (4 * height) & 15;
    lanes hi = f.hi >> (4 * height) & 15;
    unsigned row = lanes_signs(lanes_above(lo, 0)) | lanes_signs(lanes_above(hi, 0)) << 4;
    lanes same_lo = (lanes)(lo == lanes_load(wave_runs[row]));
    lanes same_hi = (lanes)(hi == lanes_load(wave_runs[row] + 4));
    lanes at = lanes_all(column);
    lanes here = lanes_all(1u << (4 * height));
    lanes number = lanes_all((height + 1) * WAVE_ONES);
    lanes down_lo = ~(wave_differ(f.lo, number) | f.lo) >> 3 & WAVE_ONES;
    lanes down_hi = ~(wave_differ(f.hi, number) | f.hi) >> 3 & WAVE_ONES;
    return (struct flat){
        (same_lo & here) | (down_lo & (lanes)(at == (lanes){0, 1, 2, 3})),
        (same_hi & here) | (down_hi & (lanes)(at == (lanes){4, 5, 6, 7})),
    };
}

/* The discs that clear after a rise of a board without matches: rows went up as they were and the
 * new one is gray, so only the heights have changed. */
LANES_FN struct flat wave_rise_matches(struct flat f)
{
    return (struct flat){wave_column_matches(f.lo), wave_column_matches(f.hi)};
}

#endif
