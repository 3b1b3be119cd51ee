# One makefile for everything. `make help` lists the targets.
#
# Flavours: objects of different flags never mix. FLAVOUR=release (default) leaves its programs in build/,
# the others (asan, tsan, clang) in build/FLAVOUR/.

SHELL    := /bin/bash
FLAVOUR  ?= release
CC       := gcc
AR       := ar
WERROR   ?= -Werror
OUT      := build/$(FLAVOUR)
BIN      := $(if $(filter release,$(FLAVOUR)),build,$(OUT))
SHARED   ?= $(abspath ../shared)
NODEJS   ?= /usr/share/nodejs

WARN := -Wall -Wextra -Wpedantic $(WERROR) -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
        -Wmissing-prototypes -Wold-style-definition -Wpointer-arith -Wcast-qual -Wcast-align -Wwrite-strings \
        -Wformat=2 -Wundef -Wvla -Wswitch-enum -Wimplicit-fallthrough -Wnull-dereference -Wdouble-promotion \
        -Wfloat-equal -fno-common
WARN_GCC   := -Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wjump-misses-init -Wformat-truncation=2 \
              -Warith-conversion -include engine/base/banned.h
WARN_CLANG := -Wcomma -Wunreachable-code-aggressive -Wconditional-uninitialized -Wassign-enum

STD  := -std=c11 -D_GNU_SOURCE -I. -ffp-contract=off -fno-strict-aliasing -g -pthread
HARD := -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection \
        -fcf-protection=full -fPIE
# Pure arithmetic on boards: no pointer of theirs comes from outside, and they are what is timed.
HOT  := -O3 -fPIE -fno-stack-protector
LINK := -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack -Wl,-z,separate-code -Wl,--as-needed

HARD_PLAIN := $(HARD)
LINK_PLAIN := $(LINK)
LINK_SANDBOX := -static-pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack -Wl,-z,separate-code

ifeq ($(FLAVOUR),clang)
  CC   := clang
else ifeq ($(FLAVOUR),asan)
  HARD := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
  HOT  := $(HARD)
  LINK := -fsanitize=address,undefined
else ifeq ($(FLAVOUR),tsan)
  HARD := -O1 -fno-omit-frame-pointer -fsanitize=thread
  HOT  := -O2 -fno-omit-frame-pointer -fsanitize=thread
  LINK := -fsanitize=thread
else ifeq ($(FLAVOUR),cov)
  HARD := -O1 --coverage -fprofile-update=atomic
  HOT  := $(HARD)
  LINK := --coverage
else ifeq ($(FLAVOUR),fuzz)
  CC   := clang
  HARD := -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
  HOT  := $(HARD)
  LINK := -fsanitize=fuzzer,address,undefined
endif
ifneq ($(findstring clang,$(CC)),)
  WARN += $(WARN_CLANG)
else
  WARN += $(WARN_GCC)
  ifeq ($(FLAVOUR),release)
    HARD += -ftrivial-auto-var-init=zero
  endif
  HARD_PLAIN += -ftrivial-auto-var-init=zero
endif

# The launcher is made with musl where it is installed: before main glibc asks the processor what it can do, dozens
# of times, and in a virtual machine each question leaves it (a seventh of a start). musl's own gcc knows no static-pie,
# so its files are named here; the kernel's headers are the same for every libc.
MULTIARCH := $(shell $(CC) -print-multiarch)
MUSL := /usr/lib/$(shell uname -m)-linux-musl
SANDBOX_CC := $(CC)
SANDBOX_LIBS :=
ifneq ($(and $(filter gcc,$(CC)),$(wildcard $(MUSL)/rcrt1.o),$(shell command -v musl-gcc)),)
  SANDBOX_CC := musl-gcc -idirafter /usr/include -idirafter /usr/include/$(MULTIARCH)
  LINK_SANDBOX += -nostdlib -Wl,--no-dynamic-linker $(MUSL)/rcrt1.o $(MUSL)/crti.o
  SANDBOX_LIBS := -L$(MUSL) -lc -lgcc $(MUSL)/crtn.o
endif

ENGINE_LIBS := -ljansson -lnettle -lm
STORE_LIBS  := -lsqlite3
SERVER_LIBS := -lmicrohttpd -lz
TOOL_LIBS   := -lcurl

