# Configuring and building presets, with progress for people. Sourced by ./dev.

# A clone in another place finds the same compilations in the cache.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
# And with a precompiled header: cmake/UmavezPrecompiled.cmake.
export CCACHE_PCH_EXTSUM=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

# configure PRESET: again only after a change that ninja would not see by itself, a new preset. In `lint` nothing is
# built, so that ninja sees nothing.
configure() {
    local stamp=build/$1/.configured
    [[ $1 != lint && -f build/$1/build.ninja && $stamp -nt CMakePresets.json ]] && return
    cmake --preset "$1" && touch "$stamp"
}

# build PRESET [TARGET…]. Whoever comes second waits for the first: a build ahead, another terminal.
build() {
    local preset=$1
    shift
    mkdir -p "build/$preset" || return
    {
        # What a build starts does not hold the lock, should it outlive the build.
        flock 9 && configure "$preset" 9>&- && cmake --build "build/$preset" --parallel "$jobs" ${1:+--target "$@"} 9>&-
    } 9>"build/$preset/.lock"
}

# build_ahead PRESET [TARGET…]: beside what runs now, which mostly waits. `build` of the same waits for it.
build_ahead() {
    mkdir -p "$logs"
    (renice -n 10 -p "$BASHPID" >/dev/null; build "$@") >"$logs/ahead-$1.log" 2>&1 </dev/null &
}

# with_progress TITLE LOG COMMAND…: its output goes to LOG. Meanwhile a terminal shows, behind the title, how far it
# is and how long it may still take, as ninja and ctest count their steps. A command that ends by `die` ends itself
# alone, so that its log is shown.
with_progress() {
    local title=$1 log=$2 status=0 watcher=
    shift 2
    : >"$log"
    [[ -t 2 ]] && { show_steps "$title" "$log" & watcher=$!; }
    ("$@") >"$log" 2>&1 </dev/null || status=$?
    if [[ $watcher ]]; then
        { kill "$watcher" && wait "$watcher"; } 2>/dev/null || true
        printf '\r\e[K%-34s' "$title" >&2
    fi
    return "$status"
}

# show_steps TITLE LOG: every second, until it is killed or this script is gone.
show_steps() {
    local began=$SECONDS step count total left
    while kill -0 $$ 2>/dev/null; do
        step=$(tail -n 50 "$2" | grep -oE '^ *\[?[0-9]+/[0-9]+' | tail -n 1 | tr -d ' [' || true)
        left=
        count=${step%/*} total=${step#*/}
        ((${count:-0} > total / 50)) && left=", about $(((SECONDS - began) * (total - count) / count)) s left"
        printf '\r\e[K%-34s%s%s' "$1" "${step:+$count of $total}" "$left" >&2
        sleep 1
    done
}

# Quiet when all is well: a build that fails shows all it said.
build_quietly() {
    local log
    log=$(mktemp)
    printf '%-34s' "building $1" >&2
    if with_progress "building $1" "$log" build "$@"; then
        say ok
    else
        say FAILED
        cat "$log" >&2
        rm -f "$log"
        die "the $1 build failed"
    fi
    rm -f "$log"
}
