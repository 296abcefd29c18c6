/*
 * ocl_pipeline_kernels.c - the kernels of one plan on one device: the table of kernels, and how they are built.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_pipeline_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/disk_cache.h"
#include "base/try.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_chunks.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_program.h"
#include "ocl/ocl_state.h"

enum { OPTIONS_BYTES = sizeof((struct ocl_kernel_wish *)0)->options };

/* The pass whose options a kernel gets: a number; the pass over rows; none. */
enum { PASS_ROWS = DEVICE_PASSES - 1, PASS_NONE };

/* Further compiler options of a kernel. */
enum {
    TELL_ROOTS = 1,      /* the sizes of the short tables of roots */
    TELL_DIGITS = 2,     /* the digits' parameters */
    TELL_HALVES = 4,     /* how operands are cut in two */
    TELL_RUNS = 8,       /* blocks and chunks of runs of digits */
    TELL_TILES = 16,     /* rows of a tile */
    TELL_SCAN = 32,      /* work-items of a scan */
    TELL_MAPS = 64,      /* whether groups of chunks have maps */
    TELL_OPERANDS = 128, /* how many spectra the kernel reads */
    TELL_KEPT = 256,     /* that one of them is a kept one */
    TELL_PRIMES = 512,   /* the primes, the digits and the chunks */
    TELL_KEEP = 1024,    /* that the kernel makes a spectrum to be kept */
    TELL_TEXT = 2048,    /* modulo primes: the digits of text */
    TELL_PACKING = 4096, /* the packing, if it is not right-angle */
    TELL_ADD = 8192,     /* modulo primes: that the kernel adds up products of spectra */
    TELL_BACK = 16384,   /* modulo primes: that it goes back from a spectrum */
    TELL_SIGNED = 32768, /* modulo primes: that coefficients have signs */
    TELL_CHUNKS = TELL_DIGITS | TELL_RUNS | TELL_TILES | TELL_SCAN | TELL_MAPS
};

/* Which shapes use a kernel; in addition, a kernel of a pass over columns is used only if the shape has that pass. */
enum use { ALWAYS, IN_POINTS, IN_SHARED, IN_HALVES, IN_LIMBS, IN_TEXT, WITH_MAPS, IN_PRIMES, IN_PRIMES_LIMBS, IN_PRIMES_TEXT };

struct kernel_row {
    const char *file, *entry, *name; /* name: in profiles */
    unsigned pass;
    bool inverse;         /* a pass of the inverse transform */
    enum ocl_kernels set; /* the set that it is built with */
    enum use use;
    unsigned tell; /* TELL_.. */
};

