/* A fixed piece of integer, table and branch work, timed beside a program so that figures from
 * different days and machines can be set in relation: quote program seconds / calibrate seconds,
 * both user time, measured in turn. cc -O2 -o calibrate calibrate.c; ./calibrate [rounds=40] prints
 * a checksum. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t state = 0x5eed0001u;
static uint32_t draw(void)
{
    state += 0x6d2b79f5u;
    uint32_t v = (state ^ (state >> 15)) * (state | 1u);
    v ^= v + (v ^ (v >> 7)) * (v | 61u);
    return v ^ (v >> 14);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 40;
    static uint8_t run[128][7];
    for (int m = 0; m < 128; m++)
        for (int c = 0; c < 7; c++) {
            int n = 0;
            if (m >> c & 1) {
                n = 1;
                for (int k = c - 1; k >= 0 && (m >> k & 1); k--)
                    n++;
                for (int k = c + 1; k < 7 && (m >> k & 1); k++)
                    n++;
            }
            run[m][c] = (uint8_t)n;
        }
    uint64_t sum = 0;
    double real = 0.0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 1000000; i++) {
            uint32_t d = draw();
            uint8_t cells[7];
            unsigned mask = 0;
            for (int c = 0; c < 7; c++) {
                cells[c] = (uint8_t)((d >> (4 * c)) & 15u);
                if (cells[c] < 10)
                    mask |= 1u << c;
            }
            for (int c = 0; c < 7; c++)
                if (run[mask][c] == cells[c]) {
                    sum += (uint64_t)cells[c] << (c & 3);
                    real += 1.0 / (double)(cells[c] + 1);
                }
        }
    printf("%llu %.6f\n", (unsigned long long)sum, real);
    return 0;
}
