// leave_by_exception.cc - an exception of C++ leaves a progress callback: it arrives, the context goes on, nothing is lost.
//
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <gfmul.h>

static int calls, leave_at; // 0: never

struct left {
    int call;
};

static int callback(void *, double)
{
    if (++calls == leave_at)
        throw left{calls};
    return 0;
}

static size_t in_use()
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
#else
    return 0;
#endif
}

// product - whether it is right; its operands go with an exception.
static bool product(gfmul_ctx *ctx, size_t n, uint64_t seed)
{
    std::vector<mp_limb_t> a(n), z(2 * n), w(2 * n);
    for (auto &limb : a)
        limb = seed = seed * 6364136223846793005u + 1442695040888963407u;
    if (gfmul_sqr(ctx, z.data(), a.data(), n) != GFMUL_OK)
        return false;
    if (leave_at != 0)
        return true;
    mpn_sqr(w.data(), a.data(), (mp_size_t)n);
    return z == w;
}

int main()
{
    const size_t n = 2000000; // some tenths of a second, so that the callback is called some times
    bool good = true;
    int thrown = 0;
    for (unsigned threads = 1; threads <= 2; threads++) {
        for (int precision : {0, (int)GFMUL_PRECISION_PRIME}) {
            gfmul_ctx *ctx;
            gfmul_options opt;
            gfmul_options_init(&opt);
            opt.device = "cpu";
            opt.engine = GFMUL_ENGINE_CPU;
            opt.precision = (gfmul_precision)precision;
            opt.threads = threads;
            opt.progress = callback;
            size_t before = 0;
            if (gfmul_ctx_create(&ctx, &opt) != GFMUL_OK)
                return 1;
            for (leave_at = 1; leave_at <= 3; leave_at++) {
                calls = 0;
                try {
                    good = product(ctx, n, 1) && good;
                } catch (const left &l) {
                    thrown++;
                    good = good && l.call == leave_at;
                }
                gfmul_ctx_trim(ctx);
                if (leave_at == 2)
                    before = in_use();
            }
            if (in_use() > before + 100000) {
                std::printf("%zu bytes are left behind\n", in_use() - before);
                good = false;
            }
            leave_at = 0;
            good = product(ctx, 100000, 2) && good;
            gfmul_ctx_destroy(ctx);
        }
    }
    std::printf("%d exceptions\n", thrown);
    return good && thrown >= 6 ? 0 : 1;
}