_Static_assert(DEVICE_PASSES == 4, "the table names two passes between the first and the rows");
static const struct kernel_row table[PIPELINE_KERNELS] = {
    {"twiddle_table.cl", "twiddle_table", "twiddle_table", .pass = PASS_NONE, .tell = TELL_ROOTS},
    {"source_to_columns_fused.cl", "source_to_columns_fused", "source_to_columns_fused",
     .tell = TELL_DIGITS | TELL_HALVES | TELL_PACKING},
    {"columns_forward.cl", "columns_forward", "columns_forward", .pass = 1},
    {"columns_forward.cl", "columns_forward", "columns_forward 2", .pass = 2},
    {"columns_mul_fused.cl", "columns_mul_fused", "columns_mul_fused", .pass = PASS_ROWS, .use = IN_POINTS,
     .tell = TELL_OPERANDS},
    {"columns_mul_paired_fused.cl", "columns_mul_paired_fused", "columns_mul_paired_fused", .pass = PASS_ROWS, .use = IN_SHARED,
     .tell = TELL_PACKING},
    {"columns_mul_halves_fused.cl", "columns_mul_halves_fused", "columns_mul_halves_fused", .pass = PASS_ROWS, .use = IN_HALVES,
     .tell = TELL_PACKING | TELL_OPERANDS},
    {"columns_inverse.cl", "columns_inverse", "columns_inverse 2", .pass = 2, .inverse = true},
    {"columns_inverse.cl", "columns_inverse", "columns_inverse", .pass = 1, .inverse = true},
    {"columns_to_runs_fused.cl", "columns_to_runs_fused", "columns_to_runs_fused", .inverse = true,
     .tell = TELL_DIGITS | TELL_TILES | TELL_PACKING},
    {"runs_to_limbs.cl", "runs_to_limbs", "runs_to_limbs", .inverse = true, .use = IN_LIMBS, .tell = TELL_CHUNKS | TELL_PACKING},
    {"runs_to_text.cl", "runs_to_text", "runs_to_text", .inverse = true, .use = IN_TEXT, .tell = TELL_CHUNKS | TELL_PACKING},
    {"chunks_compose.cl", "chunks_compose", OCL_CHUNKS_COMPOSE, .pass = PASS_NONE, .use = WITH_MAPS, .tell = TELL_SCAN},
    {"chunks_carry.cl", "chunks_carry", OCL_CHUNKS_CARRY, .inverse = true, .use = IN_LIMBS, .tell = TELL_CHUNKS},
    {"text_chunks_carry.cl", "text_chunks_carry", OCL_CHUNKS_CARRY, .inverse = true, .use = IN_TEXT, .tell = TELL_CHUNKS},
    {"columns_mul_fused.cl", "columns_mul_fused", "columns_mul_kept_fused", .pass = PASS_ROWS, .set = OCL_KERNELS_KEPT,
     .use = IN_POINTS, .tell = TELL_KEPT},
    {"columns_mul_halves_fused.cl", "columns_mul_halves_fused", "columns_mul_halves_kept_fused", .pass = PASS_ROWS,
     .set = OCL_KERNELS_KEPT, .use = IN_HALVES, .tell = TELL_PACKING | TELL_KEPT},
    {"columns_to_spectrum.cl", "columns_to_spectrum", "columns_to_spectrum", .pass = PASS_ROWS, .set = OCL_KERNELS_KEEP},
    {"spectrum_to_columns.cl", "spectrum_to_columns", "spectrum_to_columns", .pass = PASS_ROWS, .set = OCL_KERNELS_SUM},
    {"spectrum_mul_add.cl", "spectrum_mul_add", "spectrum_mul_add", .pass = PASS_NONE, .set = OCL_KERNELS_SUM},
    {"text_to_digits.cl", "text_to_digits", "text_to_digits", .pass = PASS_NONE, .use = IN_PRIMES_TEXT, .tell = TELL_TEXT},
    {"source_to_residues_fused.cl", "source_to_residues_fused", "source_to_residues_fused", .use = IN_PRIMES,
     .tell = TELL_PRIMES | TELL_HALVES},
    {"residues_forward.cl", "residues_forward", "residues_forward", .pass = 1, .use = IN_PRIMES, .tell = TELL_PRIMES},
    {"residues_mul_fused.cl", "residues_mul_fused", "residues_mul_fused", .pass = PASS_ROWS, .use = IN_PRIMES,
     .tell = TELL_PRIMES | TELL_OPERANDS},
    {"residues_inverse.cl", "residues_inverse", "residues_inverse 1", .pass = 1, .inverse = true, .use = IN_PRIMES,
     .tell = TELL_PRIMES},
    {"residues_inverse.cl", "residues_inverse", "residues_inverse", .inverse = true, .use = IN_PRIMES, .tell = TELL_PRIMES},
    {"residues_to_limbs_fused.cl", "residues_to_limbs_fused", "residues_to_limbs_fused", .pass = PASS_NONE,
     .use = IN_PRIMES_LIMBS, .tell = TELL_PRIMES},
    {"residues_to_text_fused.cl", "residues_to_text_fused", "residues_to_text_fused", .pass = PASS_NONE, .use = IN_PRIMES_TEXT,
     .tell = TELL_PRIMES | TELL_TEXT},
    {"chunks_carry.cl", "chunks_carry", OCL_CHUNKS_CARRY, .pass = PASS_NONE, .use = IN_PRIMES_LIMBS,
     .tell = TELL_PRIMES | TELL_SCAN | TELL_MAPS},
    {"text_chunks_carry.cl", "text_chunks_carry", OCL_CHUNKS_CARRY, .pass = PASS_NONE, .use = IN_PRIMES_TEXT,
     .tell = TELL_TEXT | TELL_SCAN | TELL_MAPS},
    {"residues_mul_fused.cl", "residues_mul_fused", "residues_mul_kept_fused", .pass = PASS_ROWS, .set = OCL_KERNELS_KEPT,
     .use = IN_PRIMES, .tell = TELL_PRIMES | TELL_KEPT},
    {"residues_mul_fused.cl", "residues_to_spectrum", "residues_to_spectrum", .pass = PASS_ROWS, .set = OCL_KERNELS_KEEP,
     .use = IN_PRIMES, .tell = TELL_PRIMES | TELL_KEEP},
    {"residues_mul_fused.cl", "residues_mul_add", "residues_mul_add", .pass = PASS_ROWS, .set = OCL_KERNELS_SUM, .use = IN_PRIMES,
     .tell = TELL_PRIMES | TELL_ADD},
    {"residues_mul_fused.cl", "spectrum_to_residues", "spectrum_to_residues", .pass = PASS_ROWS, .set = OCL_KERNELS_SUM,
     .use = IN_PRIMES, .tell = TELL_PRIMES | TELL_BACK},
    {"residues_to_limbs_fused.cl", "residues_to_limbs_fused", "residues_to_limbs_signed_fused", .pass = PASS_NONE,
     .set = OCL_KERNELS_MINUS, .use = IN_PRIMES_LIMBS, .tell = TELL_PRIMES | TELL_SIGNED},
};

