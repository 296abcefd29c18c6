/*
 * emit_c.c - the host functions of a transform: a header and a source in C99.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "gen/emit.h"

static bool wanted(const struct gen_params *p, bool backward)
{
    return p->direction == 'A' || p->direction == (backward ? 'B' : 'F');
}

/* Bytes of the signal and of the spectrum. */
static uint64_t signal_bytes(const struct gen_params *p)
{
    return (uint64_t)gen_points(p) * gen_size_of_point(p);
}
static uint64_t spectrum_bytes(const struct gen_params *p)
{
    return (uint64_t)gen_spectrum_points(p) * gen_size_of_point(p);
}

void gen_emit_header(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out)
{
    char file[64];
    const char *type = p->fftdata == 'f' ? "float" : "double";

    snprintf(file, sizeof file, "fft_%s.h", p->id);
    gen_emit_banner(p, file, "a fast Fourier transform on an OpenCL device", out);
    gen_printf(out, " *\n * Forward:  X[k] = %ssum over j of x[j] exp(-2 pi i j k / N).\n",
               p->scaling && p->direction == 'F' ? "1/N " : "");
    gen_printf(out, " * Backward: x[j] = %ssum over k of X[k] exp(+2 pi i j k / N).\n *\n",
               p->scaling && p->direction != 'F' ? "1/N " : "");
    if (p->data == 'C')
        gen_printf(out, " * Signal and spectrum: %u complex numbers, %s re, im.\n", p->n, type);
    else if (gen_two(p))
        gen_printf(out,
                   " * Signal: %u %ss of a real sequence, and %u of another one behind them; spectrum: the complex numbers\n"
                   " * k = 0 .. %u of the first, then those of the second, %s re, im.\n",
                   p->n, type, p->n, p->n / 2, type);
    else
        gen_printf(out, " * Signal: %u %ss, the %s parts; spectrum: the complex numbers k = 0 .. %u, %s re, im.\n", p->n, type,
                   p->data == 'I' ? "imaginary" : "real", p->n / 2, type);
    if (p->data == 'b')
        gen_printf(out, " * The forward transform reads it as digits of %d bits, digit j from bit %d j of limbs of 64 bits on.\n",
                   p->inprecision, p->inprecision);
    else if (gen_integers(p))
        gen_printf(out, " * The forward transform reads it as integers of %d bits%s.\n", p->data == 'i' ? 32 : 64,
                   p->data == 'l' || p->fftdata == 'f' ? ", rounded to that type" : "");
    if (p->fftdata == 'q')
        gen_printf(out, " * Double-double: each number is two doubles, the high part first; their sum is the number.\n");
    if (!p->bitrev)
        gen_printf(out, " * Frequency k of the spectrum is at fft_%s_index(k).\n", p->id);
    if (p->stoplevel > 0) {
        gen_printf(out, " * The transform stops after level %d: with R = %u, M = %u, and k below R, i below M, it makes\n",
                   p->stoplevel, l->done, l->points / l->done);
        gen_printf(out, " *     y[k][i] = w_N^(k i) * sum over j below R of x[j M + i] w_R^(j k),   w_n = exp(-2 pi i / n)\n");
        gen_printf(out, " * and keeps it at place %s.  A transform of M points over i would give X[k + R *].\n",
                   p->bitrev ? "i R + k" : "index(k) M + i");
    }
    if (l->any_zeros)
        gen_printf(out, " * NONEZ: inputs outside are taken as zero, and have to be.\n");
    gen_printf(
        out,
        " */\n#ifndef FFT_%s_H\n#define FFT_%s_H\n\n#ifndef CL_TARGET_OPENCL_VERSION\n#define CL_TARGET_OPENCL_VERSION 120\n"
        "#endif\n#ifdef __APPLE__\n#include <OpenCL/opencl.h>\n#else\n#include <CL/cl.h>\n#endif\n#include <stddef.h>\n"
        "#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
        p->id, p->id);
    gen_printf(out, "#define FFT_%s_N              %u\n", p->id, p->n);
    gen_printf(out, "#define FFT_%s_SIGNAL_BYTES   ((size_t)%llu)\n", p->id, (unsigned long long)signal_bytes(p));
    if (gen_integers(p) && p->direction != 'B')
        gen_printf(out, "#define FFT_%s_DIGITS_BYTES   ((size_t)%llu) /* of the forward transform's input */\n", p->id,
                   (unsigned long long)gen_integer_bytes(p));
    gen_printf(out, "#define FFT_%s_SPECTRUM_BYTES ((size_t)%llu)\n\n", p->id, (unsigned long long)spectrum_bytes(p));
    gen_expand(
        out, p->id,
        "/* What the functions return, besides OpenCL's own codes, which are negative. */\n"
        "enum fft_@_status {\n    FFT_@_OK = 0,\n    FFT_@_ERR_FILE = 1,     /* a file could not be read, or is not what it "
        "should be */\n"
        "    FFT_@_ERR_MEMORY = 2,   /* of the host */\n    FFT_@_ERR_BUILD = 3,    /* the kernels did not compile: see the "
        "log */\n"
        "    FFT_@_ERR_ARGUMENT = 4  /* in and out may not be one buffer here */\n};\n\n"
        "struct fft_@;\n\n"
        "/*\n * Make a transform for a device: compile the kernels of fft_@.cl.\n *\n"
        " *   folder        where fft_@.cl is; NULL: the current folder\n"
        " *   log, log_size the compiler's words, cut to log_size characters with the NUL; may be NULL, 0\n */\n"
        "int fft_@_create(struct fft_@ **plan, cl_context context, cl_device_id device, const char *folder, char *log,\n"
        "                 size_t log_size);\n"
        "void fft_@_release(struct fft_@ *plan);\n\n");
    for (int backward = 0; backward < 2; backward++) {
        if (!wanted(p, backward))
            continue;
        gen_printf(out, "/*\n * Enqueue the %s transform, from the %s `in` to the %s `out`%s.\n",
                   backward ? "backward" : "forward", backward ? "spectrum" : "signal", backward ? "signal" : "spectrum",
                   p->bitrev ? " (another buffer)" : " (may be the same buffer)");
        gen_printf(
            out,
            " * It waits for the events given; *event, where not NULL, is its end.  One thread at a time for each plan.\n */\n");
        gen_printf(out,
                   "int fft_%s_%s(struct fft_%s *plan, cl_command_queue queue, cl_mem in, cl_mem out, cl_uint n_wait,\n"
                   "    const cl_event *wait, cl_event *event);\n\n",
                   p->id, backward ? "backward" : "forward", p->id);
    }
    if (!p->bitrev)
        gen_printf(out, "/* The place of %s k in the order of the algorithm. */\nuint32_t fft_%s_index(uint32_t k);\n\n",
                   p->stoplevel > 0 ? "block" : "frequency", p->id);
    gen_printf(out, "#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

static void stages(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out)
{
    static const char *const buffers[] = {"BUFFER_IN", "BUFFER_OUT", "BUFFER_TMP"};
    struct gen_kernel kernels[GEN_MAX_KERNELS];
    bool tmp, any_tmp = false;
    int most = 1;
    uint32_t parts = 1; /* the most parts of any kernel */

    gen_printf(out, "enum { BUFFER_IN, BUFFER_OUT, BUFFER_TMP };\n\n/* The kernels of a direction, in order. */\n"
                    "struct stage {\n    const char *kernel;\n    int from, to;\n    cl_uint groups, items;\n};\n\n");
    for (int backward = 0; backward < 2; backward++) {
        if (!wanted(p, backward))
            continue;
        int n = gen_kernels_find(p, l, backward, kernels, &tmp);
        any_tmp = any_tmp || tmp;
        most = n > most ? n : most;
        gen_printf(out, "static const struct stage %s[] = {\n", backward ? "backward" : "forward");
        for (int i = 0; i < n; i++)
            parts = kernels[i].groups > parts ? kernels[i].groups : parts;
        for (int i = 0; i < n; i++)
            gen_printf(out, "    {\"fft_%s_%s_%d\", %s, %s, %u, %u},\n", p->id, backward ? "backward" : "forward", i + 1,
                       buffers[kernels[i].from], buffers[kernels[i].to], kernels[i].groups, kernels[i].work_items);
        gen_printf(out, "};\n");
    }
    parts = parts < (uint32_t)p->kernelnum ? parts : (uint32_t)p->kernelnum;
    gen_printf(out, "\nenum { MAX_STAGES = %d, KERNELNUM = %u };\n", most, parts);
    gen_printf(out, "#define TMP_BYTES   ((size_t)%llu)\n", any_tmp ? (unsigned long long)signal_bytes(p) : 0);
    gen_printf(out, "#define TABLE_BYTES ((size_t)%llu)\n\n", (unsigned long long)gen_table_bytes(p, &l->table));
    gen_printf(out, "struct fft_%s {\n    cl_program program;\n", p->id);
    for (int backward = 0; backward < 2; backward++)
        if (wanted(p, backward))
            gen_printf(out, "    cl_kernel %s[MAX_STAGES];\n", backward ? "backward" : "forward");
    gen_printf(out, "    cl_mem tmp, table; /* NULL where there is none */\n};\n\n");
}

static const char file_functions[] =
    "/* A whole file of a folder; NULL: it cannot be read.  A NUL stands behind it. */\n"
    "static char *file_read(const char *folder, const char *name, size_t *size)\n{\n"
    "    const size_t len = strlen(folder ? folder : \".\") + strlen(name) + 2;\n"
    "    char *path = malloc(len), *text = NULL;\n    FILE *f = NULL;\n    long end = -1;\n\n"
    "    if (path) {\n        if (name[0] == '/') /* in no folder */\n            folder = \"\";\n"
    "        snprintf(path, len, \"%s/%s\", folder ? folder : \".\", name);\n        f = fopen(path, \"rb\");\n    }\n"
    "    if (f && fseek(f, 0, SEEK_END) == 0 && (end = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0)\n"
    "        text = malloc((size_t)end + 1);\n"
    "    if (text && fread(text, 1, (size_t)end, f) != (size_t)end) {\n        free(text);\n        text = NULL;\n    }\n"
    "    if (text) {\n        text[end] = '\\0';\n        *size = (size_t)end;\n    }\n"
    "    if (f)\n        fclose(f);\n    free(path);\n    return text;\n}\n\n";

static const char kernel_functions[] =
    "static int kernels_make(const struct fft_@ *plan, const struct stage *stages, size_t n, cl_kernel *kernels)\n{\n"
    "    cl_int error = CL_SUCCESS;\n\n"
    "    for (size_t i = 0; i < n && error == CL_SUCCESS; i++) {\n"
    "        kernels[i] = clCreateKernel(plan->program, stages[i].kernel, &error);\n"
    "        if (error == CL_SUCCESS && plan->table)\n"
    "            error = clSetKernelArg(kernels[i], 2, sizeof plan->table, &plan->table);\n"
    "    }\n    return error;\n}\n\n"
    "static void kernels_release(cl_kernel *kernels)\n{\n"
    "    for (int i = 0; i < MAX_STAGES; i++)\n        if (kernels[i])\n            clReleaseKernel(kernels[i]);\n}\n\n"
    "/* Each stage waits for all parts of the one before. */\n"
    "static int enqueue(struct fft_@ *plan, const struct stage *stages, size_t n, cl_kernel *kernels, cl_command_queue queue,\n"
    "                   cl_mem in, cl_mem out, cl_uint n_wait, const cl_event *wait, cl_event *event)\n{\n"
    "    cl_event events[2][KERNELNUM];\n    cl_uint n_events[2] = {0, 0};\n    const cl_mem buffers[3] = {in, out, plan->tmp};\n"
    "    cl_int error = CL_SUCCESS;\n\n"
    "    for (size_t i = 0; i < n && error == CL_SUCCESS; i++) {\n"
    "        const struct stage *s = &stages[i];\n"
    "        const cl_uint parts = s->groups < KERNELNUM ? s->groups : KERNELNUM;\n"
    "        const size_t now = i % 2, before = 1 - now;\n\n"
    "        error = clSetKernelArg(kernels[i], 0, sizeof(cl_mem), &buffers[s->from]);\n"
    "        if (error == CL_SUCCESS)\n"
    "            error = clSetKernelArg(kernels[i], 1, sizeof(cl_mem), &buffers[s->to]);\n"
    "        n_events[now] = 0;\n"
    "        for (cl_uint part = 0; part < parts && error == CL_SUCCESS; part++) {\n"
    "            const cl_uint first = (cl_uint)((cl_ulong)s->groups * part / parts);\n"
    "            const cl_uint end = (cl_uint)((cl_ulong)s->groups * (part + 1) / parts);\n"
    "            const size_t local = s->items, global = (size_t)(end - first) * local;\n\n"
    "            error = clSetKernelArg(kernels[i], plan->table ? 3 : 2, sizeof first, &first);\n"
    "            if (error == CL_SUCCESS)\n"
    "                error = clEnqueueNDRangeKernel(queue, kernels[i], 1, NULL, &global, &local, i == 0 ? n_wait : "
    "n_events[before],\n"
    "                                               i == 0 ? wait : events[before], &events[now][part]);\n"
    "            if (error == CL_SUCCESS)\n                n_events[now]++;\n        }\n"
    "        for (cl_uint part = 0; part < n_events[before]; part++)\n            clReleaseEvent(events[before][part]);\n"
    "        n_events[before] = 0;\n    }\n"
    "    for (size_t k = 0; k < 2; k++) {\n"
    "        if (n_events[k] > 0 && event && error == CL_SUCCESS)\n"
    "            error = clEnqueueMarkerWithWaitList(queue, n_events[k], events[k], event);\n"
    "        for (cl_uint part = 0; part < n_events[k]; part++)\n            clReleaseEvent(events[k][part]);\n    }\n"
    "    return error;\n}\n\n";

static void create_function(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out)
{
    const char *type = p->fftdata == 'f' ? "float" : "double";

    gen_printf(out, "/* OpenCL gives the compiler's words whole or not at all. */\n"
                    "static void log_read(cl_program program, cl_device_id device, char *log, size_t log_size)\n{\n"
                    "    size_t size = 0;\n    char *all;\n\n"
                    "    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);\n"
                    "    all = calloc(size + 1, 1);\n"
                    "    if (all &&\n"
                    "        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, all, NULL) == CL_SUCCESS) {\n"
                    "        size = strlen(all) < log_size ? strlen(all) : log_size - 1;\n"
                    "        memcpy(log, all, size);\n        log[size] = '\\0';\n    }\n    free(all);\n}\n\n");
    gen_expand(
        out, p->id,
        "int fft_@_create(struct fft_@ **result, cl_context context, cl_device_id device, const char *folder, char *log,\n"
        "                 size_t log_size)\n{\n    struct fft_@ *plan = calloc(1, sizeof *plan);\n    char *source = NULL;\n");
    if (l->table.all > 0)
        gen_printf(out, "    %s *table = NULL;\n", type);
    gen_expand(
        out, p->id,
        "    size_t size = 0;\n    cl_int error = CL_SUCCESS;\n    int status = FFT_@_ERR_MEMORY;\n\n    *result = NULL;\n"
        "    if (log && log_size > 0)\n        log[0] = '\\0';\n    if (!plan)\n        return status;\n"
        "    status = FFT_@_ERR_FILE;\n    source = file_read(folder, \"fft_@.cl\", &size);\n    if (!source)\n        goto "
        "end;\n"
        "    plan->program = clCreateProgramWithSource(context, 1, (const char **)&source, &size, &error);\n"
        "    if (error != CL_SUCCESS)\n        goto failed;\n"
        "    error = clBuildProgram(plan->program, 1, &device, \"-cl-std=CL1.2\", NULL, NULL);\n"
        "    if (log && log_size > 0)\n        log_read(plan->program, device, log, log_size);\n"
        "    if (error != CL_SUCCESS) {\n        status = error == CL_BUILD_PROGRAM_FAILURE ? FFT_@_ERR_BUILD : error;\n"
        "        goto end;\n    }\n"
        "    if (TMP_BYTES > 0)\n        plan->tmp = clCreateBuffer(context, CL_MEM_READ_WRITE, TMP_BYTES, NULL, &error);\n"
        "    if (error != CL_SUCCESS)\n        goto failed;\n");
    if (l->table.all > 0) {
        gen_printf(out,
                   "    table = calloc(1, TABLE_BYTES);\n    status = FFT_%s_ERR_MEMORY;\n    if (!table)\n        goto end;\n",
                   p->id);
        gen_printf(out, "    status = table_make(table, folder);\n    if (status != FFT_%s_OK)\n        goto end;\n", p->id);
        gen_printf(out, "    plan->table =\n        clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, "
                        "TABLE_BYTES, table, &error);\n"
                        "    if (error != CL_SUCCESS)\n        goto failed;\n");
    }
    for (int backward = 0; backward < 2; backward++)
        if (wanted(p, backward)) {
            const char *d = backward ? "backward" : "forward";
            gen_printf(out,
                       "    error = kernels_make(plan, %s, sizeof %s / sizeof *%s, plan->%s);\n    if (error != CL_SUCCESS)\n"
                       "        goto failed;\n",
                       d, d, d, d);
        }
    gen_expand(out, p->id, "    status = FFT_@_OK;\n    goto end;\nfailed:\n    status = error;\nend:\n    free(source);\n");
    if (l->table.all > 0)
        gen_printf(out, "    free(table);\n");
    gen_expand(
        out, p->id,
        "    if (status == FFT_@_OK)\n        *result = plan;\n    else\n        fft_@_release(plan);\n    return status;\n}\n\n"
        "void fft_@_release(struct fft_@ *plan)\n{\n    if (!plan)\n        return;\n");
    for (int backward = 0; backward < 2; backward++)
        if (wanted(p, backward))
            gen_printf(out, "    kernels_release(plan->%s);\n", backward ? "backward" : "forward");
    gen_printf(out, "    if (plan->table)\n        clReleaseMemObject(plan->table);\n    if (plan->tmp)\n        "
                    "clReleaseMemObject(plan->tmp);\n"
                    "    if (plan->program)\n        clReleaseProgram(plan->program);\n    free(plan);\n}\n\n");
}

void gen_emit_source(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out)
{
    char name[64];

    snprintf(name, sizeof name, "fft_%s.c", p->id);
    gen_emit_banner(p, name, "host functions of a fast Fourier transform on an OpenCL device", out);
    gen_printf(
        out, " */\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n#include \"fft_%s.h\"\n\n",
        p->id);
    stages(p, l, out);
    gen_expand(out, p->id, file_functions);
    if (l->table.all > 0)
        gen_emit_table(p, l, out);
    gen_expand(out, p->id, kernel_functions);
    create_function(p, l, out);
    for (int backward = 0; backward < 2; backward++) {
        if (!wanted(p, backward))
            continue;
        const char *d = backward ? "backward" : "forward";
        gen_printf(out,
                   "int fft_%s_%s(struct fft_%s *plan, cl_command_queue queue, cl_mem in, cl_mem out, cl_uint n_wait,\n"
                   "    const cl_event *wait, cl_event *event)\n{\n",
                   p->id, d, p->id);
        if (p->bitrev)
            gen_printf(out, "    if (in == out)\n        return FFT_%s_ERR_ARGUMENT;\n", p->id);
        gen_printf(out,
                   "    return enqueue(plan, %s, sizeof %s / sizeof *%s, plan->%s, queue, in, out, n_wait, wait, event);\n}\n\n",
                   d, d, d, d);
    }
    if (!p->bitrev)
        gen_emit_index(p, l, true, out);
}