HOT_SRC     := $(wildcard engine/rules/*.c engine/policy/*.c)
ENGINE_SRC  := $(filter-out engine/tool/% engine/wasm/%,$(wildcard engine/*/*.c))
TOOL_SRC    := $(filter-out engine/tool/main.c,$(wildcard engine/tool/*.c))
STORE_SRC   := $(wildcard store/*.c)
SERVER_SRC  := $(filter-out server/main.c,$(wildcard server/*.c server/http/*.c server/api/*.c server/work/*.c))
SANDBOX_SRC := $(wildcard server/sandbox/*.c)
SUPPORT_SRC := $(wildcard tests/support/*.c)
# A test program is one tests/{unit,http,sandbox}/**/test_*.c; a player or attack is one C file of its own.
TEST_SRC    := $(wildcard tests/unit/*/test_*.c tests/http/test_*.c tests/sandbox/test_*.c)
PLAYER_SRC  := $(wildcard tests/policies/*.c)
HOSTILE_SRC := $(wildcard tests/hostile/*.c)
BENCH_SRC   := $(wildcard tests/bench/*.c)
FUZZ_SRC    := $(wildcard tests/fuzz/*.c)
# What the fuzz targets use beside the engine; no archive, so that they need nothing of the store or of the pages.
FUZZ_WITH   := tests/support/plain_fair.c engine/tool/replayfile.c engine/tool/decide_line.c server/cidr.c \
               $(addprefix server/http/,form.c headers.c route.c) server/work/endpoint_policy.c
WASM_SRC    := $(wildcard engine/wasm/*.c engine/rules/*.c) \
               $(addprefix engine/policy/,expectimax.c features.c heuristic.c columns.c lru.c)
WASM_HEADER := $(wildcard engine/wasm/*.h engine/wasm/libc/*.h engine/base/*.h engine/rules/*.h engine/policy/*.h)

obj = $(patsubst %.c,$(OUT)/obj/%.o,$(1))

LIBENGINE  := $(OUT)/libengine.a
LIBTOOL    := $(OUT)/libtool.a
LIBSTORE   := $(OUT)/libstore.a
LIBSERVER  := $(OUT)/libserver.a
LIBSUPPORT := $(OUT)/libsupport.a
TESTS      := $(patsubst tests/%.c,$(OUT)/tests/%,$(TEST_SRC))
PLAYERS    := $(patsubst tests/%.c,$(OUT)/tests/%,$(PLAYER_SRC))
HOSTILES   := $(patsubst tests/%.c,$(OUT)/tests/%,$(HOSTILE_SRC))
BENCHES    := $(patsubst tests/%.c,$(OUT)/tests/%,$(BENCH_SRC))
LIBFUZZ    := $(OUT)/libfuzz.a
FUZZERS    := $(patsubst tests/fuzz/fuzz_%.c,$(OUT)/tests/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
PROGRAMS   := $(BIN)/drop7 $(BIN)/drop7d $(BIN)/drop7-sandbox

# `make V=1` shows the commands.
Q   := $(if $(V),,@)
say  = $(if $(V),,@echo "  $(1)  $@")

# All cores, unless -j was given.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

.DELETE_ON_ERROR:
.SECONDEXPANSION:
.SECONDARY:
.PHONY: help build run test test-browser test-build test-http asan tsan fuzz lint format check-format bench bench-http signatures clean install uninstall \
        deps-run deps-test deps-lint deps-fuzz deps-bench

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

build: deps-run ## build the programs into build/
	@$(MAKE) --no-print-directory $(JOBS) programs

.PHONY: programs
programs: $(PROGRAMS) ## build the programs, installing nothing

run: build ## build and serve http://127.0.0.1:8080 with the gauntlet and the default policies benched
	exec $(BIN)/drop7d serve --demo --data ./var --registration open

deps-run: ; @.ci/deps run ## install what build and run need; deps-test, -lint, -fuzz, -bench, -coverage, -soak likewise
deps-coverage: ; @.ci/deps coverage
deps-soak: ; @.ci/deps soak
deps-test: ; @.ci/deps test
deps-lint: ; @.ci/deps lint
deps-fuzz: ; @.ci/deps fuzz
deps-bench: ; @.ci/deps bench

# --- compiling -------------------------------------------------------------------------------------------
$(OUT)/obj/engine/rules/%.o: engine/rules/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC )
	$(Q)$(CC) $(STD) $(WARN) $(HOT) -MMD -MP -c -o $@ $<
$(OUT)/obj/engine/policy/%.o: engine/policy/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC )
	$(Q)$(CC) $(STD) $(WARN) $(HOT) -MMD -MP -c -o $@ $<
# The move and the fair search once more, for processors that have these; cpu_is_wide() is asked before they are used.
ifeq ($(shell uname -m),x86_64)
WIDE := -mavx2 -mbmi -mbmi2 -mpopcnt
$(OUT)/obj/engine/policy/fair_wide.o: HOT += $(WIDE)
# what a turn reports is packed into vectors otherwise, which takes longer than to store it
$(OUT)/obj/engine/rules/game_wide.o: HOT += $(WIDE) -fno-tree-slp-vectorize
endif
$(OUT)/obj/server/sandbox/%.o: server/sandbox/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC )
	$(Q)$(SANDBOX_CC) $(STD) $(WARN) $(HARD_PLAIN) -MMD -MP -c -o $@ $<
$(OUT)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC )
	$(Q)$(CC) $(STD) $(WARN) $(HARD) $(CPPFLAGS_EXTRA) -MMD -MP -c -o $@ $<

# The rules and the greedy policy for the pages. The memory is the page's: its size is in static/js/engine.js too.
MADE      := build/pages
WASM      := $(MADE)/engine.wasm
WASM_FLAG := --target=wasm32 -std=c11 -I. -isystem engine/wasm/libc -nostdlibinc -nostdlib -O3 -msimd128 \
             -ffp-contract=off -fno-strict-aliasing -Wall -Wextra $(WERROR)
WASM_LINK := -Wl,--no-entry,--import-memory,--initial-memory=8388608,--max-memory=8388608,--strip-all,-z,stack-size=262144
$(WASM): $(WASM_SRC) $(WASM_HEADER) Makefile
	@mkdir -p $(@D)
	$(call say,WASM)
	$(Q)clang $(WASM_FLAG) $(WASM_LINK) -o $@ $(WASM_SRC)
	@chmod a-x $@

# The charts' library for the pages: the browser builds of d3's packages in one module. d3-color.js and the like hang
# themselves on one global object; the last line hands it on.
D3      := $(MADE)/d3.js
D3_PART := $(foreach part,array collection color format interpolate path time time-format selection scale axis shape,\
           $(NODEJS)/d3-$(part)/dist/d3-$(part).min.js)
$(D3): $(D3_PART) Makefile
	@mkdir -p $(@D)
	$(call say,JS )
	$(Q){ for part in $(D3_PART); do cat $$part; echo ';'; done; echo 'export const d3 = self.d3;'; } > $@

# What the built-in policies think of one position: asked when they are built, so the pages cannot tell otherwise.
$(OUT)/pages/decisions.json: server/decisions.sh $(BIN)/drop7
	@mkdir -p $(@D)
	$(call say,ASK)
	$(Q)server/decisions.sh $(BIN)/drop7 > $@

# Pages and migrations are inside the programs: nothing to find at run time, nothing to lose.
$(OUT)/embed/static.S: EMBED_MORE := $(MADE) $(OUT)/pages
$(OUT)/embed/static.S: $(WASM) $(D3) $(OUT)/pages/decisions.json
$(OUT)/embed/%.S: server/embed.sh $$(wildcard $$*/* $$*/*/* $$*/*/*/*)
	@mkdir -p $(@D)
	$(Q)server/embed.sh $* $(EMBED_MORE) > $@
$(OUT)/obj/embed_%.o: $(OUT)/embed/%.S
	@mkdir -p $(@D)
	$(Q)$(CC) -I. -fPIE -c -o $@ $<

$(LIBENGINE): $(call obj,$(ENGINE_SRC))
$(LIBTOOL): $(call obj,$(TOOL_SRC))
$(LIBSTORE): $(call obj,$(STORE_SRC)) $(OUT)/obj/embed_migrations.o
$(LIBSERVER): $(call obj,$(SERVER_SRC)) $(OUT)/obj/embed_static.o
$(LIBSUPPORT): $(call obj,$(SUPPORT_SRC))
$(LIBFUZZ): $(call obj,$(FUZZ_SRC))
$(OUT)/lib%.a:
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BIN)/drop7: $(call obj,engine/tool/main.c) $(LIBTOOL) $(LIBENGINE)
	$(call say,LD )
	$(Q)$(CC) $(STD) $(LINK) -o $@ $^ $(TOOL_LIBS) $(ENGINE_LIBS)
$(BIN)/drop7d: $(call obj,server/main.c) $(LIBSERVER) $(LIBSTORE) $(LIBENGINE)
	$(call say,LD )
	$(Q)$(CC) $(STD) $(LINK) -o $@ $^ $(SERVER_LIBS) $(STORE_LIBS) $(ENGINE_LIBS)
# The launcher limits its own address space and system calls, which no sanitizer survives: it is never built with
# one, and links nothing of ours. Static: a loader's work would be half of a start. Its system-call filter is put
# together here, once, by a program of its own.
$(BIN)/drop7-sandbox: $(call obj,$(SANDBOX_SRC)) $(OUT)/obj/embed_filter.o
	$(call say,LD )
	$(Q)$(CC) $(STD) $(LINK_SANDBOX) -o $@ $^ $(SANDBOX_LIBS)
$(OUT)/make-filter: server/sandbox/rules/filter.c server/sandbox/filter.h Makefile
	@mkdir -p $(@D)
	$(call say,CC )
	$(Q)$(CC) $(STD) $(WARN) $(HARD_PLAIN) $(LINK_PLAIN) -o $@ $< -lseccomp
$(OUT)/embed/filter.c: $(OUT)/make-filter
	@mkdir -p $(@D)
	$(Q)$< > $@
$(OUT)/obj/embed_filter.o: $(OUT)/embed/filter.c
	@mkdir -p $(@D)
	$(Q)$(SANDBOX_CC) $(STD) $(WARN) $(HARD_PLAIN) -c -o $@ $<

# --- tests -----------------------------------------------------------------------------------------------
TEST_LIBS = $(LIBFUZZ) $(LIBSUPPORT) $(LIBTOOL) $(LIBSERVER) $(LIBSTORE) $(LIBENGINE)
$(OUT)/tests/unit/%: $(OUT)/obj/tests/unit/%.o $(TEST_LIBS)
	@mkdir -p $(@D)
	$(call say,LD )
	$(Q)$(CC) $(STD) $(LINK) -o $@ $^ -lcmocka $(SERVER_LIBS) $(STORE_LIBS) $(TOOL_LIBS) $(ENGINE_LIBS)
# tests/support/faults.h: these calls of our own objects go through it.
FAULTS_CALLS := malloc calloc realloc reallocarray aligned_alloc read write flock poll ppoll getrandom fsync rename mkdir \
                link chmod unlink remove stat lstat statvfs pipe2 socket listen signalfd eventfd pidfd_open open close \
                opendir posix_spawn pthread_create
FAULTS_SQL   := sqlite3_step sqlite3_exec sqlite3_prepare_v3 sqlite3_backup_step sqlite3_backup_init \
                sqlite3_backup_finish sqlite3_busy_timeout sqlite3_file_control
FAULTS_CURL  := curl_global_init curl_easy_init curl_easy_setopt curl_multi_init curl_multi_add_handle curl_multi_perform \
                curl_multi_poll curl_slist_append curl_mime_init curl_mime_addpart curl_mime_name curl_mime_data \
                curl_mime_filedata curl_mime_filename curl_mime_type
comma := ,
$(patsubst %,$(OUT)/tests/unit/%/test_faults,base d7p harness policy rank): private LINK += $(FAULTS_CALLS:%=-Wl$(comma)--wrap=%)
FAULTY := $(OUT)/tests/faults/drop7
$(FAULTY): private LINK += $(patsubst %,-Wl$(comma)--wrap=%,$(FAULTS_CALLS) $(FAULTS_CURL))
$(FAULTY): $(call obj,engine/tool/main.c) $(LIBTOOL) $(LIBENGINE) $(LIBSUPPORT)
	@mkdir -p $(@D)
	$(call say,LD )
	$(Q)$(CC) $(STD) $(LINK) -o $@ $^ $(TOOL_LIBS) $(ENGINE_LIBS)
$(OUT)/tests/unit/store/test_faults: private LINK += $(FAULTS_CALLS:%=-Wl$(comma)--wrap=%) $(FAULTS_SQL:%=-Wl$(comma)--wrap=%)
$(OUT)/tests/http/%: $(OUT)/obj/tests/http/%.o $(TEST_LIBS)
	@mkdir -p $(@D)
	$(call say,LD )
	$(Q)$(CC) $(STD) $(LINK) -o $@ $^ -lcmocka $(SERVER_LIBS) $(STORE_LIBS) $(TOOL_LIBS) $(ENGINE_LIBS)
$(OUT)/tests/sandbox/%: $(OUT)/obj/tests/sandbox/%.o $(TEST_LIBS)
	@mkdir -p $(@D)
	$(call say,LD )
	$(Q)$(CC) $(STD) $(LINK) -o $@ $^ -lcmocka $(SERVER_LIBS) $(STORE_LIBS) $(TOOL_LIBS) $(ENGINE_LIBS)
$(OUT)/tests/bench/%: $(OUT)/obj/tests/bench/%.o $(TEST_LIBS)
	@mkdir -p $(@D)
	$(call say,LD )
	$(Q)$(CC) $(STD) $(LINK) -o $@ $^ -lcmocka $(SERVER_LIBS) $(STORE_LIBS) $(TOOL_LIBS) $(ENGINE_LIBS)
# A fuzzer is libFuzzer's main, the driver that calls one target, and what the target takes apart.
# (A list of them, not any: make would take the files of dependencies for objects too.)
DRIVERS := $(patsubst $(OUT)/tests/fuzz/%,$(OUT)/obj/tests/fuzz/driver/%.o,$(FUZZERS))
$(DRIVERS): $(OUT)/obj/tests/fuzz/driver/%.o: tests/fuzz/driver/main.c Makefile
	@mkdir -p $(@D)
	$(call say,CC )
	$(Q)$(CC) $(STD) $(WARN) $(HARD) -DTARGET=fuzz_$* -MMD -MP -c -o $@ $<
$(OUT)/tests/fuzz/%: $(OUT)/obj/tests/fuzz/driver/%.o $(LIBFUZZ) $(call obj,$(FUZZ_WITH)) $(LIBENGINE)
	@mkdir -p $(@D)
	$(call say,LD )
	$(Q)$(CC) $(STD) $(LINK) -o $@ $^ $(ENGINE_LIBS)
# Players and attacks stand for strangers' programs: plain C, static, none of our code or flags.
$(OUT)/tests/policies/%: tests/policies/%.c $(wildcard tests/policies/*.h)
	@mkdir -p $(@D)
	$(call say,CC )
	$(Q)gcc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra $(WERROR) -static -pthread -o $@ $<
$(OUT)/tests/hostile/%: tests/hostile/%.c
	@mkdir -p $(@D)
	$(call say,CC )
	$(Q)gcc -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra $(WERROR) -static -pthread -o $@ $<

test-build: $(PROGRAMS) $(TESTS) $(FAULTY) $(PLAYERS) $(HOSTILES) ## build everything the tests need
test: deps-test ## install what tests need, build, run every test
	@$(MAKE) --no-print-directory $(JOBS) test-build
	@BIN=$(BIN) OUT=$(OUT) SHARED=$(SHARED) tests/run.sh
test-http: deps-test ## every path and code of the API, the store and the statistics: the H and S rows of tests/CASES.md
	@$(MAKE) --no-print-directory $(JOBS) test-build
	@BIN=$(BIN) OUT=$(OUT) SHARED=$(SHARED) tests/run.sh http/ unit/server/ unit/rank/ unit/store/
.PHONY: test-hostile
test-hostile: deps-test ## attacks and scripted players against their verdicts, as root and as an ordinary user
	@$(MAKE) --no-print-directory $(JOBS) test-build
	@BIN=$(BIN) OUT=$(OUT) tests/hostile.sh
test-browser: deps-test ## every page in a browser: desktop, phone, both themes; pictures in build/screens
	@$(MAKE) --no-print-directory $(JOBS) programs
	@BIN=$(BIN) SHARED=$(SHARED) tests/browser/run.sh
asan: deps-test ## the same suite under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) --no-print-directory $(JOBS) FLAVOUR=asan test-build
	@BIN=build/asan OUT=build/asan SHARED=$(SHARED) tests/run.sh
tsan: deps-test ## the threaded parts under ThreadSanitizer
	@$(MAKE) --no-print-directory $(JOBS) FLAVOUR=tsan test-build
	@BIN=build/tsan OUT=build/tsan SHARED=$(SHARED) D7_TEST_SECONDS=$${D7_TEST_SECONDS:-1200} tests/run.sh $(THREADED)
# What has threads of its own, or is used by several of them. The rest of unit/tool starts programs and waits.
THREADED := http/ unit/server/ unit/store/ unit/harness/ unit/d7p/ rank/test_interval_memo \
            tool/test_tool tool/test_client policy/test_fair policy/test_work

.PHONY: fuzz-build
fuzz-build: $(FUZZERS) ## build the fuzzers into build/fuzz/
SECONDS ?= 60
fuzz: deps-fuzz ## fuzz parsers, rules and one-ply choices for SECONDS=60 in all, under both sanitizers
	@$(MAKE) --no-print-directory $(JOBS) FLAVOUR=fuzz fuzz-build
	@OUT=build/fuzz FUZZ_SECONDS=$(SECONDS) tests/fuzz/run.sh
.PHONY: coverage soak deps-coverage deps-soak
coverage: deps-coverage ## line and branch coverage of engine and store by the test suite
	@$(MAKE) --no-print-directory $(JOBS) FLAVOUR=cov test-build
	@tests/coverage.sh
soak: deps-soak ## everybody at once, killed and filled up, for SOAK=600 seconds; then nothing may be lost or left
	@$(MAKE) --no-print-directory $(JOBS) programs $(PLAYERS)
	@BIN=$(BIN) OUT=$(OUT) tests/soak/run.sh $(SOAK)
SOAK ?= 600

# --- habits ----------------------------------------------------------------------------------------------
lint: deps-lint check-format ## layers, sizes, banned names, headers, clang build, clang-tidy, cppcheck
	@$(MAKE) --no-print-directory $(JOBS) FLAVOUR=clang programs
	@tests/lint/run.sh
SOURCES := $(shell git ls-files -co --exclude-standard '*.[ch]' 2>/dev/null)
format: ## clang-format everything
	@clang-format -i $(SOURCES)
check-format: deps-lint ## is everything as clang-format would have it (part of lint)
	@clang-format --dry-run --Werror $(SOURCES)
bench: deps-test ## timings as ratios, in one run (never a test)
	@$(MAKE) --no-print-directory $(JOBS) $(PROGRAMS) $(BENCHES) $(PLAYERS)
	@BIN=$(BIN) OUT=$(OUT) SHARED=$(SHARED) tests/bench/run.sh
signatures: deps-test ## the same decisions from gcc and clang, at -O0 and -O2, with one and two threads
	@tests/bench/signatures.sh
bench-http: deps-bench ## the server against nginx on the same bytes, replays on demand, followers; about three minutes
	@$(MAKE) --no-print-directory $(JOBS) $(PROGRAMS) $(BENCHES)
	@BIN=$(BIN) OUT=$(OUT) tests/bench/http.sh
clean: ## remove build/
	rm -rf build

# --- installing ------------------------------------------------------------------------------------------
PREFIX  ?= /usr/local
INSTALL := install
# The programs lie side by side, where drop7d looks for drop7-sandbox; what is on the path are links to them.
LIBDIR  := $(DESTDIR)$(PREFIX)/lib/drop7
DOCDIR  := $(DESTDIR)$(PREFIX)/share/doc/drop7
DOCS    := README.md $(wildcard docs/*.md)
install: programs ## install under PREFIX (/usr/local), staged under DESTDIR: programs, man pages, unit, completion
	$(INSTALL) -d $(LIBDIR) $(DOCDIR)/examples $(addprefix $(DESTDIR)$(PREFIX)/,bin share/man/man1 share/man/man8 \
	    lib/systemd/system lib/sysusers.d share/bash-completion/completions)
	$(INSTALL) -m 755 $(PROGRAMS) $(LIBDIR)
	ln -sf ../lib/drop7/drop7 $(DESTDIR)$(PREFIX)/bin/drop7
	ln -sf ../lib/drop7/drop7d $(DESTDIR)$(PREFIX)/bin/drop7d
	$(INSTALL) -m 644 docs/man/drop7.1 $(DESTDIR)$(PREFIX)/share/man/man1
	$(INSTALL) -m 644 docs/man/drop7d.8 $(DESTDIR)$(PREFIX)/share/man/man8
	sed 's|@PREFIX@|$(PREFIX)|g' docs/install/drop7d.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/drop7d.service
	$(INSTALL) -m 644 docs/install/sysusers.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/drop7d.conf
	$(INSTALL) -m 644 docs/install/drop7.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/drop7
	ln -sf drop7 $(DESTDIR)$(PREFIX)/share/bash-completion/completions/drop7d
	$(INSTALL) -m 644 $(DOCS) $(DOCDIR)
	$(INSTALL) -m 644 $(wildcard docs/examples/*) $(DOCDIR)/examples
uninstall: ## remove what install put there; the data stays
	rm -rf $(LIBDIR) $(DOCDIR)
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/drop7 bin/drop7d share/man/man1/drop7.1 share/man/man8/drop7d.8 \
	    lib/systemd/system/drop7d.service lib/sysusers.d/drop7d.conf share/bash-completion/completions/drop7 \
	    share/bash-completion/completions/drop7d)

-include $(shell find $(OUT)/obj -name '*.d' 2>/dev/null)