const char *pipeline_kernel_name(enum pipeline_kernel k)
{
    return table[k].name;
}

static bool same_pass(const struct device_pass *a, const struct device_pass *b)
{
    return memcmp(a, b, offsetof(struct device_pass, split)) == 0 && a->split == b->split && a->park == b->park && a->dd == b->dd;
}

bool ocl_pipeline_fits(const struct ocl_pipeline *pipeline, const struct plan_shape *shape)
{
    const struct plan_shape *own = &pipeline->shape;
    const struct plan_device *d = &own->device, *e = &shape->device;
    bool same = own->field == shape->field && own->transform.n_primes == shape->transform.n_primes &&
                d->prime_set == e->prime_set && d->n_passes == e->n_passes && d->halves == e->halves &&
                d->block_digits == e->block_digits && d->chunk_blocks == e->chunk_blocks && d->tile_rows == e->tile_rows &&
                own->digits.exponent == shape->digits.exponent && own->digits.base == shape->digits.base &&
                own->square == shape->square && own->digits.narrow == shape->digits.narrow && d->group_maps == e->group_maps &&
                own->transform.packing == shape->transform.packing && own->digits.balance_exp == shape->digits.balance_exp;
    for (unsigned p = 0; same && p < d->n_passes; p++)
        same = same_pass(&d->forward[p], &e->forward[p]) && same_pass(&d->inverse[p], &e->inverse[p]);
    return same;
}

