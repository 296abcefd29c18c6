# packages/sources.mk - files for packagers, and the completion of shells.  tools/check_packages.sh looks at them.
# SPDX-License-Identifier: LGPL-3.0-or-later

bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = packages/completion/gfmul.bash
zshcompletiondir = $(datadir)/zsh/$(ZSH_FUNCTIONS)
ZSH_FUNCTIONS = site-functions
dist_zshcompletion_DATA = packages/completion/_gfmul

# bash looks for a file of the command's name.
completed = bigcalc bigmul gfmul-check-certificate gfmul-run gfmul-fft fftgen
install-data-hook:
	cd '$(DESTDIR)$(bashcompletiondir)' && for name in $(completed); do cp gfmul.bash $$name; done && rm gfmul.bash
uninstall-hook:
	cd '$(DESTDIR)$(bashcompletiondir)' && rm -f $(completed)

EXTRA_DIST += \
    packages/conda/meta.yaml \
    packages/homebrew/gfmul.rb.in \
    packages/oss-fuzz/Dockerfile \
    packages/oss-fuzz/build.sh \
    packages/oss-fuzz/project.yaml \
    $(debian_files)
debian_files = \
    debian/changelog.in \
    debian/control.in \
    debian/copyright \
    debian/gfmul-tools.install \
    debian/gfmul-tools.manpages \
    debian/libgfmul-dev.install \
    debian/libgfmul-gmp.install \
    debian/libgfmul-gmp.lintian-overrides \
    debian/libgfmul-gmp.manpages \
    debian/libgfmul-gmp.triggers \
    debian/libgfmul0.install \
    debian/python3-gfmul.install \
    debian/rules \
    debian/source/format

# make formula - gfmul.rb for the distribution of this build.  RELEASE_URL is the folder from which users fetch it, or it is where
# it lies; RELEASE_HOMEPAGE is the project's page.
formula: dist
	@folder=$${RELEASE_URL:-file://`pwd`}; \
	sum=`sha256sum $(distdir).tar.gz | sed 's/ .*//'`; \
	sed -e "s|@HOMEPAGE@|$${RELEASE_HOMEPAGE:-$$folder}|" -e "s|@URL@|$$folder/$(distdir).tar.gz|" -e "s|@SHA256@|$$sum|" \
	    $(srcdir)/packages/homebrew/gfmul.rb.in >gfmul.rb.tmp && mv gfmul.rb.tmp gfmul.rb
	@echo "gfmul.rb is there."
.PHONY: formula
CLEANFILES += gfmul.rb
