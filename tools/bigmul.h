/*
 * bigmul.h - the parts of the program bigmul.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The program stands on the public gfmul.h alone.  Functions that return an int return an exit status, EXIT_DONE where all
 * is well; they have printed their message when it is another.  All but the signal handlers run in the main thread.
 */
#ifndef BIGMUL_H
#define BIGMUL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "gfmul.h"

enum {
    EXIT_DONE = 0,
    EXIT_INPUT = 1,  /* bad input, or reading or writing failed */
    EXIT_USAGE = 2,  /* bad command line */
    EXIT_COMPUTE = 3 /* no memory, no device, no plan, or a product that failed its check */
};

/* ---- bigmul_options.c: the command line ---- */

enum progress_when { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };
enum stats_form { STATS_NONE, STATS_TEXT, STATS_JSON };
enum plan_form { PLAN_NONE, PLAN_CHOSEN, PLAN_ALL };

enum { SCRATCH_FOLDERS = 16 }; /* of --scratch, at most */

struct settings {
    struct gfmul_options library; /* what the context is made with */
    char **argv;
    const char *file[2];          /* the same pointer twice for --square */
    const char *certificate;      /* NULL: none */
    const char *output;           /* NULL: standard output */
    const char *memory_text;      /* of --memory, for messages */
    const char *scratch;          /* names of folders, separated by commas; NULL: in memory */
    size_t memory;                /* bytes for numbers and workspace; 0: no limit but the machine's */
    bool lenient;
    int base, output_base;        /* 0: auto; 0: as A's */
    enum plan_form plan;
    bool list_devices;
    unsigned build_part, build_parts; /* of the programs, which this process builds instead of a product; 0 parts: it does not */
    enum stats_form stats;
    enum progress_when progress;
};

/*
 * The option of a process that another one starts, "--internal-build=PART/PARTS": the first argument, or it is none.
 * It is no option of getopt's, which would also take abbreviations.
 */
#define BUILD_OPTION "--internal-build="

/*
 * options_parse - read the command line.
 *
 *   settings  out  complete where *done is false
 *   done      out  true: nothing is left to do (--help, --version, or an error)
 */
int options_parse(struct settings *settings, bool *done, int argc, char **argv);

/* options_unsupported - say which of the choices this build or this machine does not have. */
void options_unsupported(const struct gfmul_options *library);

/* ---- bigmul_wait.c: threads that wait ---- */

/*
 * threads_wait_asleep - start the program once more with OMP_WAIT_POLICY=passive, which OpenMP reads before main.
 *
 *   settings  in  as on the command line.  Nothing has been opened or read yet
 * Returns only if nothing is to be gained: the variable is set, one thread was asked for, or the files are short.
 */
void threads_wait_asleep(const struct settings *settings);

/* ---- bigmul_message.c: messages, names in them, and time ---- */

/* complain - print "bigmul: ..." and a line end on standard error, after erasing the progress bar. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* name_for_messages - a file's name; of "-" and NULL the standard one, of an empty name ''. */
const char *name_for_messages(const char *file, const char *standard);

/* time_ns - monotonic time. */
uint64_t time_ns(void);

/* ---- bigmul_input.c: an operand's file ---- */

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

#define INPUT_NONE ((struct input){.fd = -1})

/* How operands are read. */
struct reading {
    int base;                /* 0: auto */
    bool lenient;            /* as bigmul_lenient.c does */
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

/* input_touch - have the pages of a mapped file read now. */
void input_touch(const struct input *in);

/* input_check - EXIT_INPUT, with a message, if a mapped file has changed since it was opened. */
int input_check(const struct input *in);

void input_close(struct input *in);

/* ---- bigmul_number.c: properties of a number before the library reads it ---- */

/* number_base - the base that a prefix gives, 10 without one.  Not a check: the library does that. */
int number_base(const char *text, size_t len);

/* number_digits - significant digits of a valid number; at least 1. */
size_t number_digits(const char *text, size_t len, int base);

/*
 * number_stray - the first character at `from` or later that a number cannot have there, or len.  Of a text that is not complete:
 * what may still become a number has none.   base in: 0: auto
 */
size_t number_stray(const char *text, size_t len, size_t from, int base);

/* ---- bigmul_lenient.c: --lenient ---- */

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

/* ---- bigmul_gunzip.c: files of gzip ---- */

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

/* ---- bigmul_output.c: writing the product, whole or not at all ---- */

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

#define OUTPUT_NONE ((struct output){.name = NULL})

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
 * to write, empty
 * output_end - the file is complete: it appears under its name.   fd i/o: closed, also after an error
 * output_abandon - end without it.   fd in: -1: output_end was called, or output_begin was not
 */
int output_begin(struct output *out, int *fd);
int output_end(struct output *out, int *fd);
void output_abandon(struct output *out, int fd);

void output_free(struct output *out);

/* stdout_close - EXIT_INPUT, with a message, where something printed on standard output could not be written. */
int stdout_close(void);

/* ---- bigmul_signal.c: signals ---- */

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

/* ---- bigmul_progress.c: the progress bar ---- */

/* progress_setup - set the library's progress callback if a bar may be wanted. */
void progress_setup(enum progress_when when, struct gfmul_options *library);

/* progress_start - the work starts now. */
void progress_start(void);

/* progress_erase - remove the bar from the terminal.  Async-signal-safe. */
void progress_erase(void);

/* ---- bigmul_stats.c: --stats ---- */

enum { STATS_KERNELS = 32 };

struct run_stats {
    uint64_t read_ns, wait_ns, write_ns, wall_ns; /* wait: for a device, once the operands were read */
    size_t input_bytes[2];
    size_t output_bytes;
    int base[2], output_base;
    struct gfmul_kernel_time kernel[STATS_KERNELS]; /* of an OpenCL device */
    unsigned n_kernels;
};

/* stats_print - print the figures of a run on standard error; false if that failed. */
bool stats_print(enum stats_form form, const struct gfmul_report *report, const struct run_stats *run);

/* ---- bigmul_start.c: the context, and a device's start, while the operands are read ---- */

struct start {
    const struct settings *settings;
    size_t bytes[2]; /* of the operands' files, 0: not known */
    bool square;     /* of the same file */
    int base;        /* the product as gfmul_device_prepare takes it */
    size_t size[2];
    bool apart;      /* a thread does it */
    pthread_t thread;
    struct gfmul_ctx *ctx;
    enum gfmul_status status; /* of gfmul_ctx_create */
    uint64_t device_start_ns; /* of what was opened there; 0: nothing */
};

/* start_help - the work of a process that another one started to build a part of the programs.   Returns its exit status. */
int start_help(const struct settings *settings);

/* start_begin - make the context; if a device is named, or may be worth it, in a thread that opens it, too. */
void start_begin(struct start *start, const struct settings *settings);
/* start_end - wait for it: start->ctx is there, or the status says why not. */
enum gfmul_status start_end(struct start *start);

/* ---- bigmul_scratch.c: --scratch ---- */

/* scratch_run - multiply by files.   settings i/o: progress is set */
int scratch_run(struct settings *settings);

/* ---- bigmul_devices.c: --list-devices ---- */

/* devices_print - print a line per device on standard output. */
int devices_print(void);

#endif