/* has - whether a shape uses a kernel. */
static bool has(const struct plan_shape *s, const struct kernel_row *row)
{
    const bool text = s->digits.base != 2, primes = s->field == PLAN_PRIME;
    if (row->use != WITH_MAPS && primes != (row->use >= IN_PRIMES))
        return false;
    if ((row->use == IN_PRIMES_LIMBS && text) || (row->use == IN_PRIMES_TEXT && !text))
        return false;
    if ((row->use == IN_POINTS && device_is_paired(s)) || (row->use == IN_SHARED && !device_is_shared(s)) ||
        (row->use == IN_HALVES && s->transform.packing != GFMUL_PACKING_ONE_FOR_HALF))
        return false;
    return (row->pass >= PASS_ROWS || row->pass + 1 < s->device.n_passes) && (row->use != IN_LIMBS || !text) &&
           (row->use != IN_TEXT || text) && (row->use != WITH_MAPS || s->device.group_maps);
}

/* pass_of - the pass whose options a kernel gets; NULL: none. */
static const struct device_pass *pass_of(const struct plan_shape *s, const struct kernel_row *row)
{
    if (row->pass == PASS_NONE)
        return NULL;
    const unsigned i = row->pass == PASS_ROWS ? s->device.n_passes - 1 : row->pass;
    return row->inverse ? &s->device.inverse[i] : &s->device.forward[i];
}

/* tell - append options. */
static void tell(char *options, const char *format, ...)
{
    const size_t n = strlen(options);
    va_list ap;
    va_start(ap, format);
    vsnprintf(options + n, OPTIONS_BYTES - n, format, ap);
    va_end(ap);
}

/* tell_pass - append the tunables of kernels/fft_stages.cl. */
static void tell_pass(char *options, const struct device_pass *pass)
{
    tell(options, "-DPOINTS=%u -DITEMS=%u -DCOLUMNS=%u -DN_STAGES=%u", pass->points, pass->items, pass->columns * pass->leaf,
         pass->n_stages);
    for (unsigned i = 0; i < DEVICE_STAGES; i++)
        tell(options, " -DR%u=%u", i, i < pass->n_stages ? pass->radix[i] : 1);
    tell(options, " -DDIRECT_STAGES=%u -DSPLIT_EXCHANGE=%d -DPAD=%u ", pass->direct_stages, pass->split, pass->pad);
}

/* tell_primes - append the primes, and the ends of their residues. */
static void tell_primes(char *options, const struct plan_shape *s)
{
    const struct device_prime_set *set = device_primes_set(s);
    const uint32_t *p = device_primes_of(set, s->transform.n_primes);
    for (unsigned lazy = 0; lazy < 2; lazy++)
        for (unsigned i = 0; i < s->transform.n_primes; i++)
            tell(options, "%s%uu", i > 0 ? "," : lazy ? " -DLIMITS=" : " -DPRIMES=", p[i] << (lazy & set->lazy));
}

/* tell_text - append the tunables of kernels/text_chars.cl, and of the kernels that include it. */
static void tell_text(char *options, const struct plan_shape *s)
{
    const struct device_pieces p = device_primes_pieces(s);
    const unsigned __int128 base = device_primes_base(s);
    unsigned bits = 0;
    while (base >> bits != 0)
        bits++;
    tell(options, " -DHALFWORDS=%u -DTEXT_BASE=%u -DTEXT_DIGITS=%u -DPIECES=%u -DPIECE_CHARS=%u",
         s->device.field_bits / DEVICE_PRIME_UNIT_BITS, s->digits.base, s->digits.exponent, p.n, p.chars);
    tell(options, " -DPIECE_BASE=%uu -DPIECE_BITS=%d -DTOP_BASE=%uu -DBASE_BITS=%u", p.base, 31 - __builtin_clz(p.base),
         p.top_base, bits);
    tell(options, " -DCHUNK_CHARS=%u -DDIGIT_ITEMS=%d", s->digits.exponent * s->device.block_digits * s->device.chunk_blocks,
         PIPELINE_DIGIT_ITEMS);
}

