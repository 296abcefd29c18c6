/*
 * ranges_short_sizes.h - the proof for each size, by the code of lib/short that the file before has included.
 */
enum { WORDS = 8192 };

/* number_set - n digits of r bits. */
static void number_set(uint64_t *x, size_t n, unsigned r)
{
    memset(x, 0, LANES * vectors_of(n) * sizeof *x);
    for (size_t k = 0; k < n; k++)
        x[k] = interval_new(0, ((__int128)1 << r) - 1);
}

/* product_prove - an by bn limbs; bn 0: a square. */
static void product_prove(size_t an, size_t bn, base_set set)
{
    static uint64_t rows[4][ROW_MARGIN + WORDS + ROW_MARGIN] __attribute__((aligned(64)));
    uint64_t *x = rows[0] + ROW_MARGIN, *y = rows[1] + ROW_MARGIN, *c = rows[2] + ROW_MARGIN, *t = rows[3] + ROW_MARGIN;
    unsigned r = bn > 0 ? DIGIT_BITS : base_sqr_bits(set);
    const unsigned steps = steps_of(an, &r);
    const size_t na = digits_of(an, r), nb = bn > 0 ? digits_of(bn, r) : na;
    n_intervals = 0;
    interval_new(0, 0);
    mask_interval = interval_new(0, ((__int128)1 << r) - 1);
    number_set(x, na, r);
    number_set(y, nb, r);
    if (bn > 0)
        columns_mul(c, (struct digit_row){x, na}, (struct digit_row){y, nb}, r, steps, set, t);
    else
        columns_sqr(c, x, na, &(struct sqr_way){set, r}, steps, t);
    for (size_t k = 0; k < LANES * (vectors_of(na) + vectors_of(nb)); k++)
        shifted(c[k], -(int)r); /* as they are joined */
}

static void sizes_prove(const char *name, base_set set)
{
    for (size_t n = 1; n <= SHORT_LIMBS_MAX; n++) {
        product_prove(n, 0, set);
        for (size_t parts = 8; parts >= 4; parts--)
            product_prove(n, (n * parts + 7) / 8, set);
    }
    printf("short products, %s: columns are below %.3f 2^63\n", name, widest);
}
