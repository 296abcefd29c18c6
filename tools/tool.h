/*
 * tool.h - what bigmul and bigcalc share: messages, options, numbers in files, signals, the progress bar.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The programs stand on the public headers alone, but for bigmul's devices.  Functions that return an int return an exit status,
 * EXIT_DONE where all is well; they have printed their message when it is another.  All but the signal handlers run in the main
 * thread.
 */
#ifndef TOOL_H
#define TOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "gfmul.h"

enum {
    EXIT_DONE = 0,
    EXIT_INPUT = 1,  /* bad input, or reading or writing failed */
    EXIT_USAGE = 2,  /* bad command line */
    EXIT_COMPUTE = 3 /* no memory, no device, no plan, or a result that failed its check */
};

/* The name of the program, in messages and temporary files; each program defines it. */
extern const char program_name[];

/* ---- tool_values.c: values of options ---- */

enum progress_when { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };
enum stats_form { STATS_NONE, STATS_TEXT, STATS_JSON };

/* usage_error - print the hint at --help.   Returns EXIT_USAGE. */
int usage_error(void);

/* choice_parse - the index of a name in a list that NULL ends, or -1 after a message that lists the names.  "" is none. */
int choice_parse(const char *what, const char *value, const char *const *names);

/* number_parse - a decimal number in low..high, or -1.  No sign, no space, no prefix. */
int number_parse(const char *value, int low, int high);

/*
 * base_parse - the value of --base: 0 for "auto".   output_base_parse - that of --output-base.   threads_parse - of --threads.
 * stats_parse - the value of --stats, NULL if it has none.   progress_parse - that of --progress.   format_parse - that of
 * --output-format.
 * All return -1 after a message.
 */
int base_parse(const char *value);
int output_base_parse(const char *value);
int threads_parse(const char *value);
int stats_parse(const char *value);
int progress_parse(const char *value);
int format_parse(const char *value);

/* verify_parse - the value of --verify: a name, or mod:K; -1 after a message.   library i/o: verify, verify_primes */
int verify_parse(struct gfmul_options *library, const char *value);

/* name_option_init - let getopt's messages begin with the program's name, whatever path it was called by. */
void name_option_init(int argc, char **argv);

/* ---- tool_message.c: messages, names in them, and time ---- */

/* text_show - print on standard error, with \n or \xNN for control characters: names of files may have some. */
void text_show(const char *text);

/* complain - print "NAME: ..." as one line on standard error (text_show), after erasing the progress bar. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* name_for_messages - a file's name; of "-" and NULL the standard one, of an empty name ''. */
const char *name_for_messages(const char *file, const char *standard);

/* time_ns - monotonic time. */
uint64_t time_ns(void);

/* ---- tool_input.c: an operand's file ---- */

struct input {
    const char *name; /* for messages */
    const char *text; /* after input_load: len characters, not NUL-terminated */
    size_t len;
    char *buffer; /* owned: what was read, or NULL */
    void *map;    /* owned: what is mapped, or NULL */
    int fd;       /* -1 once it is no longer needed */
    bool stray;   /* reading has stopped at a character that no number has: the library says which, and what is wrong */
    struct stat stat;
};

/* An initializer: no file.  GCC 10 takes a compound literal in an initializer for its end, and misses the members after it. */
#define INPUT_NONE \
    {              \
        .fd = -1   \
    }

/* How operands are read. */
struct reading {
    int base;                /* 0: auto */
    bool lenient;            /* as tool_lenient.c does */
    size_t room;             /* bytes that a text may have; 0: as the machine's memory */
    const char *memory_text; /* of --memory, or NULL */
};

/* input_open - open a file, or standard input for "-".   in out, end with input_close. */
int input_open(struct input *in, const char *file);

/* input_same - whether two open inputs are the same text: one regular file, from one place on. */
bool input_same(const struct input *a, const struct input *b);

/* input_is_pipe - whether a file, not opened here, is a pipe, or the very pipe that an open input reads (NULL: any). */
bool input_is_pipe(const char *file, const struct input *of);

/* input_load - map or read the text of an open input. */
int input_load(struct input *in, const struct reading *how);

/* input_touch - have the pages of a mapped file read now, until another thread has had enough. */
void input_touch(const struct input *in, const atomic_bool *enough);