/* options_of - set the compiler options of a kernel. */
static void options_of(const struct ocl_pipeline *p, const struct kernel_row *row, char *options)
{
    const struct plan_shape *s = &p->shape;
    const struct plan_device *d = &s->device;
    const struct device_pass *pass = pass_of(s, row), *parts = pass ? pass : &d->forward[0];
    options[0] = '\0';
    if (pass)
        tell_pass(options, pass);
    tell(options, "-DDOUBLE_DOUBLE=%d", parts->dd);
    if (row->tell & TELL_ROOTS)
        tell(options, " -DROOT_BITS=%d -DROOT_DIGITS=%d", ROOT_BITS, ROOT_DIGITS);
    if (row->tell & TELL_DIGITS)
        tell(options, " -DDIGIT_BITS=%u -DDECIMAL=%u", d->field_bits, s->digits.base != 2 ? s->digits.exponent : 0);
    if (row->tell & TELL_HALVES)
        tell(options, " -DHALVES=%u", d->halves);
    if (row->tell & TELL_HALVES && device_narrow_levels(s) > 0)
        tell(options, " -DNARROW=1");
    if (row->tell & TELL_PACKING && s->transform.packing != GFMUL_PACKING_RIGHT_ANGLE)
        tell(options, " -DPACKING=%d", s->transform.packing);
    if (row->tell & TELL_HALVES && s->transform.packing == GFMUL_PACKING_TWO_FOR_ONE)
        tell(options, " -DOPERANDS=%d", s->square ? 1 : 2);
    if (row->tell & TELL_RUNS)
        tell(options, " -DBLOCK_DIGITS=%u -DCHUNK_BLOCKS=%u", d->block_digits, d->chunk_blocks);
    if (row->tell & TELL_TILES)
        tell(options, " -DTILE_ROWS=%u", d->tile_rows);
    if (row->tell & TELL_SCAN)
        tell(options, " -DSCAN_ITEMS=%d", DEVICE_SCAN_ITEMS);
    if (row->tell & TELL_MAPS)
        tell(options, " -DGROUP_MAPS=%d", d->group_maps);
    if (row->tell & TELL_PRIMES) {
        tell(options, " -DN_PRIMES=%u -DDIGIT_BITS=%u -DJOIN_ITEMS=%d -DCHUNK_QUADS=%u -DCHUNK_WORDS=%u -DROOT=%d -DLAZY=%u",
             s->transform.n_primes, d->field_bits, DEVICE_PRIME_JOIN_ITEMS, d->chunk_blocks,
             d->field_bits * d->block_digits * d->chunk_blocks / 32, row->pass == 0, device_primes_set(s)->lazy);
        tell_primes(options, s);
    }
    if (row->tell & TELL_TEXT)
        tell_text(options, s);
    if (row->tell & TELL_OPERANDS)
        tell(options, " -DOPERANDS=%d", s->square ? 1 : 2);
    if (row->tell & TELL_OPERANDS && !s->square)
        tell(options, " -DPARK=%d", parts->park);
    if (row->tell & TELL_KEPT)
        tell(options, " -DOPERANDS=3");
    if (row->tell & TELL_KEEP)
        tell(options, " -DOPERANDS=0");
    if (row->tell & (TELL_ADD | TELL_BACK))
        tell(options, " -DOPERANDS=%d", row->tell & TELL_ADD ? 4 : 5);
    if (row->tell & TELL_SIGNED)
        tell(options, " -DSIGNED=1");
    if (pass)
        tell(options, " %s", p->options);
    if (pass && pass->registers > 0 && strncmp(ocl_device_info(p->d)->platform, "NVIDIA", 6) == 0)
        tell(options, " -DFREE_GROUP_SIZE=1 -cl-nv-maxrregcount=%u", pass->registers);
}

/* pipeline_new - make a pipeline without kernels; NULL: out of memory. */
static struct ocl_pipeline *pipeline_new(const struct ocl_call *on, const struct plan_shape *shape, const char *options)
{
    struct ocl_pipeline *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->d = on->device;
    p->shape = *shape;
    snprintf(p->options, sizeof p->options, "%s", options);
    return p;
}

