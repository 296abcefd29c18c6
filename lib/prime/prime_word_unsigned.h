/*
 * prime_word_unsigned.h - shared by fields of unsigned words that define fold, lanes_add and lanes_sub.
 *
 *     wide    0 .. 4 p - 1          upper, lower, narrow    0 .. 2 p - 1
 * A sum or difference of upper and lower is wide, because 4 p < 2^64.
 */
#ifndef GFMUL_PRIME_WORD_UNSIGNED_H
#define GFMUL_PRIME_WORD_UNSIGNED_H

/* lanes_fold - wide to upper. */
LANES_INLINE lanes lanes_fold(const struct lanes_field *f, lanes x)
{
    return fold(x, f->two);
}

/* lanes_sum, lanes_difference - of upper and lower: wide. */
LANES_INLINE lanes lanes_sum(const struct lanes_field *f, lanes a, lanes t)
{
    (void)f;
    return lanes_add(a, t);
}
LANES_INLINE lanes lanes_difference(const struct lanes_field *f, lanes a, lanes t)
{
    return lanes_add(lanes_sub(a, t), f->two);
}

/* lanes_total - a sum of narrow ones: narrow;  lanes_apart - their difference: wide. */
LANES_INLINE lanes lanes_total(const struct lanes_field *f, lanes a, lanes b)
{
    return fold(lanes_add(a, b), f->two);
}
LANES_INLINE lanes lanes_apart(const struct lanes_field *f, lanes a, lanes b)
{
    return lanes_difference(f, a, b);
}

/* lanes_wide - narrow to wide;  lanes_minus - of a residue below p: narrow. */
LANES_INLINE lanes lanes_wide(const struct lanes_field *f, lanes x)
{
    (void)f;
    return x;
}
LANES_INLINE lanes lanes_minus(const struct lanes_field *f, lanes x)
{
    return lanes_sub(f->p, x);
}

/* narrow_residue, wide_residue - below p. */
LANES_INLINE lanes narrow_residue(const struct lanes_field *f, lanes x)
{
    return fold(x, f->p);
}
LANES_INLINE lanes wide_residue(const struct lanes_field *f, lanes x)
{
    return fold(fold(x, f->two), f->p);
}

/* wide_place - number x of the wide ones, x < 4 p; for tests. */
LANES_INLINE lanes wide_place(const struct lanes_field *f, lanes x)
{
    (void)f;
    return x;
}

#endif
