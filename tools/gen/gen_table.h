/* gen_table.h - the table of twiddles: what it has, where, and what takes a twiddle from it. */
#ifndef GFMUL_GEN_TABLE_H
#define GFMUL_GEN_TABLE_H

#include "gen/algorithms.h"
#include "gen/params.h"

/* What an entry of a section is, from w = c + i d = exp(-2 pi i e / N). */
enum gen_section_kind {
    GEN_SECTION_ROOT,   /* c, d */
    GEN_SECTION_FACTOR, /* c, c + d, d - c: what three products take */
    GEN_SECTION_COSINE, /* c */
    GEN_SECTION_SUM     /* c - d, the cosine and the sine of the angle added */
};

/* Entry i is of exponent e = multiple * i + offset. */
struct gen_section {
    enum gen_section_kind kind;
    uint32_t count, multiple, offset;
    uint32_t at; /* of its first number in the table */
};

enum { GEN_MAX_SECTIONS = 3 };

/*
 * The table is one array of numbers (of FFTDATA; of dd pairs of doubles).  A transform without a table has no sections and no
 * numbers.
 */
struct gen_table {
    enum gen_table_form form; /* never GEN_TABLE_AUTO */
    int n;
    struct gen_section section[GEN_MAX_SECTIONS];
    bool asks_thirds;             /* split radix: codelets ask for w^(3 k) by k */
    bool thirds;                  /* and the roots w^k and w^(3 k), k < N/4, are sections of their own */
    int split;                    /* GEN_TABLE_PAIR: e mod 2^split in the first section, e / 2^split in the second one */
    uint32_t inner;               /* entries of the last section, roots inside launches in dimensions; 0: there is none */
    uint32_t numbers, numbers_at; /* of T: behind the sections */
    uint32_t all;                 /* numbers of the table, a whole number of points */
    bool constant;                /* in constant memory */
};

/*
 * What is asked of a table.
 *
 *   roots    of the exponents e = 0 .. roots - 1; 0: none
 *   thirds   split radix: of the exponents k and 3 k, k < N/4, and roots are those of k in the table of ALL
 *   quarter  no e is beyond N/4
 *   inner    as in the table; numbers as well
 *   form     never GEN_TABLE_AUTO
 */
struct gen_table_wish {
    uint32_t roots, inner, numbers;
    bool thirds, quarter;
    enum gen_table_form form;
};

/* gen_table_find - table out: empty with TWIDDLE=ONFLY. */
void gen_table_find(const struct gen_params *p, const struct gen_table_wish *wish, struct gen_table *table);

/* gen_factors - does a twiddle come as a factor, the three numbers that three products take? */
static inline bool gen_factors(const struct gen_params *p)
{
    return p->products == 3;
}

/* gen_section_numbers - of an entry. */
static inline uint32_t gen_section_numbers(enum gen_section_kind kind)
{
    return kind == GEN_SECTION_FACTOR ? 3 : kind == GEN_SECTION_ROOT ? 2 : 1;
}

/* gen_section_value - entry i of a section of N-th roots: its numbers, value out. */
void gen_section_value(const struct gen_section *section, uint32_t n, uint32_t i, gen_number value[3]);

/* What a twiddle takes in operations of its own, before it is a factor of a product. */
struct gen_count gen_twiddle_cost(const struct gen_params *p, const struct gen_table *table);

/*
 * gen_emit_twiddles - append the functions of the kernels: fft_ID_mul(), a product, and fft_ID_twiddle() of an exponent and
 * fft_ID_turn(), a product by a twiddle; fft_ID_twiddle_third() of a third of it for split radix.
 */
void gen_emit_twiddles(const struct gen_params *p, const struct gen_table *table, struct gen_text *out);

/* gen_twiddle_type - what fft_ID_twiddle() returns. */
void gen_twiddle_type(const struct gen_params *p, char *text, size_t size);

/* gen_table_space - the address space of the table, NULL where there is none. */
static inline const char *gen_table_space(const struct gen_table *table)
{
    return table->all == 0 ? NULL : table->constant ? "__constant" : "__global";
}

#endif
