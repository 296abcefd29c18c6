// mul_wrapper.cpp - multiply limbs and text by the wrapper gfmul.hpp, and meet an error.
// SPDX-License-Identifier: LGPL-3.0-or-later
//
// Build:  c++ -std=c++20 mul_wrapper.cpp -o mul_wrapper $(pkg-config --cflags --libs gfmul)
#include "gfmul.hpp"

#include <iostream>

int main()
try {
    const gfmul::context context;
    const gfmul::limbs a(100000, ~mp_limb_t(0)), z = context.mul(a, a); // (B^n - 1)^2 = B^2n - 2 B^n + 1
    std::cout << z.size() << " limbs, engine " << context.report().plan.engine << ", the lowest is " << z.front() << '\n';
    std::cout << context.mul("111111111", "111111111") << '\n';
    try {
        context.mul("12x", "1");
    } catch (const gfmul::error &e) {
        std::cout << e.what() << '\n';
    }
    return z.front() == 1 && z[a.size()] == ~mp_limb_t(0) - 1 ? 0 : 1;
} catch (const gfmul::error &e) {
    std::cerr << "mul_wrapper: " << e.what() << '\n';
    return 1;
}
