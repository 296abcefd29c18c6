# gfmul.rb - a formula of Homebrew.  The address and the checksum of a release are written by who releases it.
# SPDX-License-Identifier: LGPL-3.0-or-later
class Gfmul < Formula
  desc "Exact multiplication of big integers by FFT convolution"
  homepage "https://example.org/gfmul"
  url "https://example.org/gfmul/gfmul-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "LGPL-3.0-or-later"

  depends_on "pkgconf" => [:build, :test]
  depends_on "gmp"
  uses_from_macos "python"
  uses_from_macos "zlib"

  on_linux do
    depends_on "ocl-icd"
    depends_on "opencl-headers" => :build
  end

  def install
    system "./configure", "--with-fftw=no", *std_configure_args
    system "make"
    system "make", "install"
  end

  test do
    (testpath/"a.txt").write "111111111\n"
    assert_equal "12345678987654321\n", shell_output("#{bin}/bigmul a.txt a.txt")
    flags = shell_output("pkgconf --cflags --libs gfmul").chomp.split
    system ENV.cc, doc/"examples/mul_mpz.c", "-o", "mul_mpz", *flags
    assert_match "engine", shell_output("./mul_mpz")
  end
end
