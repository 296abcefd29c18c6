/*
 * scratch.h - products of numbers in files: the parts behind gfmul_files.h.
 *
 * doc/scale.md has the algorithm, the layout of the scratch files, and the sum of the bytes moved; doc/binary.md has the binary
 * format.
 *
 * A number is a polynomial in x = 10^k, or of binary numbers in x = 256^k, k = coefficient_digits.  A unit is what k counts: a
 * decimal digit, or a byte.  The n coefficients of the product, n = rows * row_points, are
 * convolved modulo three primes.  Coefficient r row_points + c lies in row r, column c.  With w of order n and v = w^row_points,
 *
 *     x^n - 1 = product over f < rows of (x^row_points - v^f).
 *
 * Columns: a DFT over the rows gives the residue modulo each factor.  Point c of residue f is multiplied by w^(f c), which turns
 * the factor into x^row_points - 1.  Rows: each residue is then multiplied in memory, by a ring of prime_ring.h.
 */
#ifndef GFMUL_SCRATCH_H
#define GFMUL_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "gfmul_files.h"
#include "limbs/residue.h"
#include "plan/prime_table.h"
#include "prime/prime_roots.h"

enum {
    SCRATCH_FOLDERS = 16,
    SCRATCH_TILE = 64,      /* columns that are transformed together */
    SCRATCH_ODD = 105,      /* the odd part of the rows divides it */
    SCRATCH_LEVELS = 40,    /* and points are at most this times 2^40 */
    SCRATCH_WINDOW = 4096,  /* characters that one step of a carry reads and writes */
    SCRATCH_TEXT = 1 << 20, /* characters that a pass over text reads at once, at most */
    SCRATCH_PAGE = 4096,    /* direct reads and writes need buffers, places and lengths that are multiples of it */
    SCRATCH_RUNS = 8        /* parts of a row whose carries are made side by side */
};

/* ---- errors ---- */

/* A block of a spectrum modulo a prime. */
struct scratch_place {
    unsigned spectrum, prime;
    size_t row, block;
};

struct scratch_error {
    enum gfmul_status status;
    int error;    /* the system's number, if a call of it has failed */
    bool damaged; /* VERIFY: the block at `place` is not what was written, and detail names it */
    struct scratch_place place;
    char detail[256];
};

