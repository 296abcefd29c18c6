# gfmul.m4 - macros of gfmul's configure.ac.
# SPDX-License-Identifier: LGPL-3.0-or-later

# GFMUL_TRISTATE(NAME, WHAT) - --with-NAME=auto|yes|no into $with_NAME; anything else is an error.
AC_DEFUN([GFMUL_TRISTATE], [
AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1=auto|yes|no], [$2 @<:@auto@:>@])], [], [with_$1=auto])
AS_CASE([$with_$1], [auto|yes|no], [],
        [AC_MSG_ERROR([--with-$1=$with_$1: the choices are auto, yes and no])])
])

# GFMUL_SWITCH(NAME, WHAT, DEFAULT, VARIABLE) - --enable-NAME into $VARIABLE, yes or no; anything else is an error.
AC_DEFUN([GFMUL_SWITCH], [
AC_ARG_ENABLE([$1], [AS_HELP_STRING([--enable-$1=yes|no], [$2 @<:@$3@:>@])], [$4=$enableval], [$4=$3])
AS_CASE([$$4], [yes|no], [],
        [AC_MSG_ERROR([--enable-$1=$$4: the choices are yes and no])])
])

# GFMUL_CC_FLAG(FLAG, VARIABLE) - append FLAG to VARIABLE where the compiler takes it.  The user's own flags stay out of this: one
# that the compiler warns of would make each flag here look as if it were not known.
AC_DEFUN([GFMUL_CC_FLAG], [
AS_VAR_PUSHDEF([cache], [gfmul_cv_cc_$1])dnl
AC_CACHE_CHECK([whether $CC takes $1], [cache], [
    gfmul_save_CFLAGS=$CFLAGS gfmul_save_CPPFLAGS=$CPPFLAGS
    CFLAGS="-Werror $1" CPPFLAGS=
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [AS_VAR_SET([cache], [yes])], [AS_VAR_SET([cache], [no])])
    CFLAGS=$gfmul_save_CFLAGS CPPFLAGS=$gfmul_save_CPPFLAGS
])
AS_VAR_IF([cache], [yes], [AS_VAR_APPEND([$2], [" $1"])])
AS_VAR_POPDEF([cache])dnl
])

# GFMUL_LD_FLAG(FLAG, VARIABLE) - append FLAG to VARIABLE if a program or library links with it.
AC_DEFUN([GFMUL_LD_FLAG], [
AS_VAR_PUSHDEF([cache], [gfmul_cv_ld_$1])dnl
AC_CACHE_CHECK([whether $CC links with $1], [cache], [
    gfmul_save_LDFLAGS=$LDFLAGS gfmul_save_CFLAGS=$CFLAGS
    LDFLAGS="$LDFLAGS $1" CFLAGS="$CFLAGS -fPIC"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AS_VAR_SET([cache], [yes])], [AS_VAR_SET([cache], [no])])
    LDFLAGS=$gfmul_save_LDFLAGS CFLAGS=$gfmul_save_CFLAGS
])
AS_VAR_IF([cache], [yes], [AS_VAR_APPEND([$2], [" $1"])])
AS_VAR_POPDEF([cache])dnl
])

# GFMUL_ISA(NAME, HOST, FLAGS, HEADER, BODY) - is this instruction set built: is the host's processor one of HOST, and does the
# compiler take it?  Sets NAME_CFLAGS, the automake condition HAVE_<NAME> and the C macro GFMUL_HAVE_<NAME>, 1 or 0; isa_list has
# those that are built, isa_sets what GFMUL_DISABLE leaves the next best one.  FLAGS come before the user's, as make has them.
AC_DEFUN([GFMUL_ISA], [
m4_pushdef([upper], m4_toupper([$1]))dnl
AS_CASE([$host_cpu], [$2],
    [AC_CACHE_CHECK([whether $CC builds $1 code], [gfmul_cv_isa_$1], [
         gfmul_save_CFLAGS=$CFLAGS
         CFLAGS="$3 $CFLAGS"
         AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$4>
static volatile double in, out;]], [[$5]])], [gfmul_cv_isa_$1=yes], [gfmul_cv_isa_$1=no])
         CFLAGS=$gfmul_save_CFLAGS
     ])], [gfmul_cv_isa_$1=no])
AS_IF([test "$gfmul_cv_isa_$1" = yes],
      [have_isa=1 isa_list="$isa_list $1" isa_off="${isa_off+$isa_off,}$1" isa_sets="$isa_sets $isa_off"], [have_isa=0])
AC_DEFINE_UNQUOTED([GFMUL_HAVE_]upper, [$have_isa], [1 if the library is built for $1, else 0.])
AM_CONDITIONAL([HAVE_]upper, [test $have_isa = 1])
AC_SUBST(upper[_CFLAGS], ["$3"])
m4_popdef([upper])dnl
])

# GFMUL_PC(MODULE, LIBS, REQUIRES, OTHERS) - append MODULE to the variable REQUIRES if pkg-config knows it, else LIBS to OTHERS.
AC_DEFUN([GFMUL_PC], [
AS_IF([$PKG_CONFIG --exists $1 2>/dev/null], [AS_VAR_APPEND([$3], [" $1"])], [AS_VAR_APPEND([$4], [" $2"])])
])