/* wish_for - fill in the request for kernel `k` of a pipeline. */
static void wish_for(struct ocl_pipeline *p, unsigned k, struct ocl_kernel_wish *wish)
{
    wish->file = table[k].file;
    wish->name = table[k].entry;
    wish->k = &p->kernel[k];
    options_of(p, &table[k], wish->options);
}

/* is_missing - whether a pipeline lacks a kernel of a set. */
static bool is_missing(const struct ocl_pipeline *p, unsigned k, enum ocl_kernels set)
{
    return table[k].set == set && !p->kernel[k] && has(&p->shape, &table[k]);
}

enum gfmul_status ocl_pipeline_need(const struct ocl_call *on, struct ocl_pipeline *p, enum ocl_kernels set)
{
    unsigned k = 0, n = 0;
    while (k < PIPELINE_KERNELS && !is_missing(p, k, set))
        k++;
    if (k == PIPELINE_KERNELS) /* mostly: each launch asks */
        return GFMUL_OK;
    struct ocl_kernel_wish *wish = calloc(PIPELINE_KERNELS, sizeof *wish);
    if (!wish)
        return ocl_fail(on->detail, GFMUL_ERR_MEMORY, "out of memory for kernels");
    for (; k < PIPELINE_KERNELS; k++)
        if (is_missing(p, k, set))
            wish_for(p, k, &wish[n++]);
    const enum gfmul_status status = ocl_kernels_get(on, wish, n);
    free(wish);
    return status;
}

/*
 * How long NVIDIA's compiler takes for a program, in ms, the longest first; programs not listed come after these.
 * Source: bench/results/h200/2026-11-27-start.tsv, set programs; limbs as text.
 */
static const struct {
    enum pipeline_kernel kernel;
    unsigned ms;
} build_time[] = {
    {KERNEL_PRIMES_ROWS, 1040},  {KERNEL_PRIMES_FIRST, 500},
    {KERNEL_ROWS, 400},          {KERNEL_FIRST, 380},
    {KERNEL_PRIMES_LAST, 380},   {KERNEL_LAST, 330},
    {KERNEL_PRIMES_TEXT, 290},   {KERNEL_PRIMES_LIMBS, 290},
    {KERNEL_MIDDLE, 235},        {KERNEL_BACK, 235},
    {KERNEL_TEXT, 200},          {KERNEL_LIMBS, 200},
    {KERNEL_PRIMES_DIGITS, 200}, {KERNEL_PRIMES_TEXT_CARRY, 170},
    {KERNEL_TEXT_CARRY, 170},    {KERNEL_TABLE, 155},
};
enum { BUILD_TIMES = sizeof build_time / sizeof *build_time, BUILD_TIME_OTHER = 100 };

/* Each process has the device open so much later than the process of the part before it. */
enum { OPEN_MS = 115 };

/*
 * programs_list - list the programs of a product, each once, the slowest to build first.   Returns how many.
 *   wish, ms  out  PIPELINE_KERNELS + 1: each request, and its build time in ms
 */
static unsigned programs_list(struct ocl_pipeline *p, struct ocl_kernel_wish *wish, unsigned *ms)
{
    unsigned n = 0;
    for (unsigned i = 0; i < BUILD_TIMES + PIPELINE_KERNELS; i++) {
        const unsigned k = i < BUILD_TIMES ? build_time[i].kernel : i - BUILD_TIMES;
        unsigned same = 0;
        if (table[k].set != OCL_KERNELS_PRODUCT || !has(&p->shape, &table[k]))
            continue;
        wish_for(p, k, &wish[n]);
        while (strcmp(wish[same].file, wish[n].file) != 0 || strcmp(wish[same].options, wish[n].options) != 0)
            same++;
        ms[n] = i < BUILD_TIMES ? build_time[i].ms : BUILD_TIME_OTHER;
        n += same == n;
    }
    return n;
}