/* scratch_fail - note a failure and its reason; returns the status. */
enum gfmul_status scratch_fail(struct scratch_error *e, enum gfmul_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* scratch_detail - report->detail of a status that is not OK: the reason of e, or if it has none, what the status says. */
void scratch_detail(struct gfmul_files_report *report, enum gfmul_status status, const struct scratch_error *e);

/* ---- scratch_file.c: reading and writing ---- */

/* The system's calls.  Tests replace them, to let them fail. */
struct scratch_calls {
    ssize_t (*read)(int fd, void *to, size_t bytes, off_t at);
    ssize_t (*write)(int fd, const void *from, size_t bytes, off_t at);
    int (*reserve)(int fd, off_t bytes);                      /* 0 or an error number */
    int (*resize)(int fd, off_t bytes);                       /* as ftruncate */
    int (*room)(const char *folder, int fd, uint64_t *bytes); /* of the file system of a folder, or of a file if it is NULL */
};
extern struct scratch_calls scratch_calls;

/* Bytes moved so far, and the time that took; of folders in parallel, the longest.  One thread at a time counts. */
struct scratch_moved {
    uint64_t read_bytes, write_bytes, ns;
};

/* file_fail - SPACE or FILE: "NAME: cannot WHAT: REASON", with the system's reason for an error number. */
enum gfmul_status file_fail(struct scratch_error *e, const char *name, const char *what, int error);

/* file_read, file_write - all of these bytes, or FILE, with the name in the reason (SPACE: no room). */
enum gfmul_status file_read(struct scratch_moved *moved, int fd, void *to, size_t bytes, uint64_t at, const char *name,
                            struct scratch_error *e);
enum gfmul_status file_write(struct scratch_moved *moved, int fd, const void *from, size_t bytes, uint64_t at, const char *name,
                             struct scratch_error *e);

/* file_reserve - have a file occupy these bytes on disk, if its file system can promise that. */
enum gfmul_status file_reserve(int fd, uint64_t bytes, const char *name, struct scratch_error *e);

/* ---- scratch_plan.c ---- */

struct scratch_plan {
    struct gfmul_files_needs needs;
    bool square, binary;
    unsigned threads;
    size_t k, rows, row_points, block_points; /* as in needs */
    unsigned levels;                          /* of a row */
    size_t blocks;                            /* of a row */
    size_t set_bytes;                         /* of one of two sets of buffers */
    size_t text_bytes;                        /* of text that a pass reads at once */
};

/* What a plan is made for. */
struct scratch_task {
    uint64_t digits[2];      /* units of a and b; not 0 */
    uint64_t product_digits; /* units written */
    uint64_t extra;          /* other bytes of the product: characters, or its head and checksums */
    uint64_t sums;           /* bytes of checksums of binary operands */
    bool square, binary;
    unsigned threads;
    uint64_t memory; /* bytes that there are */
    uint64_t opened; /* bytes that have been read already */
};

/*
 * scratch_plan_set - choose the transform.
 *
 *   plan  out  everything; if no plan fits into the memory, only needs.memory_bytes: the least that would do
 * Errors: MEMORY, SIZE.
 */
enum gfmul_status scratch_plan_set(struct scratch_plan *plan, const struct scratch_task *task, struct scratch_error *e);

/* scratch_memory_fail - MEMORY: so many bytes are needed at least, and so many are there. */
enum gfmul_status scratch_memory_fail(uint64_t least, uint64_t there, struct scratch_error *e);

/* ---- scratch_disk.c: scratch blocks ---- */

/* Spectra of the operands.  The product takes the place of the first. */
enum { SCRATCH_A, SCRATCH_B, SCRATCH_SPECTRA };

struct scratch_disk {
    const char *const *folder;
    unsigned folders;
    int fd[SCRATCH_FOLDERS];
    bool direct[SCRATCH_FOLDERS]; /* past the page cache: a write through it costs more time than the computation does */
    size_t rows, blocks, block_points;
    bool named;    /* files have names in their folders */
    bool product;  /* spectrum A has become the product's */
    uint64_t *sum; /* the checksum of each block */
    struct residue_modulus modulus;
    struct scratch_moved *moved;
};

/* How files are opened: without names, with names that are new, may be there, or have to be there. */
enum scratch_names { SCRATCH_NAMELESS, SCRATCH_NEW, SCRATCH_ANY, SCRATCH_KEPT };

/*
 * scratch_disk_open - make the files and reserve their room.
 *
 *   disk   out  to be closed even after a failure
 *   opt    in   the folders, which have to live as long
 *   prime  in   modulo which the checksums are: scratch_disk_prime
 */
enum gfmul_status scratch_disk_open(struct scratch_disk *disk, const struct scratch_plan *plan,
                                    const struct gfmul_files_options *opt, enum scratch_names names, uint64_t prime,
                                    struct scratch_moved *moved, struct scratch_error *e);
void scratch_disk_close(struct scratch_disk *disk);

/* scratch_disk_prime - draw a prime.   UNSUPPORTED: there are no random numbers */
enum gfmul_status scratch_disk_prime(uint64_t *prime, struct scratch_error *e);

/* scratch_disk_flush - bring all files to the disk.   scratch_disk_remove - take their names away. */
enum gfmul_status scratch_disk_flush(const struct scratch_disk *disk, struct scratch_error *e);
void scratch_disk_remove(const struct scratch_disk *disk);

/* scratch_disk_held - bytes of disk that the named file of a folder has. */
uint64_t scratch_disk_held(const char *folder, unsigned file);

/* place_id - number of a block. */
uint64_t place_id(const struct scratch_disk *disk, struct scratch_place at);

/*
 * block_file - the file of a block.   id in: its number
 *
 * Each group of as many blocks as there are files has one block in each.  Files follow in turn along a row, and from row to row
 * at one place, except in a group that begins in one row and ends in the next.
 */
unsigned block_file(const struct scratch_disk *disk, uint64_t id);

/* block_note - take the checksum of a block that will be written.   words in: block_points */
void block_note(struct scratch_disk *disk, struct scratch_place at, const uint64_t *words);

/* block_read - words of a block that was noted.   VERIFY: the block is damaged, and named */
enum gfmul_status block_read(struct scratch_disk *disk, struct scratch_place at, uint64_t *words, struct scratch_error *e);

/* The blocks of a row, of one spectrum after another, or those at one place of all rows, of one prime after another. */
struct scratch_run {
    bool row;
    unsigned spectrum, prime; /* the first spectrum; the prime of a row */
    size_t at, count;         /* the row or the place; how many blocks */
};

/* run_place - block j of a run. */
struct scratch_place run_place(const struct scratch_disk *disk, const struct scratch_run *run, size_t j);

/*
 * run_write, run_read - all blocks of a run: words j block_points .. are those of block j.   Threads move several at once.
 *
 *   note  in  take the checksums, too
 * Errors: of several damaged blocks the error names that of the lowest number.
 */
enum gfmul_status run_write(struct scratch_disk *disk, const struct scratch_run *run, uint64_t *words, bool note,
                            struct scratch_error *e);
enum gfmul_status run_read(struct scratch_disk *disk, const struct scratch_run *run, uint64_t *words, struct scratch_error *e);

/*
 * block_restore - write a damaged block once more, as its inputs give it.
 *
 *   e  i/o  in: the error that names the block
 * Errors: VERIFY if the words are not those that were noted.
 */
enum gfmul_status block_restore(struct scratch_disk *disk, const uint64_t *words, struct scratch_error *e);

/* ---- numbers in files ---- */

struct scratch_number {
    int fd;
    const char *name; /* for messages */
    bool negative, binary;
    uint64_t file_bytes;
    uint64_t digits;       /* significant digits; of a binary number, bytes of its limbs */
    uint64_t end;          /* the offset behind the last one */
    uint64_t top;          /* the first digits, at most 18; the first limb */
    unsigned top_digits;   /* of text */
    uint64_t block_limbs;  /* of a binary number */
    uint64_t error_offset; /* SYNTAX, EMPTY */
};

/* The residues of a number modulo the primes of the check. */
struct scratch_check {
    unsigned n, isa_bit, threads;
    uint64_t prime[GFMUL_RESIDUES_MAX];
    struct residue_modulus modulus[GFMUL_RESIDUES_MAX]; /* the same, for binary numbers */
};

/* ---- scratch_text.c: numbers of text ---- */

/* text_open - find sign and digits.  Characters between are not looked at.   Errors: FILE; SYNTAX, EMPTY: detail has no place. */
enum gfmul_status text_open(struct scratch_number *t, int fd, const char *name, struct scratch_moved *moved,
                            struct scratch_error *e);

/* text_place - line and column of a byte, counted from 1. */
enum gfmul_status text_place(const struct scratch_number *t, uint64_t offset, uint64_t *line, uint64_t *column,
                             struct scratch_moved *moved, struct scratch_error *e);

/* text_take - go on by `bytes` characters: r = r 10^bytes + their value.   SYNTAX: one is no digit; at out: its place */
enum gfmul_status text_take(const struct scratch_check *check, uint64_t *r, const char *text, size_t bytes, size_t *at);

/* ---- scratch_binary.c: binary numbers, doc/binary.md ---- */

enum {
    BINARY_HEAD_BYTES = 64,
    BINARY_BLOCK_LIMBS = 1 << 16, /* of numbers that the library writes */
    BINARY_LIMBS_LOG = 58         /* a number has at most 2^58 limbs */
};

/* binary_word - a word as it is in a file, and back: the least significant byte first. */
static inline uint64_t binary_word(uint64_t w)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(w) : w;
}

