/*
 * scratch_binary.c - binary numbers: their head, the checksums of their blocks, whole numbers from and to files and memory.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * doc/binary.md has the format.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cpu.h"
#include "base/environment.h"
#include "base/try.h"
#include "scratch/scratch.h"
#include "stages/stage_ops.h"

/*
 * The prime of the checksums, the largest safe prime below 2^52: (p - 1) / 2 is a prime, too, and the order of 2 modulo p, so
 * 2^i and 2^j differ modulo p for all bits i and j of a block.
 */
static const uint64_t sum_prime = (UINT64_C(1) << 52) - 473;

static const char magic[8] = {'\x89', 'G', 'F', 'M', '\r', '\n', '\x1a', '\n'};

enum {
    FORMAT_VERSION = 1,
    PIECE = 512,          /* words that are turned or compared together */
    BLOCK_LIMBS_LOG = 32, /* a block has at most 2^32 limbs */
};

/* The words of a head. */
enum { HEAD_MAGIC, HEAD_VERSION, HEAD_SIGN, HEAD_LIMBS, HEAD_BLOCK_LIMBS, HEAD_ZERO, HEAD_ZERO_TOO, HEAD_SUM, HEAD_WORDS };

_Static_assert(HEAD_WORDS * sizeof(uint64_t) == BINARY_HEAD_BYTES && sizeof magic == sizeof(uint64_t), "words");
_Static_assert(sizeof(mp_limb_t) == sizeof(uint64_t), "limbs are words");

void binary_limbs(mp_limb_t *a, size_t n)
{
    for (size_t i = 0; __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && i < n; i++)
        a[i] = binary_word(a[i]);
}