/* part_next - the part that gets the next program: the part that would finish it first. */
static unsigned part_next(unsigned *load, unsigned parts, unsigned ms)
{
    unsigned first = 0;
    for (unsigned part = 1; part < parts; part++)
        first = load[part] < load[first] ? part : first;
    load[first] += ms;
    return first;
}

enum gfmul_status ocl_pipeline_programs(const struct ocl_call *on, const struct plan_shape *shape, unsigned part, unsigned parts,
                                        unsigned *missing)
{
    enum gfmul_status status = GFMUL_OK;
    unsigned mine = 0, ms[PIPELINE_KERNELS + 1], load[PIPELINE_KERNELS] = {0};
    struct ocl_pipeline *p = pipeline_new(on, shape, "");
    struct ocl_kernel_wish *wish = calloc(PIPELINE_KERNELS + 1, sizeof *wish);
    *missing = 0;
    if (parts > PIPELINE_KERNELS)
        parts = PIPELINE_KERNELS; /* further parts would have nothing to do */
    for (unsigned i = 1; i < parts; i++)
        load[i] = i * OPEN_MS;
    if (p && wish) {
        const unsigned n = disk_cache_open() ? programs_list(p, wish, ms) : 0;
        for (unsigned i = 0; i < n; i++) {
            *missing += !ocl_program_there(on->device, wish[i].file, wish[i].options);
            if (parts > 0 && part_next(load, parts, ms[i]) == part)
                wish[mine++] = wish[i];
        }
        status = ocl_kernels_get(on, wish, mine);
    } else {
        status = ocl_fail(on->detail, GFMUL_ERR_MEMORY, "out of memory for kernels");
    }
    free(wish);
    ocl_pipeline_destroy(p);
    return status;
}

enum gfmul_status ocl_pipeline_build(const struct ocl_call *on, struct ocl_pipeline **pipeline, const struct plan_shape *shape,
                                     const char *options)
{
    *pipeline = NULL;
    if (shape->field != PLAN_PRIME)
        TRY(ocl_arithmetic_check(on));
    struct ocl_pipeline *p = pipeline_new(on, shape, options);
    if (!p)
        return GFMUL_ERR_MEMORY;
    const enum gfmul_status status = ocl_pipeline_need(on, p, OCL_KERNELS_PRODUCT);
    if (status == GFMUL_OK)
        *pipeline = p;
    else
        ocl_pipeline_destroy(p);
    return status;
}

void ocl_pipeline_destroy(struct ocl_pipeline *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < DEVICE_PASSES; i++) {
        ocl_buffer_put(p->d, p->forward[i].table);
        ocl_buffer_put(p->d, p->forward[i].shared);
        ocl_buffer_put(p->d, p->inverse[i].table);
        ocl_buffer_put(p->d, p->inverse[i].shared);
    }
    ocl_buffer_put(p->d, p->primes);
    for (unsigned k = 0; k < PIPELINE_KERNELS; k++)
        ocl_kernel_put(p->d, p->kernel[k]);
    free(p);
}

unsigned ocl_pipeline_kernels(const struct ocl_pipeline *p, struct ocl_kernel_info info[OCL_PIPELINE_KERNELS])
{
    unsigned n = 0;
    for (unsigned k = KERNEL_FIRST; k < PIPELINE_KERNELS; k++) {
        const struct kernel_row *row = &table[k];
        const struct device_pass *pass = row->tell & TELL_RUNS ? NULL : pass_of(&p->shape, row); /* not of a transform */
        if (row->set != OCL_KERNELS_PRODUCT || !p->kernel[k])
            continue;
        info[n] = (struct ocl_kernel_info){.name = row->name, .kernel = p->kernel[k]};
        if (pass)
            device_pass_print(info[n].shape, sizeof info[n].shape, pass);
        n++;
    }
    return n;
}
