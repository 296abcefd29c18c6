/*
 * bench_parts.h - programs that measure several things of one kind: the first argument says which one.
 */
#ifndef GFMUL_BENCH_PARTS_H
#define GFMUL_BENCH_PARTS_H

struct bench_part {
    const char *name;
    int (*run)(int argc, char **argv); /* as a main function; argv[0] is "PROGRAM NAME" */
    const char *what;                  /* for --help */
};

/* bench_parts_run - runs the part that argv[1] names, with the arguments behind it; parts end in one without a name.
 * Value: its status; 2 after a message if argv names none; 0 after --help. */
int bench_parts_run(const char *program, const struct bench_part *parts, int argc, char **argv);

/* b-stages */
int stages_floor(int argc, char **argv);
int stages_dd(int argc, char **argv);
int stages_lengths(int argc, char **argv);
int stages_wrap(int argc, char **argv);
int stages_residue(int argc, char **argv);

/* b-device */
int device_products(int argc, char **argv);
int device_sums(int argc, char **argv);
int device_stream(int argc, char **argv);
int device_bus(int argc, char **argv);
int device_start(int argc, char **argv);

/* b-fft */
int transform_cpu(int argc, char **argv);
int transform_device(int argc, char **argv);
int transform_conv(int argc, char **argv);

/* b-gallery, beside its own modes */
int gallery_register(int argc, char **argv);

#endif
