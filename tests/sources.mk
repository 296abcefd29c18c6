# tests/sources.mk - test programs, their helpers, and test scripts.
# SPDX-License-Identifier: LGPL-3.0-or-later

# Compiled once, linked into every test program.
test_helpers = \
    tests/guard.c \
    tests/operands.c \
    tests/reference.c \
    tests/guard.h \
    tests/operands.h \
    tests/reference.h \
    tests/test.h

# tests/t-<stem>.c each.
test_programs =

# Scripts, run by bash.
test_scripts =

test_data =