bool binary_magic(const void *head, size_t bytes)
{
    return bytes >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

uint64_t binary_file_bytes(uint64_t n, uint64_t block_limbs)
{
    return BINARY_HEAD_BYTES + 8 * n + 8 * (n / block_limbs + (n % block_limbs != 0));
}

uint64_t binary_sum_at(const struct scratch_number *t, uint64_t block)
{
    return BINARY_HEAD_BYTES + t->digits + 8 * block;
}

/* ---- checksums ---- */

/* sum_end - the checksum of block `number`, whose m limbs are `sum` modulo the prime.  The head is number 0. */
static uint64_t sum_end(uint64_t sum, size_t m, uint64_t number)
{
    return (sum + residue_mul(residue_power_of_limb(m, sum_prime), number + 1, sum_prime)) % sum_prime;
}

/* head_sum - of the words before it, in the order of the file. */
static uint64_t head_sum(const uint64_t *head)
{
    uint64_t sum = 0;
    for (size_t i = HEAD_SUM; i-- > 0;)
        sum = (uint64_t)(((unsigned __int128)sum << 64 | binary_word(head[i])) % sum_prime);
    return sum_end(sum, HEAD_SUM, 0);
}

void binary_sums_begin(struct binary_sums *s, uint64_t block_limbs, unsigned isa_bit)
{
    residue_modulus_set(&s->modulus, sum_prime, isa_bit);
    s->block_limbs = block_limbs;
    s->block = s->in_block = s->sum = 0;
}

size_t binary_sums_ended(uint64_t limbs, uint64_t block_limbs, uint64_t first, uint64_t n)
{
    const uint64_t end = first + n, blocks = end / block_limbs + (end == limbs && end % block_limbs != 0);
    return (size_t)(blocks - first / block_limbs);
}

bool binary_sums_take(struct binary_sums *s, const mp_limb_t *a, size_t n, bool end, uint64_t *sum, bool compare)
{
    while (n > 0) {
        const uint64_t room = s->block_limbs - s->in_block;
        const size_t m = n < room ? n : (size_t)room;
        uint64_t r;
        residue_limbs(&r, a, m, &s->modulus, 1, true, 1);
        s->sum = (s->sum + residue_mul(r, residue_power_of_limb((size_t)s->in_block, sum_prime), sum_prime)) % sum_prime;
        s->in_block += m;
        a += m;
        n -= m;
        if (s->in_block < s->block_limbs && !(end && n == 0))
            return true;
        const uint64_t word = binary_word(sum_end(s->sum, (size_t)s->in_block, s->block + 1));
        if (compare && *sum != word)
            return false;
        *sum++ = word;
        s->block++;
        s->in_block = s->sum = 0;
    }
    return true;
}

void binary_take(const struct scratch_check *check, uint64_t *r, const mp_limb_t *a, size_t n, uint64_t before)
{
    uint64_t part[GFMUL_RESIDUES_MAX];
    residue_limbs(part, a, n, check->modulus, check->n, true, check->threads);
    for (unsigned i = 0; i < check->n; i++) {
        const uint64_t p = check->prime[i];
        r[i] = (r[i] + residue_mul(part[i], residue_power_of_limb((size_t)before, p), p)) % p;
    }
}

/* ---- the head ---- */

void binary_head_put(void *to, const struct scratch_number *t)
{
    uint64_t head[HEAD_WORDS] = {0};
    memcpy(head, magic, sizeof magic);
    head[HEAD_VERSION] = binary_word(FORMAT_VERSION);
    head[HEAD_SIGN] = binary_word(t->negative);
    head[HEAD_LIMBS] = binary_word(t->digits / 8);
    head[HEAD_BLOCK_LIMBS] = binary_word(t->block_limbs);
    head[HEAD_SUM] = binary_word(head_sum(head));
    memcpy(to, head, sizeof head);
}

/* wrong - SYNTAX at a place of the file. */
static enum gfmul_status wrong(struct scratch_number *t, uint64_t at, const char *what, struct scratch_error *e)
{
    t->error_offset = at;
    return scratch_fail(e, GFMUL_ERR_SYNTAX, "%s", what);
}

enum gfmul_status binary_damaged(struct scratch_number *t, uint64_t block, struct scratch_error *e)
{
    const uint64_t limbs = t->digits / 8, first = block * t->block_limbs;
    const uint64_t n = limbs - first < t->block_limbs ? limbs - first : t->block_limbs;
    t->error_offset = BINARY_HEAD_BYTES + 8 * first;
    return scratch_fail(e, GFMUL_ERR_SYNTAX, "block %llu is damaged: bytes %llu to %llu, or its checksum at byte %llu",
                        (unsigned long long)block + 1, (unsigned long long)t->error_offset,
                        (unsigned long long)(t->error_offset + 8 * n - 1), (unsigned long long)binary_sum_at(t, block));
}

/* head_parse - the head of a number, of which `bytes` bytes are there. */
static enum gfmul_status head_parse(struct scratch_number *t, const void *from, uint64_t bytes, struct scratch_error *e)
{
    uint64_t head[HEAD_WORDS] = {0};
    const size_t there = bytes < sizeof head ? (size_t)bytes : sizeof head;
    memcpy(head, from, there);
    if (!binary_magic(head, there))
        return wrong(t, 0, "not a number of the binary format", e);
    t->binary = true;
    if (there < sizeof head)
        return wrong(t, there, "the head of a binary number is cut off", e);
    const uint64_t version = binary_word(head[HEAD_VERSION]), limbs = binary_word(head[HEAD_LIMBS]),
                   block_limbs = binary_word(head[HEAD_BLOCK_LIMBS]), sign = binary_word(head[HEAD_SIGN]);
    if (version != FORMAT_VERSION) {
        t->error_offset = 8 * HEAD_VERSION;
        return scratch_fail(e, GFMUL_ERR_UNSUPPORTED, "version %llu of the binary format; version %d is known",
                            (unsigned long long)version, (int)FORMAT_VERSION);
    }
    if (binary_word(head[HEAD_SUM]) != head_sum(head))
        return wrong(t, 8 * HEAD_SUM, "the head is damaged: its checksum is another one", e);
    if (sign > 1 || (sign == 1 && limbs == 0))
        return wrong(t, 8 * HEAD_SIGN, "the sign of a binary number is 0 or 1, and 0 of zero", e);
    if (limbs > UINT64_C(1) << BINARY_LIMBS_LOG)
        return wrong(t, 8 * HEAD_LIMBS, "more limbs than a binary number can have", e);
    if (block_limbs == 0 || block_limbs > UINT64_C(1) << BLOCK_LIMBS_LOG || (block_limbs & (block_limbs - 1)) != 0)
        return wrong(t, 8 * HEAD_BLOCK_LIMBS, "the limbs of a block are no power of two up to 2^32", e);
    if (head[HEAD_ZERO] != 0 || head[HEAD_ZERO_TOO] != 0)
        return wrong(t, 8 * HEAD_ZERO, "bytes 40 to 55 of a binary number are 0", e);
    t->negative = sign == 1;
    t->digits = 8 * limbs;
    t->end = BINARY_HEAD_BYTES + t->digits;
    t->block_limbs = block_limbs;
    return GFMUL_OK;
}

/* head_take - the head of a file of t->file_bytes, of which there are as many or BINARY_HEAD_BYTES. */
static enum gfmul_status head_take(struct scratch_number *t, const void *from, struct scratch_error *e)
{
    TRY(head_parse(t, from, t->file_bytes, e));
    const uint64_t limbs = t->digits / 8, bytes = binary_file_bytes(limbs, t->block_limbs);
    if (bytes == t->file_bytes)
        return GFMUL_OK;
    t->error_offset = bytes < t->file_bytes ? bytes : t->file_bytes;
    return scratch_fail(e, GFMUL_ERR_SYNTAX, "%s: a number of %llu limbs has %llu bytes, the file %llu",
                        t->file_bytes < bytes ? "cut off" : "too long", (unsigned long long)limbs, (unsigned long long)bytes,
                        (unsigned long long)t->file_bytes);
}

static enum gfmul_status top_is_zero(struct scratch_number *t, struct scratch_error *e)
{
    return wrong(t, t->end - 8, "the highest limb of a binary number is 0", e);
}

enum gfmul_status binary_open(struct scratch_number *t, int fd, const char *name, struct scratch_moved *moved,
                              struct scratch_error *e)
{
    struct stat st;
    char head[BINARY_HEAD_BYTES];
    *t = (struct scratch_number){.fd = fd, .name = name};
    if (fstat(fd, &st) != 0)
        return file_fail(e, name, "read", errno);
    if (!S_ISREG(st.st_mode))
        return scratch_fail(e, GFMUL_ERR_FILE, "%s: not a regular file", name);
    t->file_bytes = (uint64_t)st.st_size;
    TRY(file_read(moved, fd, head, t->file_bytes < sizeof head ? (size_t)t->file_bytes : sizeof head, 0, name, e));
    TRY(head_take(t, head, e));
    if (t->digits == 0)
        return GFMUL_OK;
    TRY(file_read(moved, fd, &t->top, sizeof t->top, t->end - 8, name, e));
    t->top = binary_word(t->top);
    return t->top == 0 ? top_is_zero(t, e) : GFMUL_OK;
}

/* ---- whole numbers ---- */

/* Where a number comes from, or goes to: a file, or memory with its content. */
struct place {
    int fd;
    char *to;         /* NULL: not to memory */
    const char *from; /* NULL: not from memory */
    struct scratch_moved moved;
    struct scratch_error *error;
};

static const char file_name[] = "the file";

static enum gfmul_status place_get(struct place *p, void *to, size_t bytes, uint64_t at)
{
    if (p->from == NULL)
        return file_read(&p->moved, p->fd, to, bytes, at, file_name, p->error);
    memcpy(to, p->from + at, bytes);
    return GFMUL_OK;
}

static enum gfmul_status place_put(struct place *p, const void *from, size_t bytes, uint64_t at)
{
    if (p->to == NULL)
        return file_write(&p->moved, p->fd, from, bytes, at, file_name, p->error);
    memcpy(p->to + at, from, bytes);
    return GFMUL_OK;
}

/* limbs_put - n limbs, as words of the file. */
static enum gfmul_status limbs_put(struct place *p, const mp_limb_t *a, size_t n, uint64_t at)
{
    if (__BYTE_ORDER__ != __ORDER_BIG_ENDIAN__)
        return place_put(p, a, 8 * n, at);
    mp_limb_t piece[PIECE];
    for (size_t done = 0; done < n; done += PIECE) {
        const size_t m = n - done < PIECE ? n - done : PIECE;
        memcpy(piece, a + done, m * sizeof *piece);
        binary_limbs(piece, m);
        TRY(place_put(p, piece, 8 * m, at + 8 * done));
    }
    return GFMUL_OK;
}

static unsigned isa_chosen(void)
{
    return isa_ops_select(cpu_isa_mask(environment_get("GFMUL_DISABLE")))->isa_bit;
}

/* number_get - the limbs behind a head, block by block, each of which is checked. */
static enum gfmul_status number_get(struct place *p, struct scratch_number *t, mp_limb_t *z)
{
    struct binary_sums s;
    uint64_t sum[PIECE];
    const uint64_t limbs = t->digits / 8;
    binary_sums_begin(&s, t->block_limbs, isa_chosen());
    for (uint64_t first = 0, block = 0; first < limbs; first += t->block_limbs, block++) {
        const size_t n = limbs - first < t->block_limbs ? (size_t)(limbs - first) : (size_t)t->block_limbs;
        if (block % PIECE == 0) {
            const size_t left = binary_sums_ended(limbs, t->block_limbs, first, limbs - first);
            TRY(place_get(p, sum, 8 * (left < PIECE ? left : PIECE), binary_sum_at(t, block)));
        }
        TRY(place_get(p, z + first, 8 * n, BINARY_HEAD_BYTES + 8 * first));
        binary_limbs(z + first, n);
        if (!binary_sums_take(&s, z + first, n, first + n == limbs, &sum[block % PIECE], true))
            return binary_damaged(t, block, p->error);
    }
    return limbs > 0 && z[limbs - 1] == 0 ? top_is_zero(t, p->error) : GFMUL_OK;
}

static enum gfmul_status number_put(struct place *p, const struct scratch_number *t, const mp_limb_t *a)
{
    struct binary_sums s;
    char head[BINARY_HEAD_BYTES];
    const uint64_t limbs = t->digits / 8;
    binary_head_put(head, t);
    binary_sums_begin(&s, t->block_limbs, isa_chosen());
    for (uint64_t first = 0; first < limbs; first += t->block_limbs) {
        const size_t n = limbs - first < t->block_limbs ? (size_t)(limbs - first) : (size_t)t->block_limbs;
        uint64_t sum;
        const uint64_t at = binary_sum_at(t, s.block);
        (void)binary_sums_take(&s, a + first, n, first + n == limbs, &sum, false);
        TRY(limbs_put(p, a + first, n, BINARY_HEAD_BYTES + 8 * first));
        TRY(place_put(p, &sum, sizeof sum, at));
    }
    return place_put(p, head, sizeof head, 0);
}

/* ---- the calls ---- */

/* call_begin - an empty report. */
static struct gfmul_files_report *call_begin(struct gfmul_files_report *report, struct gfmul_files_report *own)
{
    report = report != NULL ? report : own;
    *report = (struct gfmul_files_report){.status = GFMUL_ERR_ARGUMENT, .error_operand = -1};
    return report;
}

static enum gfmul_status call_end(struct gfmul_files_report *report, enum gfmul_status status, const struct scratch_number *t,
                                  const struct place *p)
{
    report->status = status;
    report->read_bytes = p->moved.read_bytes;
    report->write_bytes = p->moved.write_bytes;
    report->move_ns = p->moved.ns;
    if (status != GFMUL_OK)
        scratch_detail(report, status, p->error);
    if (status == GFMUL_ERR_SYNTAX || status == GFMUL_ERR_UNSUPPORTED) {
        report->error_operand = 0;
        report->error_offset = t->error_offset;
        memcpy(report->error_reason, report->detail, sizeof report->error_reason - 1);
    }
    return status;
}

/* binary_of - what the head says. */
static struct gfmul_binary binary_of(const struct scratch_number *t)
{
    const uint64_t limbs = t->digits / 8;
    return (struct gfmul_binary){limbs, t->block_limbs, binary_file_bytes(limbs, t->block_limbs), t->negative};
}

int gfmul_binary_begins(const void *file, size_t bytes)
{
    return file != NULL && binary_magic(file, bytes);
}

size_t gfmul_binary_bytes(size_t an)
{
    const uint64_t limbs = an;
    if (limbs > UINT64_C(1) << BINARY_LIMBS_LOG || binary_file_bytes(limbs, BINARY_BLOCK_LIMBS) > SIZE_MAX)
        return 0;
    return (size_t)binary_file_bytes(limbs, BINARY_BLOCK_LIMBS);
}

/* number_of - an limbs without those at the top that are 0.   ARGUMENT, SIZE */
static enum gfmul_status number_of(struct scratch_number *t, const mp_limb_t *a, size_t an, int negative)
{
    if (an > 0 && a == NULL)
        return GFMUL_ERR_ARGUMENT;
    while (an > 0 && a[an - 1] == 0)
        an--;
    if (gfmul_binary_bytes(an) == 0)
        return GFMUL_ERR_SIZE;
    *t = (struct scratch_number){.binary = true, .digits = 8 * (uint64_t)an, .block_limbs = BINARY_BLOCK_LIMBS};
    t->negative = negative != 0 && an > 0;
    return GFMUL_OK;
}

enum gfmul_status gfmul_binary_export(void *file, size_t bytes, size_t *len, const mp_limb_t *a, size_t an, int negative)
{
    struct scratch_number t;
    struct scratch_error e;
    struct place to = {.to = file, .error = &e};
    TRY(number_of(&t, a, an, negative));
    const size_t needed = (size_t)binary_file_bytes(t.digits / 8, t.block_limbs);
    if (file == NULL || len == NULL || bytes < needed)
        return GFMUL_ERR_ARGUMENT;
    *len = needed;
    return number_put(&to, &t, a);
}

/* number_take - the number behind a head, if z has room for it.   ARGUMENT; SYNTAX, FILE */
static enum gfmul_status number_take(struct place *from, struct scratch_number *t, mp_limb_t *z, size_t z_limbs, size_t *zn,
                                     int *negative)
{
    if (z_limbs < t->digits / 8 || (t->digits > 0 && z == NULL))
        return GFMUL_ERR_ARGUMENT;
    TRY(number_get(from, t, z));
    *zn = (size_t)(t->digits / 8);
    *negative = t->negative;
    return GFMUL_OK;
}

enum gfmul_status gfmul_binary_import(mp_limb_t *z, size_t z_limbs, size_t *zn, int *negative, const void *file, size_t bytes,
                                      struct gfmul_files_report *report)
{
    struct gfmul_files_report own;
    struct scratch_error e = {.status = GFMUL_OK};
    struct scratch_number t = {.file_bytes = bytes};
    struct place from = {.from = file, .error = &e};
    report = call_begin(report, &own);
    if (zn == NULL || negative == NULL || file == NULL)
        return GFMUL_ERR_ARGUMENT;
    enum gfmul_status status = head_take(&t, file, &e);
    if (status == GFMUL_OK)
        status = number_take(&from, &t, z, z_limbs, zn, negative);
    return call_end(report, status, &t, &from);
}

enum gfmul_status gfmul_binary_head(struct gfmul_binary *number, const void *file, size_t bytes,
                                    struct gfmul_files_report *report)
{
    struct gfmul_files_report own;
    struct scratch_error e = {.status = GFMUL_OK};
    struct scratch_number t = {.fd = -1};
    struct place from = {.from = file, .error = &e};
    report = call_begin(report, &own);
    if (number == NULL || file == NULL)
        return GFMUL_ERR_ARGUMENT;
    const enum gfmul_status status = head_parse(&t, file, bytes, &e);
    if (status == GFMUL_OK)
        *number = binary_of(&t);
    return call_end(report, status, &t, &from);
}

enum gfmul_status gfmul_binary_open(int fd, struct gfmul_binary *number, struct gfmul_files_report *report)
{
    struct gfmul_files_report own;
    struct scratch_error e = {.status = GFMUL_OK};
    struct scratch_number t;
    struct place from = {.fd = fd, .error = &e};
    report = call_begin(report, &own);
    if (number == NULL)
        return GFMUL_ERR_ARGUMENT;
    const enum gfmul_status status = binary_open(&t, fd, file_name, &from.moved, &e);
    if (status == GFMUL_OK)
        *number = binary_of(&t);
    return call_end(report, status, &t, &from);
}

enum gfmul_status gfmul_binary_read(int fd, mp_limb_t *z, size_t z_limbs, size_t *zn, int *negative,
                                    struct gfmul_files_report *report)
{
    struct gfmul_files_report own;
    struct scratch_error e = {.status = GFMUL_OK};
    struct scratch_number t;
    struct place from = {.fd = fd, .error = &e};
    report = call_begin(report, &own);
    if (zn == NULL || negative == NULL)
        return GFMUL_ERR_ARGUMENT;
    enum gfmul_status status = binary_open(&t, fd, file_name, &from.moved, &e);
    if (status == GFMUL_OK)
        status = number_take(&from, &t, z, z_limbs, zn, negative);
    return call_end(report, status, &t, &from);
}

enum gfmul_status gfmul_binary_write(int fd, const mp_limb_t *a, size_t an, int negative, struct gfmul_files_report *report)
{
    struct gfmul_files_report own;
    struct scratch_error e = {.status = GFMUL_OK};
    struct scratch_number t = {.digits = 0};
    struct place to = {.fd = fd, .error = &e};
    struct stat st;
    report = call_begin(report, &own);
    TRY(report->status = number_of(&t, a, an, negative));
    const int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || (flags & O_APPEND) != 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size != 0)
        return call_end(report, scratch_fail(&e, GFMUL_ERR_ARGUMENT, "the number needs an empty regular file, open for writing"),
                        &t, &to);
    enum gfmul_status status = file_reserve(fd, binary_file_bytes(t.digits / 8, t.block_limbs), file_name, &e);
    if (status == GFMUL_OK)
        status = number_put(&to, &t, a);
    if (status != GFMUL_OK && scratch_calls.resize(fd, 0) != 0 && status != GFMUL_ERR_FILE)
        status = scratch_fail(&e, GFMUL_ERR_FILE, "%s: cannot be emptied after an error", file_name);
    return call_end(report, status, &t, &to);
}