/* input_check - EXIT_INPUT, with a message, if a mapped file has changed since it was opened. */
int input_check(const struct input *in);

/*
 * input_is_still - whether a path names the regular file that was opened, and the file has not changed since.
 *
 *   in  in  after input_open, also once its descriptor is closed
 */
bool input_is_still(const struct input *in, const char *path);

/* input_wrong - report what the library found wrong in a text: SYNTAX or EMPTY.   Returns EXIT_INPUT. */
int input_wrong(const struct input *in, const struct gfmul_report *report, bool lenient);

void input_close(struct input *in);

/* ---- tool_number.c: properties of a number before the library reads it ---- */

/* number_base - the base that a prefix gives, 10 without one.  Not a check: the library does that. */
int number_base(const char *text, size_t len);

/* number_digits - significant digits of a valid number; at least 1. */
size_t number_digits(const char *text, size_t len, int base);

/* Where a number's digits are: text[first] is not 0, and behind text[end - 1] there are only blanks. */
struct number_place {
    size_t first, end;
    int base;
    bool negative;
};

/*
 * number_place_find - place the digits by the two ends of a text; what lies between them is not looked at.
 *
 *   base  in  0: auto
 * false: the number is 0, or none begins there.
 */
bool number_place_find(struct number_place *place, const char *text, size_t len, int base);

/*
 * number_stray - the first character at `from` or later that a number cannot have there, or len.  Of a text that is not complete:
 * what may still become a number has none.   base in: 0: auto
 */
size_t number_stray(const char *text, size_t len, size_t from, int base);

/* ---- tool_lenient.c: --lenient ---- */

enum lenient_state { LENIENT_NUMBER, LENIENT_BACKSLASH, LENIENT_COLON, LENIENT_COUNT, LENIENT_COUNTED };

/* The part of a text that has been read; zeroed at its start, except for line and column, which are 1. */
struct lenient {
    enum lenient_state state;
    bool point, after_cr;
    size_t offset, line, column;  /* of the next character; of the wrong one, once there is one */
    size_t marked;                /* bytes of a byte order mark */
    uint64_t digits, after_point; /* so far */
    uint64_t count;               /* of a mark */
    char reason[128];
};

/* lenient_take - blank what is no digit in the next part of a text; false: it is wrong, and reason says why.   text i/o */
bool lenient_take(struct lenient *s, char *text, size_t len);

/* lenient_end - the text has ended; as lenient_take. */
bool lenient_end(struct lenient *s);

/* lenient_hint - what may help with a text in which the character at an offset is wrong; NULL: nothing known. */
const char *lenient_hint(const char *text, size_t len, size_t offset, bool lenient);

/* ---- tool_gunzip.c: files of gzip ---- */

struct gunzip;
#ifdef HAVE_ZLIB
enum { GUNZIP_AVAILABLE = 1 };
#else
enum { GUNZIP_AVAILABLE = 0 };
#endif

/* gunzip_begin - NULL: no memory, or not in this build. */
struct gunzip *gunzip_begin(void);

/*
 * gunzip_take - decompress some of the input; NULL, or the error.
 *
 *   in, in_len  i/o  the rest of it
 *   out_len     i/o  room at out; what was written
 */
const char *gunzip_take(struct gunzip *g, const char **in, size_t *in_len, char *out, size_t *out_len);

/* gunzip_done - whether the file may end here. */
bool gunzip_done(const struct gunzip *g);

void gunzip_end(struct gunzip *g); /* NULL is allowed */

/* ---- tool_output.c: writing the product, whole or not at all ---- */

struct output {
    const char *name; /* for messages */
    bool is_open;     /* an open descriptor, fd */
    int fd;
    bool is_special;  /* not a regular file: written in place */
    char *path;       /* owned: the file to replace, symbolic links followed; NULL for a descriptor */
    char *temporary;  /* owned: path of the temporary file, NULL until there is one */
    struct stat stat; /* of the file to replace, if it exists */
    bool exists;
};

/* An initializer, as INPUT_NONE: no destination. */
#define OUTPUT_NONE  \
    {                \
        .name = NULL \
    }

/*
 * output_prepare - find the product's destination; complain early if it cannot be written.
 *
 *   file  in  NULL or "-": standard output; /dev/stdout, /dev/fd/N and their like, or a link to them: that descriptor, as it
 *             is open
 */
