/*
 * batch_gcd.c - the moduli of RSA that share a prime with another one, by one batch GCD of gfmul.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Build:  cc batch_gcd.c -o batch_gcd $(pkg-config --cflags --libs gfmul)
 *
 * Reads a file of moduli, one a line: decimal, 0x and hexadecimal, or "Modulus=" and hexadecimal, as openssl prints it.  Empty
 * lines are left out.  For each modulus that shares a factor with another one it prints the number of its line and two factors,
 * in hexadecimal; for one that stands there twice, the modulus itself and 1.
 */
#include <gfmul_arith.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The moduli, and where they come from. */
struct moduli {
    __mpz_struct *m, *g;
    size_t *line;
    size_t n, room;
};

static int moduli_grow(struct moduli *x)
{
    const size_t room = x->room == 0 ? 1024 : 2 * x->room;
    void *m = realloc(x->m, room * sizeof *x->m);
    if (m)
        x->m = m;
    void *line = realloc(x->line, room * sizeof *x->line);
    if (line)
        x->line = line;
    if (!m || !line)
        return 0;
    x->room = room;
    return 1;
}

/* line_take - add the number in a line, if it has one. */
static enum gfmul_status line_take(struct moduli *x, const char *text, size_t length, size_t line)
{
    static const char label[] = "Modulus=";
    const size_t skip = strncmp(text, label, sizeof label - 1) == 0 ? sizeof label - 1 : 0;
    while (length > 0 && strchr("\r\n\t ", text[length - 1]))
        length--;
    if (length == 0)
        return GFMUL_OK;
    if (x->n == x->room && !moduli_grow(x))
        return GFMUL_ERR_MEMORY;
    mpz_init(&x->m[x->n]);
    x->line[x->n++] = line;
    return gfmul_mpz_set_str(NULL, &x->m[x->n - 1], text + skip, length - skip, skip ? 16 : 0);
}

/* moduli_read - read a file.   *line out: the last one, for messages */
static enum gfmul_status moduli_read(struct moduli *x, FILE *file, size_t *line)
{
    char *text = NULL;
    size_t room = 0;
    enum gfmul_status status = GFMUL_OK;
    for (ssize_t length; status == GFMUL_OK && (length = getline(&text, &room, file)) >= 0;)
        status = line_take(x, text, (size_t)length, ++*line);
    free(text);
    return status;
}

/* factor_of - a factor of a modulus that shares all of its primes: what it has in common with one other modulus. */
static void factor_of(mpz_t factor, const struct moduli *x, size_t i)
{
    mpz_set(factor, &x->m[i]);
    for (size_t j = 0; j < x->n; j++) {
        if (j == i || mpz_cmp_ui(&x->g[j], 1) == 0)
            continue;
        mpz_t common;
        mpz_init(common);
        mpz_gcd(common, &x->m[i], &x->m[j]);
        if (mpz_cmp_ui(common, 1) > 0 && mpz_cmp(common, factor) < 0)
            mpz_set(factor, common);
        mpz_clear(common);
    }
}

static void factors_print(const struct moduli *x)
{
    mpz_t factor, other;
    mpz_inits(factor, other, NULL);
    for (size_t i = 0; i < x->n; i++) {
        if (mpz_cmp_ui(&x->g[i], 1) == 0)
            continue;
        if (mpz_cmpabs(&x->g[i], &x->m[i]) == 0)
            factor_of(factor, x, i);
        else
            mpz_set(factor, &x->g[i]);
        mpz_divexact(other, &x->m[i], factor);
        gmp_printf("%zu %Zx %Zx\n", x->line[i], factor, other);
    }
    mpz_clears(factor, other, NULL);
}

/* factors_find - set g. */
static enum gfmul_status factors_find(struct moduli *x)
{
    if (!(x->g = malloc((x->n + 1) * sizeof *x->g)))
        return GFMUL_ERR_MEMORY;
    for (size_t i = 0; i < x->n; i++)
        mpz_init(&x->g[i]);
    return gfmul_batch_gcd(NULL, x->g, x->m, x->n);
}

static void moduli_free(struct moduli *x)
{
    for (size_t i = 0; i < x->n; i++) {
        mpz_clear(&x->m[i]);
        if (x->g)
            mpz_clear(&x->g[i]);
    }
    free(x->m);
    free(x->g);
    free(x->line);
}

int main(int argc, char **argv)
{
    struct moduli x = {NULL, NULL, NULL, 0, 0};
    size_t line = 0;
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file) {
        if (argc == 2)
            perror(argv[1]);
        else
            fprintf(stderr, "Usage: batch_gcd FILE\n");
        return 1;
    }
    enum gfmul_status status = moduli_read(&x, file, &line);
    fclose(file);
    if (status != GFMUL_OK)
        fprintf(stderr, "batch_gcd: line %zu: %s\n", line, gfmul_strerror(status));
    else if ((status = factors_find(&x)) != GFMUL_OK)
        fprintf(stderr, "batch_gcd: %s\n", gfmul_strerror(status));
    else
        factors_print(&x);
    moduli_free(&x);
    return status == GFMUL_OK && fclose(stdout) == 0 ? 0 : 1;
}
