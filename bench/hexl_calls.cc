/*
 * hexl_calls.cc - transforms of Intel HEXL, called from C by b-ntt -x.
 *
 * In a folder with HEXL's sources (hexl/ of github.com/IntelLabs/hexl), and with a cpuinfo_x86.h that has the struct X86Features
 * of cpu_features and a GetX86Info() by __builtin_cpu_supports:
 *
 *     touch hexl/include/hexl/util/defines.hpp
 *     g++ -std=c++17 -O3 -march=native -fPIC -shared -I. -Ihexl -Ihexl/include "-DHEXL_UNUSED(x)=(void)(x)" -DHEXL_USE_GNU \
 *         -DHEXL_HAS_AVX512DQ -DHEXL_HAS_AVX512IFMA -DHEXL_HAS_AVX512VBMI2 -o libhexl-calls.so hexl_calls.cc \
 *         hexl/ntt/ *.cpp hexl/number-theory/ *.cpp
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "hexl/ntt/ntt.hpp"

using intel::hexl::NTT;

extern "C" {
void *hexl_make(uint64_t n, uint64_t prime)
{
    return new NTT(n, prime);
}
void hexl_drop(void *plan)
{
    delete static_cast<NTT *>(plan);
}
uint64_t hexl_root(void *plan)
{
    return static_cast<NTT *>(plan)->GetMinimalRootOfUnity();
}
void hexl_forward(void *plan, uint64_t *x)
{
    static_cast<NTT *>(plan)->ComputeForward(x, x, 1, 1);
}
void hexl_backward(void *plan, uint64_t *x)
{
    static_cast<NTT *>(plan)->ComputeInverse(x, x, 1, 1);
}
}