/* binary_magic - whether a file begins as binary numbers do; no text does.   bytes in: of them at head */
bool binary_magic(const void *head, size_t bytes);

/* binary_file_bytes - of a number of n <= 2^58 limbs with blocks of this length, a power of two. */
uint64_t binary_file_bytes(uint64_t n, uint64_t block_limbs);

/*
 * binary_open - read the head of a binary number, and compare it with the file's length.
 *
 * Errors: FILE; SYNTAX: the head is damaged, or the length is not that of the head; UNSUPPORTED: of another version.
 */
enum gfmul_status binary_open(struct scratch_number *t, int fd, const char *name, struct scratch_moved *moved,
                              struct scratch_error *e);

/* binary_head_put - the head of a number.   to out: BINARY_HEAD_BYTES */
void binary_head_put(void *to, const struct scratch_number *t);

/* Checksums of a number's blocks, which are taken from its first limb on. */
struct binary_sums {
    struct residue_modulus modulus;
    uint64_t block_limbs;
    uint64_t block;    /* whole blocks before this place */
    uint64_t in_block; /* limbs of the next one so far */
    uint64_t sum;      /* theirs, modulo the prime */
};

void binary_sums_begin(struct binary_sums *s, uint64_t block_limbs, unsigned isa_bit);

/*
 * binary_sums_take - go on by n limbs.
 *
 *   a        in   limbs
 *   end      in   the number ends with them
 *   sum      i/o  of the blocks that end there, as words of the file: they are written, or compared
 * Value: true; false: a checksum is another one, that of block s->block.
 */
bool binary_sums_take(struct binary_sums *s, const mp_limb_t *a, size_t n, bool end, uint64_t *sum, bool compare);

/* binary_sums_ended - how many blocks end among n limbs from `first` on.   limbs in: of the number */
size_t binary_sums_ended(uint64_t limbs, uint64_t block_limbs, uint64_t first, uint64_t n);

