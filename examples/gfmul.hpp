// gfmul.hpp - gfmul for C++ (C++20): contexts and fixed operands that end by themselves, errors as exceptions.
// SPDX-License-Identifier: LGPL-3.0-or-later
#ifndef GFMUL_HPP
#define GFMUL_HPP

#include <version>
#ifndef __cpp_lib_span
#error "gfmul.hpp needs C++20, such as by -std=c++20"
#endif

#include <gfmul.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gfmul {

using limbs = std::vector<mp_limb_t>; // least significant first

struct error : std::runtime_error {
    gfmul_status status;
    error(gfmul_status s, const std::string &detail)
        : std::runtime_error(gfmul_strerror(s) + (detail.empty() ? "" : ": " + detail)), status(s) {}
};

class context {
    struct end { void operator()(gfmul_ctx *c) const { gfmul_ctx_destroy(c); } };
    std::unique_ptr<gfmul_ctx, end> ctx_;

public:
    static gfmul_options defaults() { gfmul_options o; gfmul_options_init(&o); return o; }
    explicit context(const gfmul_options &options = defaults())
    {
        gfmul_ctx *c = nullptr;
        const gfmul_status status = gfmul_ctx_create(&c, &options);
        ctx_.reset(c);
        if (status != GFMUL_OK)
            throw error(status, "");
    }
    gfmul_ctx *get() const { return ctx_.get(); }
    gfmul_report report() const { gfmul_report r; gfmul_ctx_report(get(), &r); return r; }
    void check(gfmul_status status) const { if (status != GFMUL_OK) throw error(status, report().detail); }

    limbs mul(std::span<const mp_limb_t> a, std::span<const mp_limb_t> b) const
    {
        limbs z(a.size() + b.size());
        check(gfmul_mul(get(), z.data(), a.data(), a.size(), b.data(), b.size()));
        return z;
    }
    std::string mul(std::string_view a, std::string_view b, int base = 10) const
    {
        std::string z(gfmul_str_mul_size(a.size(), base, b.size(), base, base), '\0');
        size_t n = 0;
        check(gfmul_str_mul(get(), z.data(), z.size(), &n, base, a.data(), a.size(), base, b.data(), b.size(), base));
        z.resize(n);
        return z;
    }
    void mul(mpz_ptr z, mpz_srcptr a, mpz_srcptr b) const { check(gfmul_mpz_mul(get(), z, a, b)); }
};

} // namespace gfmul
#endif
