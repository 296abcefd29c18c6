/*
 * fuzz_entry.c - the entry of libFuzzer for the target FUZZ_TARGET, a function of fuzz.h.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* No driver is loaded: what a target finds depends on its input alone. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    FUZZ_TARGET(&in);
    return 0;
}
