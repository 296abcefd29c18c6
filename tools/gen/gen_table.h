/* gen_table.h - the table of twiddles: its contents, their places, and the code that reads a twiddle from it. */
#ifndef GFMUL_GEN_TABLE_H
#define GFMUL_GEN_TABLE_H

#include "gen/algorithms.h"
#include "gen/params.h"

/* The form of the entries of a section, from w = c + i d = exp(-2 pi i e / N). */
enum gen_section_kind {
    GEN_SECTION_ROOT,   /* c, d */
    GEN_SECTION_FACTOR, /* c, c + d, d - c: the form for three products */
    GEN_SECTION_COSINE, /* c */
    GEN_SECTION_SUM     /* c - d, the sum of the angle's cosine and sine */
};

/* Entry i is of exponent e = multiple * i + offset. */
struct gen_section {
    enum gen_section_kind kind;
    uint32_t count, multiple, offset;
    uint32_t at; /* index in the table of its first number */
};

enum { GEN_MAX_SECTIONS = 3 };

/*
 * The table is one array of numbers of type FFTDATA, which are pairs of doubles for dd.  A transform without a table has no
 * sections and no numbers.
 */
struct gen_table {
    enum gen_table_form form; /* never GEN_TABLE_AUTO */
    int n;
    struct gen_section section[GEN_MAX_SECTIONS];
    bool asks_thirds;             /* split radix: codelets ask for w^(3 k), by its k */
    bool thirds;                  /* .. and the roots w^k and w^(3 k), k < N/4, have sections of their own */
    int split;                    /* GEN_TABLE_PAIR: the first section has e mod 2^split, the second one e / 2^split */
    uint32_t inner;               /* entries of the last section, the roots inside launches in dimensions; 0: no such section */
    uint32_t numbers, numbers_at; /* T: how many, and where they begin after the sections */
    uint32_t all;                 /* all numbers of the table; fills a whole number of points */
    bool constant;                /* in constant memory */
};

/*
 * What a transform needs from a table.
 *
 *   roots    the exponents e = 0 .. roots - 1; 0: none
 *   thirds   split radix: the exponents k and 3 k, k < N/4; the table of ALL then has the roots of k
 *   quarter  no exponent is beyond N/4
 *   inner    as in the table; so is numbers
 *   form     never GEN_TABLE_AUTO
 */
struct gen_table_wish {
    uint32_t roots, inner, numbers;
    bool thirds, quarter;
    enum gen_table_form form;
};

/* gen_table_find - table out: empty with TWIDDLE=ONFLY. */
void gen_table_find(const struct gen_params *p, const struct gen_table_wish *wish, struct gen_table *table);

/* gen_factors - does a twiddle come as a factor, the three numbers for three products? */
static inline bool gen_factors(const struct gen_params *p)
{
    return p->products == 3;
}

/* gen_section_numbers - how many numbers an entry has. */
static inline uint32_t gen_section_numbers(enum gen_section_kind kind)
{
    return kind == GEN_SECTION_FACTOR ? 3 : kind == GEN_SECTION_ROOT ? 2 : 1;
}

/* gen_section_value - the numbers of entry i in a section of N-th roots; value out. */
void gen_section_value(const struct gen_section *section, uint32_t n, uint32_t i, gen_number value[3]);

/* The operations that prepare a twiddle before it is multiplied with anything. */
struct gen_count gen_twiddle_cost(const struct gen_params *p, const struct gen_table *table);

/*
 * gen_emit_twiddles - append the functions of the kernels: fft_ID_mul(), a product; fft_ID_twiddle(), the twiddle of an exponent;
 * fft_ID_turn(), a product by a twiddle.  Split radix also gets fft_ID_twiddle_third(), by a third of the exponent.
 */
void gen_emit_twiddles(const struct gen_params *p, const struct gen_table *table, struct gen_text *out);

/* gen_twiddle_type - the type that fft_ID_twiddle() returns. */
void gen_twiddle_type(const struct gen_params *p, char *text, size_t size);

/* gen_table_space - the address space of the table; NULL: there is no table. */
static inline const char *gen_table_space(const struct gen_table *table)
{
    return table->all == 0 ? NULL : table->constant ? "__constant" : "__global";
}

#endif
