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

# GFMUL_MPI - is there an MPI that $CC links with?  $with_mpi is auto, yes or no.  Sets have_mpi, MPI_CFLAGS, MPI_LIBS and MPIRUN,
# and the automake condition HAVE_MPI.  The flags are those that MPICC shows; the compiler that it calls is not used.
AC_DEFUN([GFMUL_MPI], [
AC_ARG_VAR([MPICC], [compiler of MPI, whose flags are used])
AC_ARG_VAR([MPIRUN], [what starts programs of MPI, for the tests])
have_mpi=no MPI_CFLAGS= MPI_LIBS=
dnl The libraries of MPI leave memory behind, and their threads are not known to the thread sanitizer.
AS_IF([test "$with_mpi,$with_sanitizer" != auto,no && test "$with_mpi" != yes], [with_mpi=no])
AS_IF([test "$with_mpi" != no],
      [AC_CHECK_PROGS([MPICC], [mpicc mpicc.mpich mpicc.openmpi])
       for gfmul_flag in `${MPICC:-false} -show 2>/dev/null`; do
           AS_CASE([$gfmul_flag], [-I*|-D*], [MPI_CFLAGS="$MPI_CFLAGS $gfmul_flag"],
                   [-L*|-l*|-Wl,*|-pthread], [MPI_LIBS="$MPI_LIBS $gfmul_flag"])
       done
       gfmul_mpi_save_CPPFLAGS=$CPPFLAGS gfmul_mpi_save_LIBS=$LIBS
       CPPFLAGS="$CPPFLAGS $MPI_CFLAGS" LIBS="$MPI_LIBS $LIBS"
       AC_MSG_CHECKING([whether $CC links with MPI 3])
       AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#if MPI_VERSION < 3
#error too old
#endif]], [[MPI_Request r; return MPI_Ialltoallv(0, 0, 0, MPI_INT, 0, 0, 0, MPI_INT, MPI_COMM_WORLD, &r);]])], [have_mpi=yes])
       AC_MSG_RESULT([$have_mpi])
       CPPFLAGS=$gfmul_mpi_save_CPPFLAGS LIBS=$gfmul_mpi_save_LIBS
       AS_IF([test "$with_mpi,$have_mpi" = yes,no],
             [AC_MSG_ERROR([--with-mpi=yes, but no MPI 3 was found (Debian: mpich, libmpich-dev); MPICC names its compiler])])])
AS_IF([test $have_mpi = yes],
      [AC_CHECK_PROGS([MPIRUN], [`echo "$MPICC" | sed 's/mpicc/mpirun/'` mpirun])
       have_mpi="yes ($MPICC)"],
      [MPI_CFLAGS= MPI_LIBS=])
AC_SUBST([MPI_CFLAGS])
AC_SUBST([MPI_LIBS])
AM_CONDITIONAL([HAVE_MPI], [test "$have_mpi" != no])
])