/* binary_sum_at - where the checksum of a block is. */
uint64_t binary_sum_at(const struct scratch_number *t, uint64_t block);

/* binary_damaged - SYNTAX: the block is damaged, and named; block 0 is called 1.   t out: error_offset */
enum gfmul_status binary_damaged(struct scratch_number *t, uint64_t block, struct scratch_error *e);

/* binary_take - go on by n limbs, behind `before` others: r = r + 2^(64 before) (their value). */
void binary_take(const struct scratch_check *check, uint64_t *r, const mp_limb_t *a, size_t n, uint64_t before);

/* binary_limbs - n words of a file become limbs, in place. */
void binary_limbs(mp_limb_t *a, size_t n);

/* ---- scratch_number.c: parts of numbers ---- */

/* number_at - where units first .. first + n - 1 are, counted from the least significant one. */
uint64_t number_at(const struct scratch_number *t, uint64_t first, uint64_t n);

/*
 * number_run_read - the units of coefficients first .. first + count - 1, count k bytes: of text the last one first, of a binary
 * number the first one first.   Beyond the number there are zeros.
 */
enum gfmul_status number_run_read(const struct scratch_number *t, char *to, uint64_t first, size_t count, size_t k,
                                  struct scratch_moved *moved, struct scratch_error *e);

/* number_run_write - the inverse.   VERIFY: a unit beyond the number is not 0. */
enum gfmul_status number_run_write(const struct scratch_number *t, const char *from, uint64_t first, size_t count, size_t k,
                                   struct scratch_moved *moved, struct scratch_error *e);

/* text_add - add a carry to n digits, the most significant first.   Value: what is carried out of them */
unsigned __int128 text_add(char *digits, size_t n, unsigned __int128 carry);

/* bytes_add - add a carry to n bytes, the least significant first.   Value: as of text_add */
unsigned __int128 bytes_add(char *bytes, size_t n, unsigned __int128 carry);

/* number_carry - add a carry to the number in a file, from unit `at` on.   VERIFY: it leaves the number. */
enum gfmul_status number_carry(const struct scratch_number *t, uint64_t at, unsigned __int128 carry, struct scratch_moved *moved,
                               struct scratch_error *e);

/* ---- scratch_columns.c: columns ---- */

/* A level of the transforms of columns: DFTs of `radix` points. */
struct column_level {
    size_t radix, points;             /* points: of the transforms that it divides */
    struct prime_multiplier *turn[2]; /* [t points / radix + j]: e(+- j t / points) */
    struct prime_multiplier *root[2]; /* e(+- t / radix), t < radix */
};

enum { COLUMN_LEVELS_MAX = SCRATCH_LEVELS + 3, COLUMN_LANES = 8 };

/* The tables of one prime. */
struct column_tables {
    uint64_t p, montgomery; /* - 1 / p modulo 2^64 */
    unsigned levels;
    struct column_level level[COLUMN_LEVELS_MAX];
    uint64_t *step[2];                 /* w^(+- f), for the row f in each place */
    struct prime_multiplier *lanes[2]; /* w^(+- f COLUMN_LANES) */
    uint64_t start[2];                 /* 2^64 mod p; backwards divided by rows */
    struct prime_multiplier two64;
};

struct columns {
    const struct scratch_plan *plan;
    struct column_tables prime[WORD_PRIMES];
    struct prime_multiplier inverse[3]; /* of p0 modulo p1, and of p0 and p1 modulo p2 */
    unsigned __int128 base, reciprocal; /* of text: 10^k; floor(2^192 / 10^k) */
    void *memory;
};

/* columns_memory - bytes of tables and of the tiles of all threads. */
uint64_t columns_memory(size_t rows, unsigned threads);
enum gfmul_status columns_create(struct columns *c, const struct scratch_plan *plan);
void columns_destroy(struct columns *c);

/*
 * columns_forward - transform the columns of a block.
 *
 *   spectra  out  [prime][place][block_points] words
 *   text     in   [row][block_points k] units of number_run_read
 *   used     in   rows that are not zero
 * Errors: MEMORY.
 */
enum gfmul_status columns_forward(const struct columns *c, uint64_t *spectra, const char *text, size_t block, size_t used);

/* columns_back - the inverse: coefficients modulo the primes, in place. */
enum gfmul_status columns_back(const struct columns *c, uint64_t *spectra, size_t block);

/*
 * columns_carry - join the residues, carry, cut into units.
 *
 *   text   out  [row][block_points k] units
 *   carry  i/o  [row][SCRATCH_RUNS + 1], the first one: into the first coefficient of the row in the block; out of its last
 */
void columns_carry(const struct columns *c, char *text, unsigned __int128 *carry, const uint64_t *spectra);

#endif
