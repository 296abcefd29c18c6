/* params.h - the parameters of the generator: keys, defaults, checks. */
#ifndef GFMUL_GEN_PARAMS_H
#define GFMUL_GEN_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/gen_text.h"

enum {
    GEN_MAX_LOGN = 28,
    GEN_MAX_DIMS = 8,
    GEN_MAX_RANGES = 256,  /* runs of inputs that can be non-zero */
    GEN_MAX_VALUE = 255,   /* characters of a value */
    GEN_MAX_PATH = 255,    /* the same for TWIDDLE */
    GEN_MAX_PROBLEMS = 100 /* described in full; further ones are only counted */
};

/* What the table of twiddles contains. */
enum gen_table_form { GEN_TABLE_AUTO, GEN_TABLE_ALL, GEN_TABLE_REDUCED, GEN_TABLE_PAIR };

enum gen_twiddle { GEN_TWIDDLE_TABLE, GEN_TWIDDLE_ONFLY, GEN_TWIDDLE_FILE };

/* The keys, in the order of the documentation. */
enum gen_key {
    GEN_DATA,
    GEN_FFTDATA,
    GEN_LOGN,
    GEN_N,
    GEN_BITREV,
    GEN_DIRECTION,
    GEN_ID,
    GEN_NONEZ,
    GEN_SCALING,
    GEN_INPRECISION,
    GEN_OUTPRECISION,
    GEN_ALGORITHM,
    GEN_STRUCTURE,
    GEN_TWIDDLE,
    GEN_TABLE,
    GEN_PRODUCTS,
    GEN_DIM,
    GEN_STOPLEVEL,
    GEN_USECONSTANTS,
    GEN_KERNELHEIGHT,
    GEN_KERNELWIDTH,
    GEN_KERNELSIZE,
    GEN_KERNELNUM,
    GEN_N_KEYS
};

/* Inputs lo .. hi-1. */
struct gen_range {
    uint32_t lo, hi;
};

/* One transform.  gen_params_check fills in the members after "found". */
struct gen_params {
    char data;      /* C, R, I; 2: R2, i: INT32, l: INT64, b: LIMBS */
    char fftdata;   /* f: float, d: double, q: double-double */
    int logn;       /* if the length was given as LOGN; 0: as N */
    uint32_t n;     /* points of the transform */
    bool bitrev;    /* natural order */
    char direction; /* A, F, B */
    char id[33];
    bool scaling;
    int inprecision, outprecision; /* bits; 0: those of FFTDATA */
    char algorithm;                /* 2, 4, 8, S, C, T */
    bool dimensions;               /* the algorithm only makes codelets; else the whole transform */
    enum gen_twiddle twiddle;
    char twiddle_file[GEN_MAX_PATH + 1];
    enum gen_table_form table;
    int products;  /* real products in a complex one: 4 or 3 */
    int stoplevel; /* 0: go to the end */
    bool useconstants;
    int kernelheight, kernelwidth; /* 0: the generator chooses */
    uint32_t kernelsize;           /* bytes */
    int kernelnum;
    char nonez_text[GEN_MAX_VALUE + 1], dim_text[GEN_MAX_VALUE + 1]; /* a long pattern is cut */
    uint32_t pattern_length;                                         /* characters of NONEZ; 0: it is not a pattern */
    int n_runs;                                                      /* runs of X in the pattern; runs[] counts in characters */
    struct gen_range runs[GEN_MAX_RANGES];
    /* found */
    int n_ranges;
    struct gen_range ranges[GEN_MAX_RANGES];
    int n_dims;
    uint32_t dims[GEN_MAX_DIMS];
    unsigned char set_by[GEN_N_KEYS]; /* 0: default, else the source that set it last */
};

/* The problems found, one line each. */
struct gen_problems {
    struct gen_text text;
    unsigned count;
};

/* gen_params_default - p out: every key at its default. */
void gen_params_default(struct gen_params *p);

/* gen_params_published - the same with the defaults of the published generator, which has no default for LOGN. */
void gen_params_published(struct gen_params *p);