int output_prepare(struct output *out, const char *file);

/* output_write - write len characters.  A regular file appears under its name when all is written and on disk. */
int output_write(struct output *out, const char *text, size_t len);

/*
 * output_begin - open a file for a product that someone else writes, if the product goes to a regular file.   fd out: to read and
 * to write, empty;  named in: others open it as out->temporary, which an end that cannot be caught leaves behind
 * output_end - the file is complete: it appears under its name.   fd i/o: closed, also after an error
 * output_abandon - end without it.   fd in: -1: output_end was called, or output_begin was not
 */
int output_begin(struct output *out, bool named, int *fd);
int output_end(struct output *out, int *fd);
void output_abandon(struct output *out, int fd);

void output_free(struct output *out);

/* standard_descriptors_open - the first step of a program: no file that it opens becomes a standard stream. */
void standard_descriptors_open(void);

/* stdout_close - EXIT_INPUT, with a message, where something printed on standard output could not be written. */
int stdout_close(void);

/* ---- tool_binary.c: numbers in the binary format ---- */

/* The kind of a result.  AUTO: binary if all files of the expression are, and no base is asked for. */
enum number_format { FORMAT_AUTO, FORMAT_TEXT, FORMAT_BINARY };

/* binary_may_begin - whether the first characters of a file may be those of a binary number. */
bool binary_may_begin(const char *text, size_t len);

/* binary_ends - whether nothing more of a binary number need be read: its head is wrong, or there is more than the head says. */
bool binary_ends(const char *text, size_t len);

/* input_is_binary - whether a loaded file is a binary number, or a damaged one.   input_limbs - its limbs; 0 of a wrong head. */
bool input_is_binary(const struct input *in);
size_t input_limbs(const struct input *in);

/* input_import - the number of a loaded binary file.   z out: room for input_limbs */
int input_import(const struct input *in, mp_limb_t *z, size_t *zn, int *negative);

/* format_is_binary - whether a result is binary.   binary in: all files are.   output_base in: 0: not given */
bool format_is_binary(enum number_format format, bool binary, int output_base);

/* output_terminal_check - EXIT_INPUT, with a message, if a binary number would go to a terminal. */
int output_terminal_check(const struct output *out);

/* output_binary - write a number as output_write does.   len out: bytes of its file */
int output_binary(struct output *out, const mp_limb_t *a, size_t an, bool negative, size_t *len);

/* ---- tool_signal.c: signals ---- */

/*
 * signals_install - from now on a signal that ends the program erases the progress bar and removes the temporary file
 * first.  Signals that were ignored stay ignored; SIGPIPE and SIGXFSZ become errors of write().
 */
void signals_install(void);

/* signals_temporary - the file to remove; NULL: none.   path in: not copied. */
void signals_temporary(const char *path);

/* signals_watch_map, signals_forget_map - a mapped file that shrinks raises SIGBUS: say so, with its name, and end. */
void signals_watch_map(const void *map, size_t bytes, const char *name);
void signals_forget_map(const void *map);

/* computing_begin, computing_end - if the program ends in between, FFTW has ended it for want of memory: say so. */
void computing_begin(void);
void computing_end(void);

/* ---- tool_progress.c: the progress bar ---- */

/* progress_setup - set the library's progress callback if a bar may be wanted. */
void progress_setup(enum progress_when when, struct gfmul_options *library);

/*
 * progress_part - the library's next calls are a part of the work.
 *   from, share  in  where the part begins, and what it is of the whole; together at most 1.  The whole is 0, 1, as at first
 */
void progress_part(double from, double share);

/* progress_start - the work starts now. */
void progress_start(void);

/* progress_erase - remove the bar from the terminal.  Async-signal-safe. */
void progress_erase(void);

/* ---- tool_stats.c: what all programs' --stats have ---- */

/* stats_peak_bytes - the peak memory of the process; 0: unknown.   stats_ms - milliseconds. */
uint64_t stats_peak_bytes(void);
double stats_ms(uint64_t ns);

/* stats_json_string - print "key":"s".  Bytes that are not ASCII become U+FFFD, so that the text is valid for any name. */
void stats_json_string(const char *key, const char *s);

#endif