/*
 * gen_params_set - set one key.
 *
 *   p        in/out
 *   text     in   len characters, "KEY=VALUE"; blanks around both are ignored
 *   source   in   1 ..: who sets it; it is a problem if a source sets a key twice; a later source overrides
 *   where    in   precedes the problem, such as "file:3: "; may be ""
 *   problems in/out
 */
void gen_params_set(struct gen_params *p, const char *text, size_t len, int source, const char *where,
                    struct gen_problems *problems);

/*
 * gen_params_file - set the keys of a parameter file: a KEY=VALUE in each line; what follows a # is ignored.
 *
 *   text in len bytes, any;   name in is shown in messages; the others as above
 */
void gen_params_file(struct gen_params *p, const char *text, size_t len, int source, const char *name,
                     struct gen_problems *problems);

/* gen_params_check - check that the keys fit together, and fill in what follows from them.  Problems are appended. */
void gen_params_check(struct gen_params *p, struct gen_problems *problems);

/* gen_params_print - append "KEY=VALUE" of every key, each line after the text prefix. */
void gen_params_print(const struct gen_params *p, const char *prefix, struct gen_text *out);

/* gen_params_help - append the meaning of a key, or the list of all if key is NULL; false: there is no such key. */
bool gen_params_help(const char *key, struct gen_text *out);

/* The description of a key for users; the texts are static. */
struct gen_key_facts {
    const char *name, *allowed, *def, *help;
};

/* gen_key_of - the facts of a key. */
struct gen_key_facts gen_key_of(enum gen_key key);

/* gen_real - does the caller have real data?  N real values are packed into N/2 complex points. */
static inline bool gen_real(const struct gen_params *p)
{
    return p->data != 'C' && p->data != '2';
}

/* gen_two - does the caller have two real sequences, the real and the imaginary parts of N complex points? */
static inline bool gen_two(const struct gen_params *p)
{
    return p->data == '2';
}

/* gen_integers - is the real input of the forward transform given as integers? */
static inline bool gen_integers(const struct gen_params *p)
{
    return p->data == 'i' || p->data == 'l' || p->data == 'b';
}

/* gen_integer_bytes - bytes of all of them. */
static inline uint64_t gen_integer_bytes(const struct gen_params *p)
{
    if (p->data == 'b')
        return ((uint64_t)p->n * (unsigned)p->inprecision + 63) / 64 * 8;
    return (uint64_t)p->n * (p->data == 'i' ? 4 : 8);
}

/* gen_data_name - the value of DATA. */
static inline const char *gen_data_name(const struct gen_params *p)
{
    switch (p->data) {
    case 'C':
        return "C";
    case 'R':
        return "R";
    case 'I':
        return "I";
    case '2':
        return "R2";
    case 'i':
        return "INT32";
    case 'l':
        return "INT64";
    default:
        return "LIMBS";
    }
}

/* gen_points - complex points that the passes work on. */
static inline uint32_t gen_points(const struct gen_params *p)
{
    return gen_real(p) ? p->n / 2 : p->n;
}

/* gen_spectrum_points - complex numbers of the caller's spectrum: half a spectrum for each real sequence. */
static inline uint32_t gen_spectrum_points(const struct gen_params *p)
{
    return gen_two(p) ? 2 * (p->n / 2 + 1) : gen_points(p) + gen_real(p);
}

/* gen_is_recursion - is this transform the recursion of its algorithm?  All others are done in dimensions. */
static inline bool gen_is_recursion(const struct gen_params *p)
{
    const uint32_t points = gen_points(p);
    return (points & (points - 1)) == 0 && !p->dimensions;
}

/*
 * gen_usual_width - log2 of the points that a work-group holds at once in 32 KiB of local memory.  If points stay in registers,
 * local memory has only half of each.   gen_max_width - the maximum, which is twice as many points in that case.
 */
static inline int gen_usual_width(const struct gen_params *p)
{
    return (p->fftdata == 'q' ? 10 : p->fftdata == 'd' ? 11 : 12) + ((p->n & (p->n - 1)) == 0);
}
static inline int gen_max_width(const struct gen_params *p)
{
    return gen_usual_width(p) + ((p->n & (p->n - 1)) == 0);
}

#endif
